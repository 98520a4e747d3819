/**
 * What each output of one instruction depends on, byte by byte: a register's bytes, flags and stored bytes, on the
 * registers, flags and loaded bytes before it. It follows from the IR alone, but for where the x87 stack begins.
 *
 * A stored or loaded byte also depends on the registers that its address was computed from.
 */
import { CC_OP, CC_X, CC_Y, CC_Z, FPU_REG, RAX, RCX, RDI, RSI, type Slot } from '../../layout/cpuState.js';
import { FLOAT80_BYTES, FX_AT, FX_VECTORS, FX_WRITTEN, FX_SIZE } from '../../layout/fxImage.js';
import { type Block, type Node, NONE, type Value } from '../ir.js';
import { accessOf } from '../logPass.js';
import { nodeEffects } from '../meaning/nodeEffects.js';
import { TYPE_BYTES } from '../meaning/pureOperation.js';
import type { OpDef, Type } from '../opDef.js';
import { OPS } from '../ops.js';
import { REP } from '../repFlags.js';
import { restoresImage, SYS } from '../sysCalls.js';
import { type Cell, CELLS, cellsOfByte, FLAG_CELL, FLAG_NAMES, flagOperands, flagsOfCondition, ALL_FLAGS, SCRATCH_CELL } from './cells.js';
import { type Bytes, pureBytes } from './pureBytes.js';
import { CONSTANT, loadedByte, type Refs, union, unionOf } from './refs.js';
import { sseBytes } from './sseBytes.js';
import { x87Cells, x87Movement } from './x87Cells.js';

/** One of the instruction's accesses, in the order of the log (logPass.ts). */
interface DependentAccess {
  readonly isWrite: boolean;
  /** Of a repeated string instruction: those of an element. */
  readonly bytes: number;
  /** What the address depends on. */
  readonly address: Refs;
  /** Of a store: what each stored byte depends on, the address included. */
  readonly stored: Bytes;
  readonly isRepeated: boolean;
}

export interface InstructionDependences {
  /** Cells that it writes, in order, and what each depends on. */
  readonly cells: readonly Cell[];
  readonly inputs: readonly Refs[];
  readonly accesses: readonly DependentAccess[];
  /** What decides where it goes next: the condition of a jump, the target of an indirect one. */
  readonly decision: Refs;
  /** The string instruction that it repeats, `rep.movs` for example. */
  readonly repeats: string | undefined;
  /** Where the x87 stack begins after it; undefined if it does not say. */
  readonly top: number | undefined;
}

const id = (name: string): number => OPS.findIndex((def) => def.name === name);
const CC_COND = id('cc.cond');
const CC_FLAGS = id('cc.flags');
const IMAGE = id('sys.fpuImage');
/** The byte of an image that says where the x87 stack begins. */
const TOP_AT = 3;
/** Of each cell: the set of it alone. */
const SINGLE: Refs[] = [];
const FLAG_SLOTS: readonly Slot[] = [CC_OP, CC_X, CC_Y, CC_Z];

/** Of a block of one instruction. `top`: where the x87 stack begins before it. */
export function instructionDependences(block: Block, top = 0): InstructionDependences {
  return new Dependences(block, top).result();
}

class Dependences {
  private readonly values: Bytes[] = [];
  private readonly changed = new Map<Cell, Refs>();
  private readonly accesses: DependentAccess[] = [];
  private repeats: string | undefined;

  constructor(
    private readonly block: Block,
    private top: number | undefined,
  ) {}

  result(): InstructionDependences {
    const { nodes, end } = this.block;
    nodes.forEach((node, i) => {
      this.values[i] = this.visit(node, OPS[node.op] as OpDef, i);
    });
    if (end.kind === 'syscall') for (let i = 0; i < 8; i++) this.changed.set(RAX.offset + i, CONSTANT);
    const decision = end.kind === 'branch' ? this.all(end.condition) : end.kind === 'indirect' ? this.all(end.target) : CONSTANT;
    const cells = [...this.changed.keys()].filter((cell) => cell < CELLS).sort((a, b) => a - b);
    return {
      cells, inputs: cells.map((cell) => this.changed.get(cell) as Refs), accesses: this.accesses, decision,
      repeats: this.repeats, top: this.top,
    };
  }

