/**
 * Functions that a resolver chooses (IFUNC): several names may get the same code, as memcpy and memmove do. So that
 * calls can be told apart, the resolver's answer is replaced by an entry of our own for each name, which looks at the
 * arguments (by itself for NULL, or with a hook) and jumps to what was chosen. Where something may be wrong the engine
 * stops.
 */
import { guestAddr } from '../../base/types.js';
import { RAX, RSP } from '../../layout/cpuState.js';
import type { Process } from '../../linux/process.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { type HookKind, hookCode } from '../../x86/hooks.js';
import type { CallRules } from './callRules.js';
import type { CodePlaces } from './codePlaces.js';
import { copiesUnwritten, isCopying } from './copies.js';
import type { QuickTest } from './quickTest.js';

/** An entry that is called in place of the function. */
interface Entry {
  readonly name: string;
  /** What callers get. */
  readonly address: number;
  readonly target: number;
}

/**
 * Entries have CODE_PLACE bytes. Where it stops in an entry if an argument is NULL, and where the address is that it
 * jumps to.
 */
const STOP = 22;
const TARGET = 24;
/** test rdi, rdi and so on. */
const TESTS = [[0x48, 0x85, 0xff], [0x48, 0x85, 0xf6], [0x48, 0x85, 0xd2]];
const JUMP_SIZE = 6;
/** By numbers of the arguments. */
const STRING_HOOKS: ReadonlyMap<string, HookKind> = new Map([['0', 'string'], ['1', 'secondString'], ['0,1', 'bothStrings']]);

export class IndirectFunctions {
  /** By where they stop: at once, perhaps after a quick look, or where an argument is NULL. */
  readonly entries = new Map<number, Entry>();
  /** Where resolvers return to: by address, whose they are. */
  readonly landings = new Map<number, string>();
  /** Return addresses that we have replaced, by where they are. */
  private readonly returns = new Map<number, number>();
  constructor(
    private readonly rules: Pick<CallRules, 'nullArguments' | 'stringArguments' | 'bytesHook' | 'quickTest'>,
    /** Who has a quick look, by the hook's address. */
    private readonly looks: { set(at: number, test: QuickTest): void },
    private readonly places: CodePlaces,
    origin?: IndirectFunctions,
  ) {
    if (origin === undefined) return;
    for (const [at, entry] of origin.entries) this.entries.set(at, entry);
    for (const [at, name] of origin.landings) this.landings.set(at, name);
    for (const [slot, address] of origin.returns) this.returns.set(slot, address);
  }

  /** A resolver is about to be executed: it is to return to us. True if there are new addresses to stop at. */
  resolving(process: Process, name: string): boolean {
    const known = [...this.landings].find(([, whose]) => whose === name)?.[0];
    const landing = known ?? this.places.take(process);
    if (landing === undefined) return false;
    this.landings.set(landing, name);
    const slot = process.cpu.num(RSP);
    this.returns.set(slot, process.space.readNum64(slot));
    process.space.writeNum64(slot, landing);
    return known === undefined;
  }

  /** It has returned: its caller gets an entry of ours. */
  resolved(process: Process, landing: number): boolean {
    const { cpu, space } = process;
    const name = this.landings.get(landing);
    const slot = cpu.num(RSP) - 8;
    const back = this.returns.get(slot);
    if (name === undefined || back === undefined) return false;
    this.returns.delete(slot);
    cpu.rip = guestAddr(back);
    const target = cpu.num(RAX);
    const known = [...this.entries.values()].find((entry) => entry.name === name && entry.target === target)?.address;
    const address = known ?? this.places.take(process);
    if (address === undefined) return false;
    cpu.setNum(RAX, address);
    if (known !== undefined) return false;
    this.entries.set(address + this.writeEntry(space, address, name), { name, address, target });
    space.writeNum64(address + TARGET, target);
    return true;
  }

  /** Returns where in the entry it stops. */
  private writeEntry(space: AddressSpace, address: number, name: string): number {
    const tested = this.rules.nullArguments(name);
    if (tested?.every((argument) => argument < TESTS.length) === true) {
      space.write(address, entryCode(testCode(tested)));
      return STOP;
    }
    // It looks only where unwritten bytes are kept account of.
    const stringHook = space.unwritten === undefined ? undefined : STRING_HOOKS.get(this.rules.stringArguments(name)?.join() ?? '');
    if (stringHook !== undefined) {
      space.write(address, entryCode([...hookCode(stringHook)]));
      this.looks.set(address, () => true);
      return 0;
    }
    const look = this.rules.quickTest(name);
    space.write(address, entryCode(look === undefined ? [] : [...hookCode(this.rules.bytesHook(name) ?? 'look')]));
    if (look !== undefined) this.looks.set(address, isCopying(name) && space.unwritten !== undefined ? (call) => look(call) || copiesUnwritten(space, call.argument(1), call.argument(2)) : look);
    return 0;
  }
}

/** Tests of arguments, each with a jump to where it stops. */
function testCode(tested: readonly number[]): number[] {
  const code: number[] = [];
  for (const argument of tested) {
    code.push(...(TESTS[argument] as number[]));
    code.push(0x74, STOP - code.length - 2);
  }
  return code;
}

/** Then jmp [target]. */
function entryCode(before: readonly number[]): Uint8Array {
  const code = [...before, 0xff, 0x25, TARGET - before.length - JUMP_SIZE, 0, 0, 0];
  return Uint8Array.from({ length: TARGET }, (_, i) => code[i] ?? 0xcc);
}
