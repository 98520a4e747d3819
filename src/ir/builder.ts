/**
 * Builds a block, and on the way does what is cheapest to do there: folds constants, forwards
 * registers (a `get` after a `set` or `get` of the same slot yields the value itself), shares
 * constants and equal computations, moves constants from addresses into displacements, and turns
 * conditions on known flags into comparisons. Lifters therefore write the plain meaning of an
 * instruction and need not be clever.
 */
import { assert } from '../base/assert.js';
import type { GuestAddr } from '../base/types.js';
import { CC_OP, CC_X, CC_Y, CC_Z, SLOTS_END, type Slot } from '../layout/cpuState.js';
import { type Block, type End, NONE, Node, type Value } from './ir.js';
import { lowerCondition, lowerFlags } from './flagsLowering.js';
import { fold } from './fold.js';
import type { OpDef } from './opDef.js';
import { OPS, OP_BY_NAME } from './ops.js';

const GET = { i32: id('get.i32'), i64: id('get.i64'), v128: id('get.v128') } as const;
const SET = { i32: id('set.i32'), i64: id('set.i64'), v128: id('set.v128') } as const;
const I32_CONST = id('i32.const');
const I64_CONST = id('i64.const');
const V128_CONST = id('v128.const');
const CC_SET = id('cc.set');
const CC_COND = id('cc.cond');
const CC_FLAGS = id('cc.flags');
const I64_ADD = id('i64.add');
const WRAP = id('i32.wrap_i64');
const EXTEND_U = id('i64.extend_i32_u');
const EXTEND_S = id('i64.extend_i32_s');
const INSN = id('insn');

/** More than any block has. */
const MAX_NODES = 1 << 20;
/** Entries of the table of recent pure nodes, and how a 32-bit hash becomes an index. */
const RECENT = 512;
const HASH_SHIFT = 23;
/** 64-bit constants of small size are made once. */
const SMALL = 256;
const SMALL_BIGINTS: readonly bigint[] = Array.from({ length: 4 * SMALL }, (_, i) => BigInt(i - SMALL));
/** Displacements stay well within 32 bits. */
const MAX_DISPLACEMENT = 0x4000_0000;

function id(name: string): number {
  const def = OP_BY_NAME.get(name);
  assert(def !== undefined, `no such operation: ${name}`);
  return def.id;
}

/**
 * What a builder remembers while it builds a block. The tables hold node indices plus a number that
 * grows from block to block, so that they can be handed on without being cleared.
 */
export class BuilderMemo {
  /** Stands for node 0 of the next block. */
  next = 1;
  /** By slot offset / 4: the value it holds now. */
  readonly known = new Float64Array(SLOTS_END / 4);
  /** Pure nodes by a hash of operation, arguments and immediate: the last one with that hash. */
  readonly recent = new Float64Array(RECENT);
}

export class IrBuilder {
  readonly nodes: Node[] = [];
  private instructions = 0;
  /** Entries of the memo below this are of earlier blocks. */
  private first = 0;

  /** `isApart`: every instruction is built as if it were alone, without what is known from those before it. */
  constructor(
    readonly start: GuestAddr,
    private readonly memo: BuilderMemo = new BuilderMemo(),
    private readonly isApart = false,
  ) {
    this.forgetAll();
  }

  private forgetAll(): void {
    this.first = this.memo.next;
    this.memo.next += MAX_NODES;
  }

  /** Marks the start of the instruction at `address`. */
  insn(address: GuestAddr): void {
    if (this.isApart) this.forgetAll();
    this.instructions++;
    this.push(new Node(INSN, NONE, NONE, NONE, NONE, address));
  }

  i32(value: number): Value {
    const imm = value | 0;
    const hash = (Math.imul(imm, 0x9e3779b1) + 1) >>> HASH_SHIFT;
    const known = this.recall(hash);
    if (known !== NONE) {
      const n = this.nodes[known] as Node;
      if (n.op === I32_CONST && n.imm === imm) return known;
    }
    return this.remember(hash, new Node(I32_CONST, NONE, NONE, NONE, NONE, imm));
  }

  /** A signed or unsigned 64-bit number. */
  i64(value: bigint | number): Value {
    const big = typeof value === 'number' ? (SMALL_BIGINTS[value + SMALL] ?? BigInt(value)) : BigInt.asIntN(64, value);
    const low = typeof value === 'number' ? value | 0 : Number(BigInt.asIntN(32, big));
    const hash = (Math.imul(low, 0x85ebca6b) + 2) >>> HASH_SHIFT;
    const known = this.recall(hash);
    if (known !== NONE) {
      const n = this.nodes[known] as Node;
      if (n.op === I64_CONST && n.big === big) return known;
    }
    return this.remember(hash, new Node(I64_CONST, NONE, NONE, NONE, NONE, 0, big));
  }

  v128(bytes: ArrayLike<number>): Value {
    assert(bytes.length === 16, 'a v128 has 16 bytes');
    return this.push(new Node(V128_CONST, NONE, NONE, NONE, NONE, 0, 0n, Uint8Array.from(bytes)));
  }

  /** Any operation of the table, by name. `imm` is for operations that have one. */
  op(name: string, a: Value = NONE, b: Value = NONE, c: Value = NONE, d: Value = NONE, imm = 0): Value {
    const def = OP_BY_NAME.get(name);
    assert(def !== undefined, `no such operation: ${name}`);
    switch (def.effect) {
      case 'pure':
        return this.pure(def, a, b, c, d, imm);
      case 'load':
      case 'store':
        return this.access(def, a, b, c, imm);
      case 'helper':
      case 'state':
        this.forget(def);
        break;
      default:
        break;
    }
    return this.push(new Node(def.id, a, b, c, d, imm));
  }

