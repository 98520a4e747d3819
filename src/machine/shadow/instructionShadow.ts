/**
 * What an instruction that is about to be executed does with undefined values: which it leaves where, and whether it
 * uses one to decide something. Taken from the IR that the engine runs, with the machine's registers and memory as
 * they are before it.
 */
import { ccOperands } from '../../ir/flags.js';
import { type Block, NONE, type Node, type Value } from '../../ir/ir.js';
import { Evaluation, type MachineBefore } from '../../ir/meaning/evaluation.js';
import { effectsIn, stackTops } from '../../ir/meaning/instructionEffects.js';
import { FLAG_SLOTS, nodeEffects } from '../../ir/meaning/nodeEffects.js';
import { operandsOf, TYPE_BITS } from '../../ir/meaning/pureOperation.js';
import type { SlotRange } from '../../ir/meaning/stateBytes.js';
import { type MemoryRange, stringWalk, walkedRange } from '../../ir/meaning/strings.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../ir/ops.js';
import { REP } from '../../ir/repFlags.js';
import { restoresImage } from '../../ir/sysCalls.js';
import { FPU_REG, FPU_STATUS, RAX, RCX, RDI, RSI, type Slot } from '../../layout/cpuState.js';
import { FX_AT, FX_VECTORS, fxFloats } from '../../layout/fxImage.js';
import { FLAG_RULES } from './rules/flagShadows.js';
import { scalarRules, SELECT } from './rules/scalarShadows.js';
import { ONES, ones, type Operands, type ShadowRule } from './rules/shadowRule.js';
import { vectorRule } from './rules/vectorShadows.js';
import { X87Shadow } from './rules/x87Shadows.js';

/** Registers and memory, each with what is undefined of it. */
export interface ShadowedMachine extends MachineBefore {
  slotBits(offset: number): bigint;
  memory(address: number, bytes: number): bigint;
  memoryBits(address: number, bytes: number): bigint;
  /** The first of these bytes that has shadow; the first one of all if none has. */
  firstShadowed(address: number, bytes: number): number;
}

export type UseOfUndefined = { readonly use: 'branch' | 'address'; readonly value: bigint; readonly bits: bigint };

interface StoredBits {
  readonly address: number;
  readonly bytes: number;
  readonly bits: bigint;
  /** The slot that it is a copy of, if the instruction copies several. */
  readonly slot?: number;
}

/** A slot that has got the bytes at an address. */
interface LoadedSlot {
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

const SCALARS: Readonly<Record<string, ShadowRule>> = { ...scalarRules('i32'), ...scalarRules('i64'), ...FLAG_RULES, 'i32.select': SELECT, 'i64.select': SELECT, 'v128.select': SELECT };

const IS_X87: readonly boolean[] = OPS.map(({ name }) => name.startsWith('x87.'));

/** An operation without a rule makes undefined bits out of any undefined bit; what MMX computes counts as defined. */
const RULES: readonly ShadowRule[] = OPS.map((def) => {
  const rule = SCALARS[def.name] ?? vectorRule(def);
  const all = ONES[def.result ?? 'i32'];
  if (rule !== undefined) return (o, node) => rule(o, node) & all;
  if (def.name.startsWith('mmx.') || def.effect === 'helper') return () => 0n;
  return (o, node) => (operandsOf(node).some((operand) => o.bits(operand) !== 0n) ? all : 0n);
});

/** What a string instruction goes by; rax is what it stores, or compares with. */
const STRING_REGISTERS: readonly Slot[] = [RCX, RSI, RDI];
const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const IMAGE = id('sys.fpuImage');
const LODS = id('rep.lods');
const MMX_SET = id('mmx.set');
const SET_ENVIRONMENT = id('x87.setEnv');
const IS_STRING: readonly boolean[] = OPS.map(({ name }) => name.startsWith('rep.'));
const IS_SIGNED_LOAD: readonly boolean[] = OPS.map(({ name, effect }) => effect === 'load' && name.endsWith('_s'));

export class InstructionShadow implements Operands {
  private readonly known: (bigint | undefined)[] = [];
  private readonly evaluation: Evaluation;
  private x87Made: X87Shadow | undefined;
  private topsMade: readonly (number | undefined)[] | undefined;
  private readonly isImage: boolean;

  constructor(
    readonly block: Block,
    private readonly machine: ShadowedMachine,
  ) {
    this.evaluation = new Evaluation(block, machine);
    this.isImage = block.nodes.some(({ op }) => op === IMAGE);
  }