  private visit(node: Node, def: OpDef, i: number): Bytes {
    const { name, effect } = def;
    switch (effect) {
      case 'pure': return this.pure(node, def);
      case 'get': return this.slotBytes(node.imm, TYPE_BYTES[def.result as Type]);
      case 'set': return this.put(node.imm, this.bytes(node.a));
      case 'cc': return this.setFlags(node);
      case 'load': return this.load(node, def, i);
      case 'store': return this.store(node, def, i);
      case 'helper': return this.help(node, def);
      case 'state':
        if (name.startsWith('sse.')) return sseBytes(node, def, (value) => this.bytes(value));
        return name.startsWith('mmx.') ? this.mmx(node, name) : this.x87(node, def);
      default: return [];
    }
  }

  private bytes(value: Value): Bytes {
    return this.values[value] ?? [];
  }

  private all(value: Value): Refs {
    return value === NONE ? CONSTANT : unionOf(this.bytes(value));
  }

  private cell(cell: Cell): Refs {
    return this.changed.get(cell) ?? (cell >= SCRATCH_CELL ? CONSTANT : (SINGLE[cell] ??= [cell]));
  }

  private slotBytes(offset: number, size: number): Bytes {
    return Array.from({ length: size }, (_, i) => unionOf(cellsOfByte(offset + i).map((cell) => this.cell(cell))));
  }

  private put(offset: number, bytes: Bytes): Bytes {
    bytes.forEach((refs, i) => {
      for (const cell of cellsOfByte(offset + i)) this.changed.set(cell, refs);
    });
    return [];
  }

  private constant(value: Value): bigint | undefined {
    const { op, imm, big } = this.block.nodes[value] as Node;
    const { name } = OPS[op] as OpDef;
    return name === 'i32.const' ? BigInt.asUintN(32, BigInt(imm)) : name === 'i64.const' ? BigInt.asUintN(64, big) : undefined;
  }

  private pure(node: Node, def: OpDef): Bytes {
    if (node.op === CC_COND) return this.condition(node, flagsOfCondition(node.imm), def);
    if (node.op === CC_FLAGS) return this.condition(node, ALL_FLAGS, def);
    if (def.name.startsWith('sse.')) return sseBytes(node, def, (value) => this.bytes(value));
    return pureBytes(node, def, {
      bytes: (value) => this.bytes(value),
      constant: (value) => this.constant(value),
      vector: (value) => this.block.nodes[value]?.bytes ?? undefined,
    });
  }

  /** If its operands are the flags as they are, only those that are looked at matter. */
  private condition(node: Node, flags: readonly Cell[], def: OpDef): Bytes {
    const operands = [node.a, node.b, node.c, node.d];
    const arePlain = operands.every((value, k) => {
      const operand = this.block.nodes[value] as Node;
      return (OPS[operand.op] as OpDef).effect === 'get' && operand.imm === FLAG_SLOTS[k]?.offset;
    });
    const refs = arePlain ? unionOf(flags.map((cell) => this.cell(cell))) : unionOf(operands.map((value) => this.all(value)));
    return Array.from({ length: TYPE_BYTES[def.result as Type] }, (_, i) => (node.op === CC_COND && i > 0 ? CONSTANT : refs));
  }

  private setFlags({ a, b, c, d }: Node): Bytes {
    const [kind, kept] = this.kindOf(a);
    const operands = [b, c, d].map((value) => this.flagOperand(value, kept !== undefined));
    const always = kept === undefined ? (this.constant(a) === undefined ? this.all(a) : CONSTANT) : kept;
    const after = FLAG_NAMES.map((_, flag) => {
      const which = flagOperands(kind, flag);
      const own = unionOf(operands.filter((_operand, k) => (which & (1 << k)) !== 0));
      return union(own, kept === undefined ? always : union(always, this.cell(FLAG_CELL + flag)));
    });
    after.forEach((refs, flag) => this.changed.set(FLAG_CELL + flag, refs));
    return [];
  }

