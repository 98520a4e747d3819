/**
 * Global variables of the program's files, by address, and those that have addresses of their own (machine/views.ts):
 * where the program takes the address of one, it gets that of a view which shows nothing but the variable. A global
 * lives for ever, and so does its view, so that this needs no hook: `lea rax, [rip + table]` becomes `mov rax, [rip +
 * slot]`, a load from a table of pointers, and relocations of words in data get another addend. Both are as good for a
 * replay.
 */
import { PAGE_SIZE, pageCeil } from '../../base/types.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { MAP } from '../../linux/memory/mmapFlags.js';
import type { Process } from '../../linux/process.js';
import { type AddressSpace, PROT } from '../../machine/addressSpace.js';
import { PageMap } from '../../machine/pageMap.js';
import { GLOBAL_TAGS, isGlobalAddress } from '../../layout/viewAddresses.js';
import type { Block, Moment } from '../heap/blocks.js';
import { variableBlock } from './bounds.js';
import type { GlobalPointers, PointedVariable, PointerPlace } from './globalPointers.js';
import { type GlobalVariable, variableAt } from './globalVariables.js';

const NOBODYS: Moment = { time: 0, tid: 0, pid: 0, by: '' };
const WORD = 8;
/** Opcodes of `lea reg, [rip + disp32]` and `mov reg, [rip + disp32]`, and where their parts are. */
const [LEA, LOAD] = [0x8d, 0x8b];
const [OPCODE_AT, DISPLACEMENT_AT, LEA_BYTES] = [1, 3, 7];
/** How far a displacement leads. */
const REACH = 0x7fff_0000;
/** How far from a variable, in pages, an address may be that is said to belong to it. */
const FAR_PAGES = 16;
/** Between a program and its table: whatever is before its code is not in the way. */
const GAP = 0x100_0000;

/** A variable and where its view begins. */
interface Shown {
  readonly variable: GlobalVariable;
  readonly begin: number;
}

export class Globals {
  private variables: readonly GlobalVariable[];
  /** By real address. */
  private readonly shown: Map<number, Shown>;
  private readonly byPage = new PageMap<Shown>();
  private turn: number;

  constructor(origin?: Globals) {
    this.variables = origin?.variables ?? [];
    this.shown = new Map(origin?.shown);
    this.turn = origin?.turn ?? 0;
    for (const [page, shown] of origin?.byPage.entries() ?? []) this.byPage.set(page, shown);
  }

  add(variables: readonly GlobalVariable[]): void {
    if (variables.length > 0) this.variables = [...this.variables, ...variables].sort((a, b) => a.address - b.address);
  }

  /** In the order of addresses. The same array as long as nothing changes. */
  get all(): readonly GlobalVariable[] {
    return this.variables;
  }

  /** The variable that an address is in; where it has an address of its own, that is where it is. */
  at(address: number): GlobalVariable | undefined {
    if (!isGlobalAddress(address)) return variableAt(this.variables, address);
    const shown = this.byPage.get(pageOf(address));
    return shown && { ...shown.variable, address: shown.begin };
  }

  /** The variable that an address is in, or, if variables have addresses of their own, belongs to. */
  of(address: number): Block | undefined {
    if (isGlobalAddress(address)) return this.near(address);
    const found = this.at(address);
    return found && variableBlock({ begin: found.address, size: found.size, name: found.name, function: undefined }, NOBODYS);
  }

  /** Where the view of a variable begins, if it has one. */
  viewOf({ address }: GlobalVariable): number | undefined {
    return this.shown.get(address)?.begin;
  }

  /** From now on the program gets other addresses of these variables. */
  move(process: Process, { variables, bias }: GlobalPointers): void {
    const { space } = process;
    const possible = variables.filter((one) => isUntouched(space, one, bias));
    const slots = new Slots(process, possible);
    if (slots.hasRoom) this.forget(space, possible);
    for (const { variable, instructions, addends } of slots.hasRoom ? possible : []) {
      const begin = this.show(space, variable);
      if (begin === undefined) continue;
      for (const { at, offset } of instructions) slots.loadAt(at, begin + offset);
      for (const { at, offset } of addends) space.poke(at, wordOf(begin + offset - bias));
    }
  }

  private show(space: AddressSpace, variable: GlobalVariable): number | undefined {
    const { address: real, size } = variable;
    for (let i = 0; i < GLOBAL_TAGS.count; i++) {
      const begin = (GLOBAL_TAGS.first + ((this.turn + i) % GLOBAL_TAGS.count)) * GUEST_SPACE_SIZE + (real % GUEST_SPACE_SIZE);
      if (!space.tryView({ begin, size, real })) continue;
      this.turn += i + 1;
      const shown = { variable, begin };
      this.shown.set(real, shown);
      for (let page = pageOf(begin); page <= pageOf(begin + size - 1); page++) this.byPage.set(page, shown);
      return begin;
    }
    return undefined;
  }

