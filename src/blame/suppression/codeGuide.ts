/**
 * Leads a suppressed run around what corrupt data decides: to where all ways from a jump come together again, or out of
 * the function if they do not. What may have been written on these ways becomes corrupt.
 */
import { StackFrame, type StoppedProgram } from '../../dwarf/stackFrame.js';
import type { LoadedModule, ModuleList, Modules } from '../../debugger/program/modules.js';
import { isOwnCode, viewOf } from '../../flow/ownCode.js';
import { EXIT } from '../../graphs/postDominators.js';
import { FunctionGraphs } from '../../graphs/functionGraphs.js';
import { LoadedCode } from '../../graphs/loadedCode.js';
import type { SlotRange } from '../../ir/meaning/stateBytes.js';
import { GPR, RAX, RBP, RBX, RCX, RDI, RDX, RIP, RSI, RSP, type Slot, XMM } from '../../layout/cpuState.js';
import type { Detour, GuidedMachine, SuppressionGuide } from '../../replay/branch/suppression/guide.js';
import type { State } from '../../replay/timeline/state.js';
import { type Structure, Structures } from './structures.js';
import { writtenIn } from './writtenIn.js';

const R = (number: number): Slot => GPR[number] as Slot;
/** By DWARF's numbers. */
const DWARF_SLOTS: readonly Slot[] = [RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R(8), R(9), R(10), R(11), R(12), R(13), R(14), R(15), RIP];
const STACK_POINTER = 7;
const RETURN_ADDRESS = 16;
/** What a function gives back to its caller as it was. */
const KEPT: readonly number[] = [3, 6, 12, 13, 14, 15];
const RESULTS: readonly SlotRange[] = [{ offset: RAX.offset, bytes: 8 }, { offset: RDX.offset, bytes: 8 }, ...XMM.slice(0, 2).map(({ offset }) => ({ offset, bytes: 16 }))];
const WORD = 8;
/** How far the stack is searched where nothing is known of a function. */
const MOST_WORDS = 4096;
const LONGEST_CALL = 7;
/** Functions on the stack that are left one after the other. */
const DEEPEST = 64;
const CALL = 0xe8;
/** mov rax, 15; syscall */
const RESTORER: readonly number[] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
const INDIRECT = 0xff;

export class CodeGuide implements SuppressionGuide {
  private modules: ModuleList | undefined;
  private machine: GuidedMachine | undefined;
  private structures: Structures | undefined;

  constructor(
    private readonly known: Modules,
    private readonly thread: number,
    /** Told what the run does not know. */
    private readonly remark: (text: string) => void,
  ) {}

  begin(state: State): void {
    const thread = state.threads.some(({ id }) => id === this.thread) ? this.thread : (state.current?.id ?? this.thread);
    const modules = this.known.of(state, thread);
    this.modules = modules;
    const code = new LoadedCode(() => modules, (address, length) => this.machine?.read(address, length) ?? null);
    const view = viewOf(state, thread, this.known);
    this.structures = new Structures(code, new FunctionGraphs(code), (address) => view !== undefined && isOwnCode(view, address));
  }

  around(machine: GuidedMachine): Detour | undefined {
    this.machine = machine;
    return this.settled(machine, this.beyond(machine));
  }

  afterCall(machine: GuidedMachine): Detour | undefined {
    this.machine = machine;
    const length = this.structures?.lengthAt(machine.rip);
    if (length === undefined || this.structures?.neverReturns(machine.rip + length) !== true) return undefined;
    return this.settled(machine, this.out(machine, undefined));
  }

  /** Who comes back from where control never comes back leaves that function, too. */
  private settled(machine: GuidedMachine, detour: Detour | undefined): Detour | undefined {
    let [settled, at] = [detour, machine];
    for (let i = 0; i < DEEPEST && settled !== undefined; i++) {
      const returnTo = Number(settled.registers.get(RIP.offset) ?? 0n);
      if (!settled.registers.has(RSP.offset) || this.structures?.neverReturns(returnTo) !== true) return settled;
      at = returned(at, settled, returnTo - 1);
      const next = this.out(at, undefined);
      if (next === undefined) return settled;
      settled = joinedDetours(settled, next);
    }
    return settled;
  }

  private beyond(machine: GuidedMachine): Detour | undefined {
    const structure = this.structures?.at(machine.rip);
    if (structure === undefined || structure.join === EXIT) {
      // Who jumps to another function has put the stack in order: the return address is on top.
      const isTail = structure?.nodes.length === 0;
      return (isTail ? this.back(machine, 0) : undefined) ?? this.out(machine, structure) ?? this.back(machine, MOST_WORDS);
    }
    const frame = this.frame(machine);
    const registers = new Map([[RIP.offset, BigInt(structure.join)]]);
    const stack = this.stackAt(structure.join, frame);
    if (stack !== undefined) registers.set(RSP.offset, stack);
    return { registers, slots: structure.slots, memory: this.written(structure, machine) };
  }

