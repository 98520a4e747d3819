/**
 * What slices know of code, once for each block that observation names (ir/loggedBlocks.ts) in a program: its
 * instructions, each with a number of its own, and what their outputs depend on. An instruction has the same number in
 * whatever block it is found.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Block } from '../../ir/ir.js';
import { STACK_POINTER } from '../../ir/dependences/cells.js';
import { type InstructionDependences, instructionDependences } from '../../ir/dependences/instructionDependences.js';
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import { OPS } from '../../ir/ops.js';
import { isCell } from '../../ir/dependences/refs.js';
import type { LoggedAccess, LoggedBlock } from '../../ir/loggedBlocks.js';
import { GPR, RBP, RBX, type Slot } from '../../layout/cpuState.js';
import { Translator } from '../../x86/translate.js';
import type { Recipes } from './recipes.js';
import type { Layout } from './stretch.js';
import { mayUseX87 } from './x87Code.js';

/** An instruction of a program. What it does is found out when it is asked for: most of what runs is in no slice. */
export class CodeInstruction {
  /** What walks know of it, without and with frames. */
  recipes: Recipes | undefined = undefined;
  framedRecipes: Recipes | undefined = undefined;
  private made: { readonly block: Block; readonly dependences: InstructionDependences; readonly frame: FrameWork } | undefined;
  private translated: Block | undefined;
  private isX87: boolean | undefined;

  constructor(
    /** Which one it is: instructions are numbered as they are met. */
    readonly id: number,
    readonly address: GuestAddr,
    private readonly code: Uint8Array,
    private readonly table: CodeTable,
  ) {}

  get length(): number {
    return this.code.length;
  }

  get block(): Block {
    return (this.translated ??= this.table.translate(this.address, this.code));
  }

  /** With the x87 stack at its beginning; `dependencesAt` has others. */
  get dependences(): InstructionDependences {
    return this.all.dependences;
  }

  /** What it does for its function's frame. */
  get frame(): FrameWork {
    return this.all.frame;
  }

  get usesX87(): boolean {
    return (this.isX87 ??= mayUseX87(this.code) && this.block.nodes.some(({ op }) => USES_X87[op] === true));
  }

  private get all(): NonNullable<typeof this.made> {
    if (this.made === undefined) {
      const { block } = this;
      const dependences = instructionDependences(block);
      this.made = { block, dependences, frame: frameWork(block, dependences) };
    }
    return this.made;
  }
}

/** What an instruction does to set up or leave a frame: no dependence of the program's own. */
type FrameWork =
  | { readonly kind: 'none' }
  /** It makes the frame pointer of the stack pointer. */
  | { readonly kind: 'point' }
  /** It puts a register that belongs to the caller on the stack, or takes it from there: its first cell. */
  | { readonly kind: 'save' | 'restore'; readonly register: number };

/** How control leaves a block, as far as it matters here. */
export const ENDS = { other: 0, call: 1, return: 2, syscall: 3 } as const;

/** A block as slices see it. */
export interface CodeBlock {
  readonly logged: LoggedBlock;
  readonly start: number;
  /** How many instructions it has. */
  readonly length: number;
  /** Entries in the log of addresses. */
  readonly entries: number;
  readonly ends: number;
  readonly lastAddress: number;
  readonly instructions: readonly CodeInstruction[];
  /** Of each instruction: its accesses, in order. */
  readonly accesses: readonly (readonly LoggedAccess[])[];
  /**
   * Four numbers each: the entry, bytes, the entry of the number of elements (-1: it is not repeated), the instruction.
   */
  readonly stores: Int32Array;
  readonly usesX87: boolean;
  /** Units that it may write; undefined as long as no walk has come to it. */
  written: Int32Array | undefined;
  /** Units that its instructions define, as the same walks know it. */
  defined: Int32Array | undefined;
  /** The function that it was found in the last time, and where in it. */
  graph: FunctionGraph | undefined;
  layout: Layout | undefined;
  /** The function that it begins, if it has been called: known for an observer's version. */
  version: number;
  entered: FunctionGraph | undefined;
  isFunction: boolean;
}

const NO_FRAME: FrameWork = { kind: 'none' };
/** Registers that a function must leave as it finds them. */
const KEPT: ReadonlySet<number> = new Set([RBX, RBP, ...GPR.slice(12)].map(({ offset }: Slot) => offset));
const USES_X87: readonly boolean[] = OPS.map(({ name }) => /^(x87|mmx)\./.test(name));

/** Of one program: what is at its addresses. */
export class ProgramCode {
  private readonly blocks: (CodeBlock | undefined)[] = [];
  private readonly byAddress = new Map<number, CodeInstruction>();

  /** `onNew` is told of every instruction that is met. */
  constructor(
    private readonly table: CodeTable,
    private readonly onNew: (one: CodeInstruction) => void,
  ) {}

