/**
 * Values of one instruction's IR, twice: what they are, as far as addresses and conditions need it, and where each of
 * their bytes comes from. Operations that only move bytes about are known here; the bytes of all others are made by
 * them.
 */
import { flagsFromState } from '../../ir/flags.js';
import type { Block, Node, Value } from '../../ir/ir.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { FLAG } from '../../layout/cpuState.js';
import { type ByteSource, bytesFrom, constantByte, constantOf, MADE, SIGN } from './byteSources.js';
import { binaryNumber } from './numbers.js';

/** The machine right before the instruction. */
export interface Before {
  /** CPU state, as State.cpuWords has it. */
  readonly words: Uint32Array;
  /** Null if it is not there, or not known any more. */
  memory(address: number, size: number): Uint8Array | null;
}

const SIZE: Readonly<Record<Type, number>> = { i32: 4, i64: 8, v128: 16 };

export class ValueSources {
  private readonly numbers = new Map<Value, bigint | undefined>();
  private readonly known = new Map<Value, readonly ByteSource[]>();

  constructor(
    private readonly block: Block,
    private readonly before: Before,
  ) {}

  node(value: Value): Node {
    return this.block.nodes[value] as Node;
  }

  def(value: Value): OpDef {
    return OPS[this.node(value).op] as OpDef;
  }

  /** Undefined for vectors, and where nobody knows. */
  number(value: Value): bigint | undefined {
    if (!this.numbers.has(value)) this.numbers.set(value, this.computed(value));
    return this.numbers.get(value);
  }

  /** Where an access goes. */
  address({ a, imm }: Node): number | undefined {
    const base = this.number(a);
    return base === undefined ? undefined : Number(BigInt.asUintN(64, base + BigInt(imm)));
  }

  sources(value: Value): readonly ByteSource[] {
    const known = this.known.get(value) ?? this.traced(value);
    this.known.set(value, known);
    return known;
  }

  private computed(value: Value): bigint | undefined {
    const [node, def] = [this.node(value), this.def(value)];
    const bits = def.result === 'i32' ? 32 : 64;
    if (def.result === 'v128' || def.result === null) return undefined;
    if (def.effect === 'get') return this.slot(node.imm, bits);
    if (def.effect === 'load') return this.loaded(node, def, bits);
    if (def.effect !== 'pure') return undefined;
    switch (def.name) {
      case 'i32.const': return BigInt.asUintN(32, BigInt(node.imm));
      case 'i64.const': return BigInt.asUintN(64, node.big);
      case 'cc.cond': return this.condition(node);
      default: break;
    }
    if (def.name.endsWith('.select')) {
      const condition = this.number(node.c);
      return condition === undefined ? undefined : this.number(condition === 0n ? node.b : node.a);
    }
    const operands = [node.a, node.b].slice(0, def.params.length).map((operand) => this.number(operand));
    return operands.includes(undefined) ? undefined : binaryNumber(def.name, operands as bigint[], bits);
  }

  private slot(offset: number, bits: number): bigint {
    const { words } = this.before;
    const low = BigInt(words[offset / 4] ?? 0);
    return bits === 32 ? low : low | (BigInt(words[offset / 4 + 1] ?? 0) << 32n);
  }

  private loaded(node: Node, { name, bytes }: OpDef, bits: number): bigint | undefined {
    const address = this.address(node);
    const read = address === undefined ? null : this.before.memory(address, bytes);
    if (read === null) return undefined;
    const value = read.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return BigInt.asUintN(bits, name.endsWith('_s') ? BigInt.asIntN(bytes * 8, value) : value);
  }

  private condition({ a, b, c, d, imm }: Node): bigint | undefined {
    const [op, x, y, z] = [a, b, c, d].map((operand) => this.number(operand));
    if (op === undefined || x === undefined || y === undefined || z === undefined) return undefined;
    return holds(imm, flagsFromState(Number(op), x, y, z)) ? 1n : 0n;
  }

  private traced(value: Value): readonly ByteSource[] {
    const [node, def] = [this.node(value), this.def(value)];
    const size = SIZE[def.result ?? 'i32'];
    if (def.effect === 'get') return bytesFrom({ kind: 'register', offset: node.imm, size });
    if (def.effect === 'load') return this.loadedSources(node, def, size);
    return (def.effect === 'pure' ? this.moved(node, def, size) : undefined) ?? Array<ByteSource>(size).fill(MADE);
  }

  private loadedSources(node: Node, { name, bytes }: OpDef, size: number): readonly ByteSource[] {
    const address = this.address(node);
    const own = address === undefined ? Array<ByteSource>(bytes).fill(MADE) : bytesFrom({ kind: 'memory', address, size: bytes });
    return resized(own, size, name.endsWith('_s') ? SIGN : constantByte(0));
  }

