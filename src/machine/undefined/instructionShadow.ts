/**
 * What an instruction that is about to be executed does with undefined values: which it leaves where, and whether it uses one to decide something. Taken
 * from the IR that the engine runs, with the machine's registers and memory as they are before it.
 */
import { type Block, NONE, type Node, type Value } from '../../ir/ir.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z, FPU_REG, FPU_STATUS, RAX, RCX, RDI, RSI, SCRATCH_X, type Slot } from '../../layout/cpuState.js';
import { ccOperands, flagsFromState } from '../../ir/flags.js';
import { restoresImage, SYS } from '../../ir/sysCalls.js';
import { FX_AT, FX_VECTORS, fxFloats } from '../../layout/fxImage.js';
import { FLAG_RULES } from './flagShadows.js';
import { scalarNumber } from './numbers.js';
import { scalarRules, SELECT } from './scalarShadows.js';
import { ONES, ones, type Operands, type ShadowRule, WIDTH } from './shadowRule.js';
import { vectorRule } from './vectorShadows.js';
import { X87Shadow } from './x87Shadows.js';

/** Registers and memory, each with what is undefined of it. */
export interface ShadowedMachine {
  slot(offset: number, type: Type): bigint;
  slotBits(offset: number): bigint;
  memory(address: number, bytes: number): bigint;
  memoryBits(address: number, bytes: number): bigint;
}

type UseOfUndefined = { readonly use: 'branch' | 'address'; readonly value: bigint; readonly bits: bigint };

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

/** Whoever has no rule makes undefined bits out of any undefined bit; what MMX computes counts as defined. */
const RULES: readonly ShadowRule[] = OPS.map((def) => {
  const rule = SCALARS[def.name] ?? vectorRule(def);
  const all = ONES[def.result ?? 'i32'];
  if (rule !== undefined) return (o, node) => rule(o, node) & all;
  if (def.name.startsWith('mmx.') || def.effect === 'helper') return () => 0n;
  return (o, { a, b, c, d }) => ([a, b, c, d].some((v) => v !== NONE && o.bits(v) !== 0n) ? all : 0n);
});

const FLAG_SLOTS = [CC_OP, CC_X, CC_Y, CC_Z];
const STRING_REGISTERS = [RCX, RSI, RDI];
const TWO_64 = 64;
const IMAGE = (OP_BY_NAME.get('sys.fpuImage') as OpDef).id;

export class InstructionShadow implements Operands {
  private readonly known: (bigint | undefined)[] = [];
  private readonly numbers: (bigint | null | undefined)[] = [];
  private x87Made: X87Shadow | undefined;
  private readonly isImage: boolean;

  constructor(
    readonly block: Block,
    private readonly machine: ShadowedMachine,
  ) {
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
    if (value === NONE) return undefined;
    const known = this.numbers[value];
    if (known !== undefined) return known ?? undefined;
    const number = this.compute(this.node(value));
    this.numbers[value] = number ?? null;
    return number;
  }

  /** The first use of an undefined value that decides something. */
  use(): UseOfUndefined | undefined {
    const { nodes, end } = this.block;
    for (const node of nodes) {
      const def = OPS[node.op] as OpDef;
      if ((def.effect === 'load' || def.effect === 'store') && this.bits(node.a) !== 0n) return this.used('address', node.a);
      if (def.name.startsWith('rep.')) {
        const slot = STRING_REGISTERS.find(({ offset }) => this.machine.slotBits(offset) !== 0n);
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
    for (const node of this.block.nodes) {
      const def = OPS[node.op] as OpDef;
      if (def.effect === 'set') slots.set(node.imm, this.bits(node.a));
      else if (def.effect === 'cc') this.setFlags(node, slots);
      else if (IS_X87[node.op] === true) for (const [offset, bits] of this.x87.effects(def.name, node)) slots.set(offset, bits);
      else if (node.op === IMAGE) for (const { offset, address, bytes } of this.restored(node)) slots.set(offset, this.restoredBits(offset, address, bytes));
      else if (def.effect === 'helper') for (const { offset } of changedBy(def, node)) slots.set(offset, 0n);
    }
    return slots;
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
      if (IS_X87[node.op] === true) return this.x87.read(name, node);
      return effect === 'get' && this.machine.slotBits(node.imm) !== 0n ? [node.imm] : [];
    });
  }

