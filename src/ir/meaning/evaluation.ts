/**
 * The numbers of one instruction: what each node of its block computes, given registers and memory as they are before
 * it. Lazy: nothing is computed that is not asked for, and nothing twice. What operations of floating point and of the
 * x87 yield is not known; neither is what depends on it.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { FPU_REG, FPU_STATUS, type Slot } from '../../layout/cpuState.js';
import { type Block, NONE, type Node, type Value } from '../ir.js';
import type { OpDef, Type } from '../opDef.js';
import { OP_BY_NAME, OPS } from '../ops.js';
import { repeatedCount } from './strings.js';
import { FLAG_SLOTS, nodeEffects } from './nodeEffects.js';
import { operandsOf, PURE_OPERATIONS, TYPE_BITS, TYPE_BYTES } from './pureOperation.js';
import { meetsRange } from './stateBytes.js';

/** The machine right before the instruction. Values are unsigned. */
export interface MachineBefore {
  slot(offset: number, type: Type): bigint;
  /**
   * The bytes at an address as one number, the first one lowest; undefined if they are not there, or not known any
   * more.
   */
  memory(address: GuestAddr, bytes: number): bigint | undefined;
}

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const MMX_GET = id('mmx.get');
const REPEATED_COMPARISONS: ReadonlySet<number> = new Set([id('rep.cmps'), id('rep.scas')]);
const IS_SELECT: readonly boolean[] = OPS.map(({ name }) => name.endsWith('.select'));
const IS_SIGNED_LOAD: readonly boolean[] = OPS.map(({ name, effect }) => effect === 'load' && name.endsWith('_s'));
const TOP_SHIFT = 11n;

export class Evaluation {
  /** By node; null for those whose value is not known. */
  private readonly values: (bigint | null | undefined)[] = [];

  constructor(
    readonly block: Block,
    readonly before: MachineBefore,
  ) {}

  /** Undefined if it is not known. */
  value(value: Value): bigint | undefined {
    if (value === NONE) return undefined;
    const known = this.values[value];
    if (known !== undefined) return known ?? undefined;
    const computed = this.compute(value);
    this.values[value] = computed ?? null;
    return computed;
  }

  /** Where an access goes. */
  address({ a, imm }: Node): GuestAddr | undefined {
    const base = this.value(a);
    return base === undefined ? undefined : guestAddr(Number(BigInt.asUintN(64, base + BigInt(imm))));
  }

  /** Where the x87 stack begins before the instruction. */
  get top(): number {
    return Number((this.before.slot(FPU_STATUS.offset, 'i32') >> TOP_SHIFT) & 7n);
  }

  private compute(value: Value): bigint | undefined {
    const node = this.block.nodes[value] as Node;
    const { effect, result } = OPS[node.op] as OpDef;
    switch (effect) {
      case 'pure': return this.pure(node);
      case 'get': return this.slotAt(value, node.imm, result as Type);
      case 'load': return this.loaded(node);
      case 'state': return node.op === MMX_GET ? this.slotAt(value, (FPU_REG[node.imm & 7] as Slot).offset, 'i64') : undefined;
      case 'helper': return REPEATED_COMPARISONS.has(node.op) ? (repeatedCount(node.imm, this.before) === 0n ? 0n : 1n) : undefined;
      default: return undefined;
    }
  }

  private pure(node: Node): bigint | undefined {
    const operation = PURE_OPERATIONS[node.op];
    if (operation === undefined) return undefined;
    if (IS_SELECT[node.op] === true) {
      const condition = this.value(node.c);
      return condition === undefined ? undefined : this.value(condition === 0n ? node.b : node.a);
    }
    const operands: bigint[] = [];
    for (const operand of operandsOf(node)) {
      const known = this.value(operand);
      if (known === undefined) return undefined;
      operands.push(known);
    }
    return operation(operands, node);
  }

  private loaded(node: Node): bigint | undefined {
    const { bytes, result } = OPS[node.op] as OpDef;
    const address = this.address(node);
    const loaded = address === undefined ? undefined : this.before.memory(address, bytes);
    if (loaded === undefined || IS_SIGNED_LOAD[node.op] !== true) return loaded;
    return BigInt.asUintN(TYPE_BITS[result as Type], BigInt.asIntN(bytes * 8, loaded));
  }

  /** What a slot holds at a node: earlier nodes of the instruction may have changed it. */
  private slotAt(at: number, offset: number, type: Type): bigint | undefined {
    for (let i = at - 1; i >= 0; i--) {
      const node = this.block.nodes[i] as Node;
      const { effect } = OPS[node.op] as OpDef;
      if (effect === 'set' && node.imm === offset) return this.value(node.a);
      if (effect === 'cc') {
        const index = FLAG_SLOTS.findIndex((slot) => slot.offset === offset);
        if (index >= 0) return this.value(operandsOf(node)[index] as Value);
      }
      if ((effect === 'helper' || effect === 'state') && meetsRange(nodeEffects(node).writes, offset, TYPE_BYTES[type])) return undefined;
    }
    return this.before.slot(offset, type);
  }
}