  bits(value: Value): bigint {
    if (value === NONE) return 0n;
    const known = this.known[value];
    if (known !== undefined) return known;
    const bits = this.computeBits(this.node(value));
    this.known[value] = bits;
    return bits;
  }

  value(value: Value): bigint | undefined {
    return this.evaluation.value(value);
  }

  /** The first use of an undefined value that decides something. */
  use(): UseOfUndefined | undefined {
    const { nodes, end } = this.block;
    for (const node of nodes) {
      const def = OPS[node.op] as OpDef;
      if ((def.effect === 'load' || def.effect === 'store') && this.bits(node.a) !== 0n) return this.used('address', node.a);
      if (IS_STRING[node.op] === true) {
        const { reads } = nodeEffects(node);
        const slot = STRING_REGISTERS.find(({ offset }) => reads.some((range) => range.offset === offset) && this.machine.slotBits(offset) !== 0n);
        if (slot !== undefined) return { use: 'address', value: this.machine.slot(slot.offset, 'i64'), bits: this.machine.slotBits(slot.offset) };
      }
    }
    if (end.kind === 'branch' && this.bits(end.condition) !== 0n) return this.used('branch', end.condition);
    return end.kind === 'indirect' && this.bits(end.target) !== 0n ? this.used('branch', end.target) : undefined;
  }

  private used(use: 'branch' | 'address', value: Value): UseOfUndefined {
    return { use, value: this.value(value) ?? 0n, bits: this.bits(value) };
  }

  /** What is undefined afterwards of the slots that it writes. */
  slots(): Map<number, bigint> {
    const slots = new Map<number, bigint>();
    this.block.nodes.forEach((node, i) => {
      const def = OPS[node.op] as OpDef;
      if (def.effect === 'set') slots.set(node.imm, this.bits(node.a));
      else if (def.effect === 'cc') this.setFlags(node, slots);
      else if (IS_X87[node.op] === true) for (const [offset, bits] of this.x87.effects(def.name, node, this.topAt(i))) slots.set(offset, bits);
      else if (node.op === MMX_SET) slots.set((FPU_REG[node.imm & 7] as Slot).offset, 0n);
      else if (node.op === IMAGE) for (const { offset, address, bytes } of this.restored(node)) slots.set(offset, this.restoredBits(offset, address, bytes));
      else if (def.effect === 'helper') this.help(node, slots);
    });
    return slots;
  }

  /** What a helper leaves is defined, but for what lods loads. */
  private help(node: Node, slots: Map<number, bigint>): void {
    for (const { offset } of nodeEffects(node).writes) slots.set(offset, 0n);
    if (node.op === LODS) slots.set(RAX.offset, this.loadedLast(node));
  }

  private loadedLast(node: Node): bigint {
    const walk = stringWalk(OPS[node.op] as OpDef, node.imm, this.machine);
    const [all] = walkedRange(walk, walk.source);
    const before = this.machine.slotBits(RAX.offset);
    if (all === undefined) return before;
    const last = walk.isBackward ? all.address : all.address + all.bytes - walk.size;
    const kept = walk.size < 4 ? before & ~ones(walk.size * 8) : 0n;
    return kept | this.machine.memoryBits(last, node.imm & REP.SIZE_MASK);
  }

  /** Where the x87 stack begins at a node. */
  private topAt(index: number): number {
    this.topsMade ??= this.block.nodes.some(({ op }) => op === SET_ENVIRONMENT) ? stackTops(this.evaluation) : [];
    return this.topsMade[index] ?? this.evaluation.top;
  }

  /** Registers that fxrstor takes from memory. */
  restoredSlots(): LoadedSlot[] {
    return this.block.nodes.flatMap((node) => (node.op === IMAGE ? this.restored(node) : []));
  }

  private restored(node: Node): LoadedSlot[] {
    const image = this.image(node);
    if (image === undefined || !restoresImage(node.imm)) return [];
    const status = Number(this.machine.memory(image + FX_AT.status, 2));
    const registers = [...fxFloats(status), ...FX_VECTORS].map(({ slot, at, bytes }) => ({ offset: slot.offset, address: image + at, bytes }));
    return [{ offset: FPU_STATUS.offset, address: image + FX_AT.status, bytes: 2 }, ...registers];
  }