  /** Of operations that move bytes. */
  private moved(node: Node, { name, lane }: OpDef, size: number): readonly ByteSource[] | undefined {
    const a = (): readonly ByteSource[] => this.sources(node.a);
    const b = (): readonly ByteSource[] => this.sources(node.b);
    const [shape = '', operation = ''] = name.split('.');
    if (operation.startsWith('extract_lane')) return resized(laneOf(a(), shape, lane), size, constantByte(0));
    if (operation === 'replace_lane') return replaced(a(), b(), shape, lane);
    switch (operation) {
      case 'const': return this.constantBytes(node, name, size);
      case 'select': return this.selected(node);
      case 'splat': return Array.from({ length: 16 }, (_, i) => a()[i % (16 / lanes(shape))] as ByteSource);
      case 'extend_i32_u': return resized(a(), 8, constantByte(0));
      case 'extend_i32_s': return resized(a(), 8, SIGN);
      case 'wrap_i64': return a().slice(0, 4);
      case 'extend8_s': return resized(a().slice(0, 1), size, SIGN);
      case 'extend16_s': return resized(a().slice(0, 2), size, SIGN);
      case 'extend32_s': return resized(a().slice(0, 4), size, SIGN);
      case 'and': return combined(a(), b(), masked);
      case 'or': return combined(a(), b(), joined);
      case 'shl': case 'shr_u': case 'shr_s': case 'rotl': case 'rotr': return shape === 'i32' || shape === 'i64' ? this.shifted(node, operation, size) : undefined;
      case 'shuffle': return this.shuffled(node);
      default: return undefined;
    }
  }

  private constantBytes(node: Node, name: string, size: number): ByteSource[] {
    if (name === 'v128.const') return Array.from(node.bytes ?? [], constantByte);
    const value = name === 'i32.const' ? BigInt(node.imm) : node.big;
    return Array.from({ length: size }, (_, i) => constantByte(Number((value >> BigInt(8 * i)) & 0xffn)));
  }

  private selected({ a, b, c }: Node): readonly ByteSource[] | undefined {
    const condition = this.number(c);
    return condition === undefined ? undefined : this.sources(condition === 0n ? b : a);
  }

  private shifted({ a, b }: Node, operation: string, size: number): readonly ByteSource[] | undefined {
    const count = this.number(b);
    if (count === undefined || count % 8n !== 0n) return undefined;
    const bytes = Number(count) / 8 % size;
    const from = this.sources(a);
    const filling = operation === 'shr_s' ? SIGN : constantByte(0);
    return from.map((_, i) => {
      const at = operation === 'shl' || operation === 'rotl' ? i - bytes : i + bytes;
      if (operation.startsWith('rot')) return from[(at + size) % size] as ByteSource;
      return from[at] ?? filling;
    });
  }

  private shuffled({ a, b, c }: Node): readonly ByteSource[] | undefined {
    const { bytes } = this.node(c);
    if (bytes === null) return undefined;
    const both = [...this.sources(a), ...this.sources(b)];
    return Array.from(bytes, (from) => both[from & 31] as ByteSource);
  }
}

function lanes(shape: string): number {
  return Number(shape.split('x')[1]);
}

function laneOf(vector: readonly ByteSource[], shape: string, lane: number): readonly ByteSource[] {
  const size = 16 / lanes(shape);
  return vector.slice(lane * size, (lane + 1) * size);
}

function replaced(vector: readonly ByteSource[], scalar: readonly ByteSource[], shape: string, lane: number): ByteSource[] {
  const size = 16 / lanes(shape);
  return vector.map((byte, i) => (Math.floor(i / size) === lane ? (scalar[i % size] as ByteSource) : byte));
}

function resized(bytes: readonly ByteSource[], size: number, filling: ByteSource): ByteSource[] {
  return Array.from({ length: size }, (_, i) => bytes[i] ?? filling);
}

function combined(a: readonly ByteSource[], b: readonly ByteSource[], one: (x: ByteSource, y: ByteSource) => ByteSource): ByteSource[] {
  return a.map((byte, i) => one(byte, b[i] as ByteSource));
}

function masked(x: ByteSource, y: ByteSource): ByteSource {
  const [p, q] = [constantOf(x), constantOf(y)];
  if (p === 0 || q === 0) return constantByte(0);
  if (p !== undefined && q !== undefined) return constantByte(p & q);
  if (q === 0xff) return x;
  return p === 0xff ? y : MADE;
}

function joined(x: ByteSource, y: ByteSource): ByteSource {
  const [p, q] = [constantOf(x), constantOf(y)];
  if (p !== undefined && q !== undefined) return constantByte(p | q);
  if (q === 0) return x;
  return p === 0 ? y : MADE;
}

/** A condition in the encoding of Jcc. */
function holds(code: number, flags: number): boolean {
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const isLess = has(FLAG.SF) !== has(FLAG.OF);
  const plain = [has(FLAG.OF), has(FLAG.CF), has(FLAG.ZF), has(FLAG.CF) || has(FLAG.ZF), has(FLAG.SF), has(FLAG.PF), isLess, isLess || has(FLAG.ZF)][code >> 1];
  return (code & 1) === 0 ? plain === true : plain !== true;
}