  /** What lies where these do is of a library that was there before, and is no more. */
  private forget(space: AddressSpace, variables: readonly PointedVariable[]): void {
    const low = variables.reduce((least, { variable }) => Math.min(least, variable.address), Infinity);
    const high = variables.reduce((most, { variable }) => Math.max(most, variable.address + variable.size), 0);
    for (const [real, { begin, variable }] of this.shown) {
      if (real >= high || real + variable.size <= low) continue;
      space.removeView(begin);
      this.shown.delete(real);
      for (let page = pageOf(begin); page <= pageOf(begin + variable.size - 1); page++) this.byPage.delete(page);
    }
  }

  private near(address: number): Block | undefined {
    const page = pageOf(address);
    for (let distance = 0; distance < FAR_PAGES; distance++) {
      const shown = this.byPage.get(page - distance) ?? this.byPage.get(page + distance);
      if (shown !== undefined) return shownBlock(shown);
    }
    return undefined;
  }
}

/**
 * Whether the file is in memory as it is on the disk where pointers to the variable are made: it has not been changed,
 * and it is there.
 */
function isUntouched(space: AddressSpace, { variable: { address }, instructions, addends }: PointedVariable, bias: number): boolean {
  const isThere = (at: number, bytes: Uint8Array): boolean => space.peek(at, bytes.length)?.every((byte, i) => byte === bytes[i]) === true;
  return (
    instructions.every(({ at, offset }) => isThere(at + OPCODE_AT, Uint8Array.of(LEA)) && isThere(at + DISPLACEMENT_AT, displacement(at, address + offset))) &&
    addends.every(({ at, offset }) => isThere(at, wordOf(address + offset - bias)))
  );
}

/** A table of pointers, near to the code that loads them. */
class Slots {
  readonly hasRoom: boolean;
  private readonly slots = new Map<number, number>();
  private next: number;

  constructor(
    private readonly process: Process,
    variables: readonly PointedVariable[],
  ) {
    const instructions = variables.flatMap((variable) => variable.instructions);
    const most = variables.reduce((sum, one) => sum + new Set(one.instructions.map(({ offset }) => offset)).size, 0);
    this.next = most === 0 ? 0 : tableNear(process, most * WORD, instructions);
    this.hasRoom = this.next >= 0;
  }

  /** Makes the instruction that takes an address one that loads a pointer. */
  loadAt(at: number, pointer: number): void {
    const { space } = this.process;
    const slot = this.slots.get(pointer) ?? this.take(pointer);
    space.poke(at + OPCODE_AT, Uint8Array.of(LOAD));
    space.poke(at + DISPLACEMENT_AT, displacement(at, slot));
  }

  private take(pointer: number): number {
    const slot = this.next;
    this.next += WORD;
    this.process.space.poke(slot, wordOf(pointer));
    this.slots.set(pointer, slot);
    return slot;
  }
}

/** -1: none can be had that all of the instructions reach. */
function tableNear({ memory }: Process, bytes: number, instructions: readonly PointerPlace[]): number {
  const [low, high] = instructions.reduce(([least, most], { at }) => [Math.min(least, at), Math.max(most, at)], [Infinity, 0]);
  const length = pageCeil(bytes);
  const request = { length, prot: PROT.READ, flags: MAP.PRIVATE | MAP.ANONYMOUS, offset: 0 };
  const hint = Math.floor(low / PAGE_SIZE) * PAGE_SIZE - GAP - length;
  for (const address of [0, hint]) {
    const found = memory.mmap({ ...request, address }, null);
    if (found < 0) continue;
    if (Math.abs(found - low) < REACH && Math.abs(found + length - high) < REACH) return found;
    memory.munmap(found, length);
  }
  return -1;
}

function shownBlock({ variable, begin }: Shown): Block {
  return variableBlock({ begin, size: variable.size, name: variable.name, function: undefined, real: variable.address }, NOBODYS);
}

/** From the instruction at an address to a target, as the instruction has it. */
function displacement(at: number, target: number): Uint8Array {
  return wordOf(target - (at + LEA_BYTES)).subarray(0, LEA_BYTES - DISPLACEMENT_AT);
}

function wordOf(value: number): Uint8Array {
  const bytes = new Uint8Array(WORD);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
  return bytes;
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}