  private setFlags({ a, b, c, d }: Node, slots: Map<number, bigint>): void {
    const op = this.value(a);
    const count = op === undefined ? FLAG_SLOTS.length : ccOperands(Number(op));
    [a, b, c, d].forEach((value, i) => slots.set((FLAG_SLOTS[i] as { offset: number }).offset, i < count ? this.bits(value) : 0n));
  }

  private get x87(): X87Shadow {
    return (this.x87Made ??= new X87Shadow(this.machine, this));
  }

  private node(value: Value): Node {
    return this.block.nodes[value] as Node;
  }

  private address({ a, imm }: Node): number {
    return Number(BigInt.asUintN(TWO_64, (this.value(a) ?? 0n) + BigInt(imm)));
  }

  private computeBits(node: Node): bigint {
    const def = OPS[node.op] as OpDef;
    if (def.effect === 'get') return this.machine.slotBits(node.imm) & ONES[def.result as Type];
    if (def.effect === 'load') return this.loadedBits(node, def);
    if (IS_X87[node.op] === true) return this.x87.result(def.name, node);
    return (RULES[node.op] as ShadowRule)(this, node);
  }

  private loadedBits(node: Node, { name, bytes, result }: OpDef): bigint {
    const bits = this.machine.memoryBits(this.address(node), bytes);
    return name.endsWith('_s') ? BigInt.asUintN(WIDTH[result as Type], BigInt.asIntN(bytes * 8, bits)) : bits;
  }

  private compute(node: Node): bigint | undefined {
    const def = OPS[node.op] as OpDef;
    const { result, name } = def;
    if (result === null) return undefined;
    if (def.effect === 'get') return this.machine.slot(node.imm, result);
    if (def.effect === 'load') {
      const loaded = this.machine.memory(this.address(node), def.bytes);
      return name.endsWith('_s') ? BigInt.asUintN(WIDTH[result], BigInt.asIntN(def.bytes * 8, loaded)) : loaded;
    }
    switch (name) {
      case 'i32.const': return BigInt.asUintN(32, BigInt(node.imm));
      case 'i64.const': return BigInt.asUintN(64, node.big);
      case 'v128.const': return (node.bytes as Uint8Array).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
      case 'cc.cond': return this.condition(node);
      case 'cc.flags': return this.flags(node);
      default: break;
    }
    if (def.effect !== 'pure') return undefined;
    if (name.endsWith('.select')) {
      const condition = this.value(node.c);
      return condition === undefined ? undefined : this.value(condition === 0n ? node.b : node.a);
    }
    const [a, b] = [this.value(node.a), this.value(node.b)];
    return a === undefined || (def.params.length > 1 && b === undefined) ? undefined : scalarNumber(name, a, b ?? 0n);
  }

  private flags({ a, b, c, d }: Node): bigint | undefined {
    const [op, x, y, z] = [this.value(a), this.value(b), this.value(c), this.value(d)];
    return op === undefined || x === undefined || y === undefined || z === undefined ? undefined : BigInt(flagsFromState(Number(op), x, y, z));
  }

  private condition(node: Node): bigint | undefined {
    const flags = this.flags(node);
    return flags === undefined ? undefined : holds(node.imm, Number(flags)) ? 1n : 0n;
  }
}

/** Slots that a helper writes. */
function changedBy({ name, touches }: OpDef, { imm }: Node): readonly Slot[] {
  if (name.startsWith('init.') || name === 'sys.look') return [];
  if (name === 'sys.frameHook') return [SCRATCH_X];
  if (name === 'sys.hook') return imm === SYS.HOOK_LOOK ? [] : imm === SYS.HOOK_CALL ? [RAX] : [RAX, RCX];
  if (!name.startsWith('rep.')) return touches;
  return name === 'rep.lods' ? [...STRING_REGISTERS, RAX] : STRING_REGISTERS;
}

/** A condition in the encoding of Jcc. */
function holds(code: number, flags: number): boolean {
  const [cf, pf, zf, sf, of] = [1, 4, 0x40, 0x80, 0x800].map((flag) => (flags & flag) !== 0);
  const isLess = sf !== of;
  const plain = [of, cf, zf, cf === true || zf === true, sf, pf, isLess, isLess || zf === true][code >> 1];
  return (code & 1) === 0 ? plain === true : plain !== true;
}