  /** Of an x87 register all or nothing. */
  private restoredBits(offset: number, address: number, bytes: number): bigint {
    const bits = this.machine.memoryBits(address, bytes);
    return bits !== 0n && FPU_REG.some((slot) => slot.offset === offset) ? ones(80) : bits;
  }

  /** Registers that fxsave puts into memory. */
  private saved(node: Node): StoredBits[] {
    const image = this.image(node);
    if (image === undefined || restoresImage(node.imm)) return [];
    const status = Number(this.machine.slot(FPU_STATUS.offset, 'i32'));
    const registers = [...fxFloats(status), ...FX_VECTORS, { slot: FPU_STATUS, at: FX_AT.status, bytes: 2 }];
    return registers.map(({ slot, at, bytes }) => ({ address: image + at, bytes, bits: this.machine.slotBits(slot.offset), slot: slot.offset }));
  }

  private image({ a }: Node): number | undefined {
    const address = this.value(a);
    return address === undefined ? undefined : Number(address);
  }

  /** What it may write, wherever its addresses come from. */
  targets(): { readonly slots: readonly SlotRange[]; readonly memory: readonly MemoryRange[] } {
    const slots = this.block.nodes.flatMap((node, i) => nodeEffects(node, this.topAt(i)).writes);
    return { slots, memory: effectsIn(this.evaluation).memoryWrites ?? [] };
  }

  stores(): StoredBits[] {
    return this.block.nodes.flatMap((node) => {
      const { effect, bytes } = OPS[node.op] as OpDef;
      if (node.op === IMAGE) return this.saved(node);
      return effect === 'store' && bytes > 0 ? [{ address: this.address(node), bytes, bits: this.bits(node.b) }] : [];
    });
  }

  /** Addresses of loads that meet undefined bytes. */
  undefinedLoads(): { readonly address: number; readonly bytes: number }[] {
    return this.block.nodes.flatMap((node) => {
      const def = OPS[node.op] as OpDef;
      if (node.op === IMAGE) return this.restored(node).filter(({ address, bytes }) => this.machine.memoryBits(address, bytes) !== 0n);
      // What fxrstor only looks at to see whether it can be read.
      if (def.effect !== 'load' || this.isImage) return [];
      const address = this.address(node);
      return this.machine.memoryBits(address, def.bytes) === 0n ? [] : [{ address, bytes: def.bytes }];
    });
  }

  /** Slots that it reads and that are undefined. */
  undefinedSlots(): number[] {
    return this.block.nodes.flatMap((node) => {
      const { effect, name } = OPS[node.op] as OpDef;
      if (node.op === IMAGE) return this.saved(node).flatMap(({ slot, bits }) => (slot === undefined || bits === 0n ? [] : [slot]));
      if (IS_X87[node.op] === true) return this.x87.read(name, node, this.evaluation.top);
      return effect === 'get' && this.machine.slotBits(node.imm) !== 0n ? [node.imm] : [];
    });
  }

  private setFlags({ a, b, c, d }: Node, slots: Map<number, bigint>): void {
    const op = this.value(a);
    const count = op === undefined ? FLAG_SLOTS.length : ccOperands(Number(op));
    [a, b, c, d].forEach((value, i) => slots.set((FLAG_SLOTS[i] as Slot).offset, i < count ? this.bits(value) : 0n));
  }

  private get x87(): X87Shadow {
    return (this.x87Made ??= new X87Shadow(this.machine, this));
  }

  private node(value: Value): Node {
    return this.block.nodes[value] as Node;
  }

  private address(node: Node): number {
    return this.evaluation.address(node) ?? Number(BigInt.asUintN(64, BigInt(node.imm)));
  }

  private computeBits(node: Node): bigint {
    const def = OPS[node.op] as OpDef;
    if (def.effect === 'get') return this.machine.slotBits(node.imm) & ONES[def.result as Type];
    if (def.effect === 'load') return this.loadedBits(node, def);
    if (IS_X87[node.op] === true) return this.x87.result(def.name, node, this.evaluation.top);
    return (RULES[node.op] as ShadowRule)(this, node);
  }

  private loadedBits(node: Node, { bytes, result }: OpDef): bigint {
    const bits = this.machine.memoryBits(this.address(node), bytes);
    return IS_SIGNED_LOAD[node.op] === true ? BigInt.asUintN(TYPE_BITS[result as Type], BigInt.asIntN(bytes * 8, bits)) : bits;
  }
}
