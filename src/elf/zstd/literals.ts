/**
 * Literals of a block: bytes as they are, one byte again and again, or Huffman codes in one or four streams (RFC 8878,
 * 3.1.1.3.1 and 4.2).
 */
import { BackwardBits } from './bitStreams.js';
import { readStateTable } from './stateTable.js';
import { fail } from './zstdError.js';

/** By the next `width` bits: the symbol, and how many of the bits are its code. */
export interface HuffmanTable {
  readonly width: number;
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

interface Literals {
  readonly bytes: Uint8Array;
  /** How long they are in the block. */
  readonly length: number;
  /** For blocks that use it once more. */
  readonly table: HuffmanTable | undefined;
}

const KIND = { RAW: 0, RUN: 1, HUFFMAN: 2, HUFFMAN_AGAIN: 3 } as const;
const LARGEST = 128 * 1024;
const WIDEST = 11;
const WEIGHT_ACCURACY = 6;

export function readLiterals(block: Uint8Array, known: HuffmanTable | undefined): Literals {
  const kind = (block[0] ?? 0) & 3;
  const format = ((block[0] ?? 0) >> 2) & 3;
  return kind === KIND.RAW || kind === KIND.RUN ? readPlain(block, kind, format, known) : readCoded(block, format, kind === KIND.HUFFMAN_AGAIN ? known : undefined, kind === KIND.HUFFMAN_AGAIN);
}

function readPlain(block: Uint8Array, kind: number, format: number, table: HuffmanTable | undefined): Literals {
  const header = format === 1 ? 2 : format === 3 ? 3 : 1;
  const size = Math.floor(littleEndian(block, 0, header) / (header === 1 ? 8 : 16));
  const stored = kind === KIND.RUN ? 1 : size;
  if (size > LARGEST || header + stored > block.length) fail('literals are cut off');
  const bytes = kind === KIND.RUN ? new Uint8Array(size).fill(block[header] as number) : block.subarray(header, header + size);
  return { bytes, length: header + stored, table };
}

function readCoded(block: Uint8Array, format: number, known: HuffmanTable | undefined, again: boolean): Literals {
  const header = format < 2 ? 3 : format + 2;
  const width = 2 ** (format < 2 ? 10 : format === 2 ? 14 : 18);
  const sizes = Math.floor(littleEndian(block, 0, header) / 16);
  const [size, stored] = [sizes % width, Math.floor(sizes / width)];
  if (size > LARGEST || header + stored > block.length) fail('literals are cut off');
  const coded = block.subarray(header, header + stored);
  const read = again ? { table: known ?? fail('no table for literals'), length: 0 } : readTable(coded);
  const bytes = new Uint8Array(size);
  const streams = coded.subarray(read.length);
  if (format === 0) decode(streams, bytes, read.table);
  else decodeFour(streams, bytes, read.table);
  return { bytes, length: header + stored, table: read.table };
}

function decodeFour(streams: Uint8Array, to: Uint8Array, table: HuffmanTable): void {
  const part = (to.length + 3) >> 2;
  let from = 6;
  for (let i = 0; i < 4; i++) {
    const end = i === 3 ? streams.length : from + littleEndian(streams, i * 2, 2);
    if (end > streams.length || part * 3 > to.length) fail('literals are cut off');
    decode(streams.subarray(from, end), to.subarray(part * i, i === 3 ? to.length : part * (i + 1)), table);
    from = end;
  }
}

function decode(stream: Uint8Array, to: Uint8Array, { width, symbols, lengths }: HuffmanTable): void {
  const bits = new BackwardBits(stream);
  for (let i = 0; i < to.length; i++) {
    const code = bits.peek(width);
    to[i] = symbols[code] as number;
    bits.left -= lengths[code] as number;
  }
  if (bits.left !== 0) fail('literals do not fill their stream');
}

function readTable(bytes: Uint8Array): { table: HuffmanTable; length: number } {
  const header = bytes[0] ?? fail('no table for literals');
  if (header < 128) return { table: tableOf(codedWeights(bytes.subarray(1, 1 + header))), length: 1 + header };
  const count = header - 127;
  const length = 1 + ((count + 1) >> 1);
  if (length > bytes.length) fail('table is cut off');
  const weights = Array.from({ length: count }, (_, i) => ((bytes[1 + (i >> 1)] as number) >> (i % 2 === 0 ? 4 : 0)) & 15);
  return { table: tableOf(weights), length };
}

/** Two states take turns until the stream is used up. */
function codedWeights(bytes: Uint8Array): number[] {
  const { table, length } = readStateTable(bytes, WEIGHT_ACCURACY, 256);
  const bits = new BackwardBits(bytes.subarray(length));
  const states = [table.start(bits), table.start(bits)] as [number, number];
  const weights: number[] = [];
  for (let turn: 0 | 1 = 0; weights.length < 256; turn = turn === 0 ? 1 : 0) {
    weights.push(table.symbols[states[turn]] as number);
    states[turn] = table.next(states[turn], bits);
    if (bits.left < 0) return [...weights, table.symbols[states[turn === 0 ? 1 : 0]] as number];
  }
  return fail('table has too many symbols');
}

/**
 * Codes in the order of weights, which are larger for shorter ones; the last symbol's weight is what is missing to a
 * power of two.
 */
function tableOf(weights: readonly number[]): HuffmanTable {
  const sum = weights.reduce((total, weight) => total + (weight === 0 ? 0 : 2 ** (weight - 1)), 0);
  const width = 32 - Math.clz32(sum);
  const missing = 2 ** width - sum;
  if (sum === 0 || width > WIDEST || weights.length > 255 || (missing & (missing - 1)) !== 0) fail('table of literals makes no sense');
  const all = [...weights, 32 - Math.clz32(missing)];
  const [symbols, lengths] = [new Uint8Array(1 << width), new Uint8Array(1 << width)];
  let at = 0;
  for (let weight = 1; weight <= width; weight++) {
    all.forEach((own, symbol) => {
      if (own !== weight) return;
      const end = at + (1 << (weight - 1));
      symbols.fill(symbol, at, end);
      lengths.fill(width + 1 - weight, at, end);
      at = end;
    });
  }
  return { width, symbols, lengths };
}

export function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  if (at + length > bytes.length) fail('cut off');
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number);
  return value;
}