  /** The kind of flags; and where they may stay as they were (a shift by 0), what that depends on. */
  private kindOf(value: Value): [kind: number | undefined, kept: Refs | undefined] {
    const own = this.constant(value);
    if (own !== undefined) return [Number(own), undefined];
    const { op, a, b, c } = this.block.nodes[value] as Node;
    const old = b === NONE ? undefined : (this.block.nodes[b] as Node);
    const keeps = OPS[op]?.name === 'i32.select' && old !== undefined && OPS[old.op]?.effect === 'get' && old.imm === CC_OP.offset;
    const chosen = keeps ? this.constant(a) : undefined;
    return chosen === undefined ? [undefined, undefined] : [Number(chosen), this.all(c)];
  }

  /** Where flags may stay as they were, an operand is a choice: of the old ones we know by flag. */
  private flagOperand(value: Value, mayStay: boolean): Refs {
    const node = this.block.nodes[value] as Node;
    return mayStay && OPS[node.op]?.name === 'i64.select' ? this.all(node.a) : this.all(value);
  }

  private load(node: Node, def: OpDef, i: number): Bytes {
    const size = TYPE_BYTES[def.result as Type];
    const address = this.all(node.a);
    const access = accessOf(this.block, i) === undefined ? undefined : this.accesses.push({ isWrite: false, bytes: def.bytes, address, stored: [], isRepeated: false }) - 1;
    if (access === undefined) return Array<Refs>(size).fill(CONSTANT);
    const own = Array.from({ length: def.bytes }, (_, k) => union(address, [loadedByte(access, k)]));
    const filling = def.name.endsWith('_s') ? (own.at(-1) as Refs) : CONSTANT;
    return Array.from({ length: size }, (_, k) => own[k] ?? filling);
  }

  private store(node: Node, def: OpDef, i: number): Bytes {
    if (accessOf(this.block, i) === undefined) return [];
    const address = this.all(node.a);
    const stored = this.bytes(node.b).slice(0, def.bytes).map((refs) => union(refs, address));
    this.accesses.push({ isWrite: true, bytes: def.bytes, address, stored, isRepeated: false });
    return [];
  }

  private help(node: Node, def: OpDef): Bytes {
    if (node.op === IMAGE) return this.image(node);
    if (def.name.startsWith('rep.')) return this.repeat(node, def);
    if (def.name === 'sys.call') this.systemInstruction(node);
    return [];
  }

  private systemInstruction({ imm }: Node): void {
    const inputs = imm === SYS.CPUID ? unionOf([RAX, RCX].flatMap(({ offset }) => this.slotBytes(offset, 4))) : CONSTANT;
    for (const { offset, bytes } of nodeEffects({ op: id('sys.call'), imm } as Node).writes) this.put(offset, Array<Refs>(bytes).fill(inputs));
  }

  /** Saved or restored registers; of the x87 registers those that the stack says, which is restored, too. */
  private image({ a, imm }: Node): Bytes {
    const address = this.all(a);
    const isLoad = restoresImage(imm);
    const access = this.accesses.length;
    const floats = FPU_REG.map((_, k) => ({ slot: FPU_REG[((this.top ?? 0) + k) & 7] as Slot, at: FX_AT.st + k * 16, bytes: FLOAT80_BYTES }));
    const stored = Array<Refs>(FX_WRITTEN).fill(address);
    for (const { slot, at, bytes } of [...FX_VECTORS, ...floats]) {
      for (let i = 0; i < bytes; i++) {
        if (isLoad && bytes === FLOAT80_BYTES) this.changed.set(slot.offset + i, unionOf([address, [loadedByte(access, TOP_AT)], ...FPU_REG.map((_, k) => [loadedByte(access, FX_AT.st + k * 16 + i)])]));
        else if (isLoad) this.changed.set(slot.offset + i, union(address, [loadedByte(access, at + i)]));
        else stored[at + i] = union(address, this.cell(slot.offset + i));
      }
    }
    if (isLoad) this.top = undefined;
    this.accesses.push({ isWrite: !isLoad, bytes: isLoad ? FX_SIZE : FX_WRITTEN, address, stored: isLoad ? [] : stored, isRepeated: false });
    return [];
  }