  /** `read` fetches code where it has not been seen yet. */
  blockOf(logged: LoggedBlock, read: (address: GuestAddr, length: number) => Uint8Array): CodeBlock {
    const known = this.blocks[logged.number];
    if (known !== undefined) return known;
    const made = this.make(logged, read(guestAddr(logged.start), logged.next - logged.start));
    this.blocks[logged.number] = made;
    return made;
  }

  /** Undefined as long as it has not been executed. */
  at(address: number): CodeInstruction | undefined {
    return this.byAddress.get(address);
  }

  private make(logged: LoggedBlock, code: Uint8Array): CodeBlock {
    let offset = 0;
    const instructions = Array.from(logged.lengths, (length) => {
      const one = this.instruction(guestAddr(logged.start + offset), code.subarray(offset, offset + length));
      offset += length;
      return one;
    });
    const accesses = instructions.map((_, i) => logged.accesses.filter(({ instruction }) => instruction === i));
    const stores = logged.accesses.filter(({ isWrite }) => isWrite).flatMap(({ entry, bytes, count = -1, instruction }) => [entry, bytes, count, instruction]);
    const { start, entries, end } = logged;
    return {
      logged, start, length: instructions.length, entries, ends: end === 'call' || end === 'return' || end === 'syscall' ? ENDS[end] : ENDS.other,
      lastAddress: (instructions.at(-1) as CodeInstruction).address, instructions, accesses, stores: Int32Array.from(stores),
      usesX87: instructions.some((one) => one.usesX87), written: undefined, defined: undefined,
      graph: undefined, layout: undefined, version: 0, entered: undefined, isFunction: false,
    };
  }

  private instruction(address: GuestAddr, code: Uint8Array): CodeInstruction {
    const known = this.byAddress.get(address);
    if (known !== undefined && known.length === code.length) return known;
    const made = this.table.add(address, code);
    this.onNew(made);
    this.byAddress.set(address, made);
    return made;
  }
}

export class CodeTable {
  /** By number. */
  readonly instructions: CodeInstruction[] = [];
  private code: Uint8Array = new Uint8Array();
  private readonly translator = new Translator((_address, length) => this.code.subarray(0, length));
  private readonly byTop = new Map<number, InstructionDependences>();

  add(address: GuestAddr, code: Uint8Array): CodeInstruction {
    const made = new CodeInstruction(this.instructions.length, address, Uint8Array.from(code), this);
    this.instructions.push(made);
    return made;
  }

  translate(address: GuestAddr, code: Uint8Array): Block {
    this.code = code;
    return this.translator.translate(address, 1) ?? nothingAt(address, code.length);
  }

  /** With the x87 stack beginning elsewhere. */
  dependencesAt(one: CodeInstruction, top: number): InstructionDependences {
    if (top === 0 || !one.usesX87) return one.dependences;
    const key = one.id * 8 + top;
    let known = this.byTop.get(key);
    if (known === undefined) this.byTop.set(key, (known = instructionDependences(one.block, top)));
    return known;
  }
}

/** What could not be translated. */
function nothingAt(address: GuestAddr, length: number): Block {
  return { start: address, next: guestAddr(address + length), instructions: 1, nodes: [], end: { kind: 'jump', target: guestAddr(address + length) } };
}

/** push, pop and leave of registers that belong to the caller, and `mov rbp, rsp`. */
function frameWork(block: Block, { cells, inputs, accesses }: InstructionDependences): FrameWork {
  const own = cells.filter((cell) => !STACK_POINTER.includes(cell));
  const first = own[0] ?? -1;
  const isRegister = own.length === 8 && KEPT.has(first) && own.every((cell, i) => cell === first + i);
  const of = (cell: number): readonly number[] => inputs[cells.indexOf(cell)] ?? [];
  const [access] = accesses;
  if (isRegister && first === RBP.offset && accesses.length === 0 && own.every((cell, i) => isOnly(of(cell), STACK_POINTER[i] as number))) return { kind: 'point' };
  if (access === undefined || accesses.length > 1 || access.bytes !== 8 || !movesStack(cells)) return NO_FRAME;
  if (isRegister && !access.isWrite && own.every((cell, i) => of(cell).some((ref) => !isCell(ref) && ref % 1024 === i))) return { kind: 'restore', register: first };
  const pushed = access.isWrite && own.length === 0 ? (access.stored[0] ?? []).filter((ref) => isCell(ref) && !STACK_POINTER.includes(ref)) : [];
  const register = pushed[0] ?? -1;
  return pushed.length === 1 && KEPT.has(register) && block.end.kind === 'jump' ? { kind: 'save', register } : NO_FRAME;
}

function isOnly(refs: readonly number[], cell: number): boolean {
  return refs.length === 1 && refs[0] === cell;
}

function movesStack(cells: readonly number[]): boolean {
  return STACK_POINTER.every((cell) => cells.includes(cell));
}