  /** Out of the function, as if it had returned. */
  private out(machine: GuidedMachine, structure: Structure | undefined): Detour | undefined {
    const frame = this.frame(machine);
    const unwound = frame.unwind();
    if (unwound.kind !== 'frame' || !this.isAfterCall(machine, unwound.registers.get(RETURN_ADDRESS) ?? 0n)) return undefined;
    const registers = new Map<number, bigint>();
    const slots: SlotRange[] = [...RESULTS];
    for (const number of [...KEPT, STACK_POINTER, RETURN_ADDRESS]) {
      const rule = frame.rules?.registers.get(number);
      const value = unwound.registers.get(number);
      const { offset } = DWARF_SLOTS[number] as Slot;
      if (value === undefined || (rule === undefined && number < RETURN_ADDRESS && number !== STACK_POINTER)) continue;
      registers.set(offset, value);
      const saved = rule?.kind === 'offset' ? Number(unwound.cfa) + rule.offset : undefined;
      if (saved === undefined || number >= STACK_POINTER && number < 12 || number === RETURN_ADDRESS) continue;
      if (machine.isMemoryCorrupt(saved, WORD) && machine.before(saved) === undefined) slots.push({ offset, bytes: WORD });
    }
    const corrupt = new Set(slots.map(({ offset }) => offset));
    return { registers: new Map([...registers].filter(([offset]) => !corrupt.has(offset))), slots, memory: structure === undefined ? [] : this.written(structure, machine) };
  }

  /** To the first word of the stack that is the address after a call. */
  private back(machine: GuidedMachine, most: number): Detour | undefined {
    const stack = machine.slot(RSP.offset, 'i64');
    for (let i = 0; i <= most; i++) {
      const at = Number(stack) + i * WORD;
      const bytes = machine.read(at, WORD);
      if (bytes === null) return undefined;
      const word = machine.before(at) ?? new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
      if (!this.isAfterCall(machine, word)) continue;
      return { registers: new Map([[RIP.offset, word], [RSP.offset, BigInt(at + WORD)]]), slots: RESULTS, memory: [] };
    }
    return undefined;
  }

  private isAfterCall(machine: GuidedMachine, address: bigint): boolean {
    if (this.modules?.at(address) === undefined) return false;
    const bytes = machine.read(Number(address) - LONGEST_CALL, LONGEST_CALL);
    if (bytes === null) return false;
    if (bytes[LONGEST_CALL - 5] === CALL || this.isRestorer(machine, address)) return true;
    // With an operand in a register or in memory: the second byte says that it is a call.
    return [2, 3, 4, 6, 7].some((length) => bytes[LONGEST_CALL - length] === INDIRECT && (((bytes[LONGEST_CALL - length + 1] as number) >> 3) & 7) === 2);
  }

  /** What handlers of signals return to: rt_sigreturn. */
  private isRestorer(machine: GuidedMachine, address: bigint): boolean {
    const bytes = machine.read(Number(address), RESTORER.length);
    return bytes !== null && RESTORER.every((byte, i) => bytes[i] === byte);
  }

  private written(structure: Structure, machine: GuidedMachine): Detour['memory'] {
    const { memory, isAll } = writtenIn(structure, this.structures as Structures, machine, this.frame(machine).cfa());
    if (!isAll) this.remark('what is written through pointers that are not known, or by functions that are called, in parts that were left out counts as clean');
    return memory;
  }

  private frame(machine: GuidedMachine): StackFrame {
    const { modules } = this;
    const program: StoppedProgram = {
      moduleAt: (address): LoadedModule | undefined => modules?.at(address),
      memory: (address, size) => {
        const before = size === WORD ? machine.before(Number(address)) : undefined;
        return before === undefined ? (machine.read(Number(address), size) ?? undefined) : bytesOf(before);
      },
      tlsAddress: () => undefined,
    };
    return StackFrame.innermost(program, (number) => {
      if (number === RETURN_ADDRESS) return BigInt(machine.rip);
      const slot = DWARF_SLOTS[number];
      return slot === undefined ? undefined : machine.slot(slot.offset, 'i64');
    });
  }

  /** The stack pointer at another instruction of the function, where the tables tell. */
  private stackAt(address: number, frame: StackFrame): bigint | undefined {
    const cfa = frame.cfa();
    const module = this.modules?.at(BigInt(address));
    const rule = module?.frames.rulesAt(address - Number(module.bias))?.cfa;
    return cfa === undefined || rule?.kind !== 'register' || rule.register !== STACK_POINTER ? undefined : cfa - BigInt(rule.offset);
  }
}

/** The thread as it is behind a detour, in the middle of the instruction at `rip`. */
function returned(machine: GuidedMachine, { registers, slots }: Detour, rip: number): GuidedMachine {
  const corrupt = new Set(slots.map(({ offset }) => offset));
  return {
    ...machine, rip,
    slot: (offset, type) => registers.get(offset) ?? machine.slot(offset, type),
    isSlotCorrupt: (offset) => corrupt.has(offset) || (!registers.has(offset) && machine.isSlotCorrupt(offset)),
  };
}

function joinedDetours(first: Detour, then: Detour): Detour {
  const corrupt = new Set(then.slots.map(({ offset }) => offset));
  const kept = [...first.registers].filter(([offset]) => !corrupt.has(offset));
  return { registers: new Map([...kept, ...then.registers]), slots: [...first.slots, ...then.slots], memory: [...first.memory, ...then.memory] };
}

function bytesOf(word: bigint): Uint8Array {
  const bytes = new Uint8Array(WORD);
  new DataView(bytes.buffer).setBigUint64(0, word, true);
  return bytes;
}