  /** i32.wrap_i64. */
  wrap(v: Value): Value {
    const n = this.nodes[v] as Node;
    if (n.op === EXTEND_U || n.op === EXTEND_S) return n.a;
    if (n.op === I64_CONST) return this.i32(Number(BigInt.asIntN(32, n.big)));
    return this.unary(WRAP, v);
  }

  /** i64.extend_i32_u. */
  extend(v: Value): Value {
    const n = this.nodes[v] as Node;
    if (n.op === I32_CONST) return this.i64(n.imm >>> 0);
    return this.unary(EXTEND_U, v);
  }

  /** An operation with an immediate and up to three arguments. */
  opImm(name: string, imm: number, a: Value = NONE, b: Value = NONE, c: Value = NONE): Value {
    return this.op(name, a, b, c, NONE, imm);
  }

  get(slot: Slot): Value {
    const known = (this.memo.known[slot.offset >> 2] as number) - this.first;
    if (known >= 0) return known as Value;
    const v = this.push(new Node(GET[slot.type], NONE, NONE, NONE, NONE, slot.offset));
    this.learn(slot, v);
    return v;
  }

  set(slot: Slot, value: Value): void {
    this.push(new Node(SET[slot.type], value, NONE, NONE, NONE, slot.offset));
    this.learn(slot, value);
  }

  /** Declares the flags lazily: see flags.ts for kinds and operands. */
  setFlags(kind: Value, x: Value, y: Value = NONE, z: Value = NONE): void {
    // What a kind does not use may be anything.
    const yy = y === NONE ? x : y;
    const zz = z === NONE ? x : z;
    this.push(new Node(CC_SET, kind, x, yy, zz, 0));
    this.learn(CC_OP, kind);
    this.learn(CC_X, x);
    this.learn(CC_Y, yy);
    this.learn(CC_Z, zz);
  }

  /** Condition code 0..15 (as in Jcc) of the current flags: 0 or 1. */
  condition(code: number): Value {
    return this.op('cc.cond', this.get(CC_OP), this.get(CC_X), this.get(CC_Y), this.get(CC_Z), code);
  }

  /** The arithmetic EFLAGS bits, as an i32. */
  flags(): Value {
    return this.op('cc.flags', this.get(CC_OP), this.get(CC_X), this.get(CC_Y), this.get(CC_Z));
  }

  node(v: Value): Node {
    return this.nodes[v] as Node;
  }

  def(v: Value): OpDef {
    return OPS[this.node(v).op] as OpDef;
  }

  /** The value as an i32 constant, or null. */
  asI32(v: Value): number | null {
    const n = this.nodes[v];
    return n !== undefined && n.op === I32_CONST ? n.imm : null;
  }

  /** The value as a (signed) i64 constant, or null. */
  asI64(v: Value): bigint | null {
    const n = this.nodes[v];
    return n !== undefined && n.op === I64_CONST ? n.big : null;
  }

  finish(end: End, next: GuestAddr): Block {
    return { start: this.start, next, instructions: this.instructions, nodes: this.nodes, end };
  }

  private pure(def: OpDef, a: Value, b: Value, c: Value, d: Value, imm: number): Value {
    const lowered = def.id === CC_COND ? lowerCondition(this, imm, a, b, c, d)
      : def.id === CC_FLAGS ? lowerFlags(this, a, b, c, d) : fold(this, def, a, b, c);
    if (lowered !== NONE) return lowered;
    const hash = (Math.imul(def.id, 0x9e3779b1) + Math.imul(a, 0x85ebca6b) + Math.imul(b, 0xc2b2ae35) + c) >>> HASH_SHIFT;
    const candidate = this.recall(hash);
    if (candidate !== NONE) {
      const n = this.nodes[candidate] as Node;
      if (n.op === def.id && n.a === a && n.b === b && n.c === c && n.d === d && n.imm === imm) return candidate;
    }
    return this.remember(hash, new Node(def.id, a, b, c, d, imm));
  }

  private unary(op: number, a: Value): Value {
    const hash = (Math.imul(op, 0x9e3779b1) + Math.imul(a, 0x85ebca6b)) >>> HASH_SHIFT;
    const candidate = this.recall(hash);
    if (candidate !== NONE) {
      const n = this.nodes[candidate] as Node;
      if (n.op === op && n.a === a) return candidate;
    }
    return this.remember(hash, new Node(op, a, NONE, NONE, NONE, 0));
  }

  private recall(hash: number): Value {
    const index = (this.memo.recent[hash] as number) - this.first;
    return index >= 0 ? (index as Value) : NONE;
  }

  private remember(hash: number, node: Node): Value {
    const v = this.push(node);
    this.memo.recent[hash] = this.first + v;
    return v;
  }

  private learn(slot: Slot, value: Value): void {
    this.memo.known[slot.offset >> 2] = this.first + value;
  }

  /** A constant in the address goes to the displacement. */
  private access(def: OpDef, address: Value, value: Value, c: Value, imm: number): Value {
    const n = this.node(address);
    if (def.imm === 'disp' && n.op === I64_ADD) {
      const constant = this.asI64(n.b);
      const disp = constant === null ? NaN : Number(constant) + imm;
      if (disp > -MAX_DISPLACEMENT && disp < MAX_DISPLACEMENT) return this.push(new Node(def.id, n.a, value, c, NONE, disp));
    }
    return this.push(new Node(def.id, address, value, c, NONE, imm));
  }

  private forget(def: OpDef): void {
    for (const slot of def.touches) this.memo.known[slot.offset >> 2] = 0;
  }

  private push(node: Node): Value {
    return (this.nodes.push(node) - 1) as Value;
  }
}
