/**
 * Values of one instruction's IR, twice: what they are, as far as addresses and conditions need it, and where each of
 * their bytes comes from. Operations that only move bytes about are known here; the bytes of all others are made by
 * them.
 */
import type { GuestAddr } from '../../base/types.js';
import type { Block, Node, Value } from '../../ir/ir.js';
import { Evaluation, type MachineBefore } from '../../ir/meaning/evaluation.js';
import { TYPE_BYTES } from '../../ir/meaning/pureOperation.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { type ByteSource, bytesFrom, constantByte, constantOf, MADE, SIGN } from './byteSources.js';

/** The machine right before the instruction. */
export interface Before {
  /** CPU state, as State.cpuWords has it. */
  readonly words: Uint32Array;
  /** Null if it is not there, or not known any more. */
  memory(address: GuestAddr, size: number): Uint8Array | null;
}

const numberIn = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** The same machine in numbers. */
export function asNumbers({ words, memory }: Before): MachineBefore {
  return {
    slot: (offset, type) => {
      let value = 0n;
      for (let i = TYPE_BYTES[type] / 4 - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[offset / 4 + i] ?? 0);
      return value;
    },
    memory: (address, bytes) => {
      const read = memory(address, bytes);
      return read === null ? undefined : numberIn(read);
    },
  };
}

export class ValueSources {
  readonly evaluation: Evaluation;
  private readonly known = new Map<Value, readonly ByteSource[]>();

  constructor(
    private readonly block: Block,
    before: Before,
  ) {
    this.evaluation = new Evaluation(block, asNumbers(before));
  }

  node(value: Value): Node {
    return this.block.nodes[value] as Node;
  }

  def(value: Value): OpDef {
    return OPS[this.node(value).op] as OpDef;
  }

  /** Undefined where it is not known. */
  number(value: Value): bigint | undefined {
    return this.evaluation.value(value);
  }

  sources(value: Value): readonly ByteSource[] {
    const known = this.known.get(value) ?? this.traced(value);
    this.known.set(value, known);
    return known;
  }

  private traced(value: Value): readonly ByteSource[] {
    const [node, def] = [this.node(value), this.def(value)];
    const size = TYPE_BYTES[def.result ?? 'i32'];
    if (def.effect === 'get') return bytesFrom({ kind: 'register', offset: node.imm, size });
    if (def.effect === 'load') return this.loadedSources(node, def, size);
    return (def.effect === 'pure' ? this.moved(node, def, size) : undefined) ?? Array<ByteSource>(size).fill(MADE);
  }

  private loadedSources(node: Node, { name, bytes }: OpDef, size: number): readonly ByteSource[] {
    const address = this.evaluation.address(node);
    const own = address === undefined
      ? Array<ByteSource>(bytes).fill(MADE)
      : bytesFrom({ kind: 'memory', address, size: bytes });
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