  /** Its accesses are named by their first byte: it depends on all of what was accessed, byte by byte or as a whole. */
  private repeat({ imm }: Node, def: OpDef): Bytes {
    const name = def.name.slice('rep.'.length);
    const size = imm & REP.SIZE_MASK;
    const pointer = ({ offset }: Slot): Refs => unionOf(this.slotBytes(offset, (imm & REP.ADDRESS_32) !== 0 ? 4 : 8));
    const [source, target, count] = [pointer(RSI), pointer(RDI), pointer(RCX)];
    const usesSource = name === 'movs' || name === 'lods' || name === 'cmps';
    const usesTarget = name !== 'lods';
    const isComparison = name === 'cmps' || name === 'scas';
    const access = (isWrite: boolean, own: Refs, stored: Bytes): number =>
      this.accesses.push({ isWrite, bytes: size, address: union(own, count), stored, isRepeated: true }) - 1;
    const reads: Refs[] = [];
    if (usesSource) reads.push([loadedByte(access(false, source, []), 0)]);
    const accumulator = this.slotBytes(RAX.offset, size);
    if (isComparison) reads.push([loadedByte(access(false, target, []), 0)]);
    const addresses = unionOf([count, usesSource ? source : CONSTANT, usesTarget ? target : CONSTANT]);
    if (name === 'movs') access(true, target, Array<Refs>(size).fill(union(addresses, reads[0] as Refs)));
    if (name === 'stos') access(true, target, accumulator.map((refs) => union(refs, addresses)));
    const seen = unionOf([addresses, ...reads, ...(name === 'scas' ? accumulator : [])]);
    const moved = isComparison ? seen : addresses;
    if (usesSource) this.put(RSI.offset, Array<Refs>(8).fill(union(source, isComparison ? moved : count)));
    if (usesTarget) this.put(RDI.offset, Array<Refs>(8).fill(union(target, isComparison ? moved : count)));
    this.put(RCX.offset, Array<Refs>(8).fill(isComparison ? moved : CONSTANT));
    // It may be repeated not even once.
    if (name === 'lods') this.put(RAX.offset, this.slotBytes(RAX.offset, 8).map((refs, i) => (i < size ? union(seen, refs) : size < 4 ? refs : union(count, refs))));
    if (isComparison) for (let i = 0; i < 16; i++) this.changed.set(SCRATCH_CELL + i, seen);
    this.repeats = def.name;
    return isComparison ? Array<Refs>(4).fill(seen) : [];
  }

  private mmx({ a, imm }: Node, name: string): Bytes {
    const { offset } = FPU_REG[imm & 7] as Slot;
    this.top = 0;
    if (name === 'mmx.get') return this.slotBytes(offset, 8);
    // Above the mantissa it leaves ones.
    if (name === 'mmx.set') this.put(offset, [...this.bytes(a), CONSTANT, CONSTANT]);
    return [];
  }

  private x87(node: Node, { name, result }: OpDef): Bytes {
    const own = name.slice('x87.'.length);
    const operands = own === 'last' || own === 'lastMemory' || own === 'commit' ? CONSTANT : unionOf([node.a, node.b, node.c].map((value) => this.all(value)));
    const cells = { get: (cell: Cell) => this.cell(cell), set: (cell: Cell, refs: Refs) => void this.changed.set(cell, refs) };
    // Where memory stays as it is: the operand is an address.
    const made = x87Cells(own, node, own === 'convert' ? CONSTANT : operands, this.top, cells);
    const moves = x87Movement(own, node);
    if (moves === undefined) this.top = undefined;
    else if ('absolute' in moves) this.top = moves.absolute;
    else if (this.top !== undefined) this.top = (this.top + moves.by) & 7;
    return result === null ? [] : Array<Refs>(TYPE_BYTES[result]).fill(made);
  }
}
