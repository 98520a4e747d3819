/**
 * Undefined values in x87 registers: each is undefined as a whole, or not at all. Registers go by their physical
 * numbers, so that they stay what they are when the stack moves. What comparisons say is in the status word.
 */
import type { Node } from '../../../ir/ir.js';
import { operandsOf } from '../../../ir/meaning/pureOperation.js';
import { x87Effects } from '../../../ir/meaning/x87Effects.js';
import { X87, X87_RUN, type X87Run } from '../../../ir/x87Ops.js';
import { FPU_REG, FPU_STATUS } from '../../../layout/cpuState.js';
import { ones, type Operands } from './shadowRule.js';

interface X87Machine {
  slotBits(offset: number): bigint;
}

const REGISTERS = 8;
const REGISTER_BYTES = 16;
const UNDEFINED = ones(80);
/** C0, C2 and C3. */
const CONDITION = 0x4500n;
const STATUS_WORD = 1;
/** Effects on the registers, by offset of their slots. */
type X87Effects = ReadonlyMap<number, bigint>;

const PUSH_CONSTANT: ReadonlySet<X87Run> = new Set<X87Run>(['fld1', 'fldl2t', 'fldl2e', 'fldpi', 'fldlg2', 'fldln2', 'fldz']);
/** st(1) is made of both, and st(0) popped. */
const INTO_SECOND: ReadonlySet<X87Run> = new Set<X87Run>(['fyl2x', 'fyl2xp1', 'fpatan']);
const WITH_SECOND: ReadonlySet<X87Run> = new Set<X87Run>(['fprem', 'fprem1', 'fscale']);
/** st(0) becomes two. */
const INTO_TWO: ReadonlySet<X87Run> = new Set<X87Run>(['fxtract', 'fsincos']);

export class X87Shadow {
  /** Where the stack begins at the operation in question. */
  private top = 0;

  constructor(
    private readonly machine: X87Machine,
    private readonly operands: Operands,
  ) {}

  /** What an operation yields. */
  result(name: string, { imm }: Node, top: number): bigint {
    this.top = top;
    switch (name) {
      case 'x87.comi': return this.isUndefined(0) || this.isUndefined(sourceIn(imm)) ? ones(32) : 0n;
      case 'x87.scratch': return this.isUndefined(0) ? ones(64) : 0n;
      case 'x87.scratchHigh': return this.isUndefined(0) ? ones(16) : 0n;
      case 'x87.mantissa': return this.isUndefined(imm) ? ones(64) : 0n;
      case 'x87.signExponent': return this.isUndefined(imm) ? ones(16) : 0n;
      case 'x87.envWord': return imm === STATUS_WORD ? this.machine.slotBits(FPU_STATUS.offset) : 0n;
      default: return 0n;
    }
  }

  /** What it leaves in registers. */
  effects(name: string, node: Node, top: number): X87Effects {
    this.top = top;
    const { imm } = node;
    const given = operandsOf(node).some((operand) => this.operands.bits(operand) !== 0n);
    const pops = imm >> X87.POP_SHIFT;
    switch (name) {
      case 'x87.loadF32': case 'x87.loadF64': case 'x87.loadF80': case 'x87.loadInt': case 'x87.loadBcd': return this.set([-1, given]);
      case 'x87.arith': {
        const [target, source] = [(imm >> X87.DST_SHIFT) & 7, sourceIn(imm)];
        return this.popped(pops, [target, this.isUndefined(target) || this.isUndefined(source)]);
      }
      case 'x87.arithF32': case 'x87.arithF64': case 'x87.arithInt': return this.set([0, this.isUndefined(0) || given]);
      case 'x87.compare': return this.compared(this.isUndefined(0) || this.isUndefined(sourceIn(imm)), pops);
      case 'x87.compareF32': case 'x87.compareF64': case 'x87.compareInt': return this.compared(this.isUndefined(0) || given, pops);
      case 'x87.comi': return this.popped(pops);
      case 'x87.commit': return this.popped(imm);
      case 'x87.register': return this.moved(imm & ~7, imm & 7);
      case 'x87.cmov': return this.set([0, given || this.isUndefined(0) || this.isUndefined(imm)]);
      case 'x87.setRegister': return this.set([imm, given]);
      case 'x87.setEnv': return new Map([[FPU_STATUS.offset, this.operands.bits(node.b) & CONDITION]]);
      case 'x87.run': return this.ran(X87_RUN[imm] as X87Run);
      default: return new Map();
    }
  }

  /** Offsets of undefined registers that it reads. */
  read(name: string, node: Node, top: number): number[] {
    const registers = FPU_REG.filter(({ offset }) => this.machine.slotBits(offset) !== 0n);
    const isOfStatus = name === 'x87.envWord' && node.imm === STATUS_WORD && this.machine.slotBits(FPU_STATUS.offset) !== 0n;
    if (registers.length === 0) return isOfStatus ? [FPU_STATUS.offset] : [];
    const { reads } = x87Effects(name.slice('x87.'.length), node, top);
    const read = registers.filter((slot) => reads.some(({ offset, bytes }) => offset < slot.offset + REGISTER_BYTES && slot.offset < offset + bytes));
    return [...read, ...(isOfStatus ? [FPU_STATUS] : [])].map(({ offset }) => offset);
  }

  private ran(instruction: X87Run): X87Effects {
    const [first, second] = [this.isUndefined(0), this.isUndefined(1)];
    if (PUSH_CONSTANT.has(instruction)) return this.set([-1, false]);
    if (INTO_SECOND.has(instruction)) return this.popped(1, [1, first || second]);
    if (WITH_SECOND.has(instruction)) return this.set([0, first || second]);
    if (INTO_TWO.has(instruction)) return this.set([-1, first]);
    if (instruction === 'fptan') return this.set([-1, false]);
    if (instruction === 'ftst' || instruction === 'fxam') return this.compared(first, 0);
    if (instruction === 'fninit') return this.set(...[...Array(REGISTERS).keys()].map((index): [number, boolean] => [index, false]));
    return new Map();
  }

  private moved(operation: number, index: number): X87Effects {
    const [first, other] = [this.isUndefined(0), this.isUndefined(index)];
    switch (operation) {
      case X87.FLD: return this.set([-1, other]);
      case X87.FXCH: return this.set([0, other], [index, first]);
      case X87.FST: return this.set([index, first]);
      case X87.FSTP: return this.popped(1, [index, first]);
      case X87.FFREE: return this.set([index, false]);
      default: return this.popped(1, [index, false]);
    }
  }

  private compared(isUndefined: boolean, pops: number): X87Effects {
    return new Map([...this.popped(pops), [FPU_STATUS.offset, isUndefined ? CONDITION : 0n]]);
  }

  /** What is popped is nothing any more, unless it has just been set as another. */
  private popped(pops: number, ...changes: [index: number, isUndefined: boolean][]): X87Effects {
    return this.set(...changes, ...[...Array(pops).keys()].map((index): [number, boolean] => [index, false]));
  }

  private set(...changes: [index: number, isUndefined: boolean][]): X87Effects {
    return new Map(changes.map(([index, isUndefined]) => [this.offset(index), isUndefined ? UNDEFINED : 0n]));
  }

  private isUndefined(index: number): boolean {
    return this.machine.slotBits(this.offset(index)) !== 0n;
  }

  /** Of st(index). */
  private offset(index: number): number {
    return (FPU_REG[(this.top + index + REGISTERS) % REGISTERS] as { offset: number }).offset;
  }
}

function sourceIn(imm: number): number {
  return (imm >> X87.SRC_SHIFT) & 7;
}
