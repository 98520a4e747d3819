/**
 * Where each byte of a value comes from, as one number: a byte of a register, of memory, a constant, or made by an
 * operation. Copies are what keeps bytes as they are, wherever it puts them.
 */
import { guestAddr } from '../../base/types.js';
import type { Place } from './place.js';

export type ByteSource = number;

/** Bytes of memory are counted from here; below are those of the CPU state. */
const MEMORY = 4096;
/** The result of an operation. */
export const MADE: ByteSource = -1000;
/** All bits are the sign of what is below it. */
export const SIGN: ByteSource = -1001;
const ZERO = constantByte(0);

export function constantByte(byte: number): ByteSource {
  return -1 - byte;
}

export function registerByte(offset: number): ByteSource {
  return offset;
}

export function memoryByte(address: number): ByteSource {
  return MEMORY + address;
}

export function bytesFrom(place: Place): ByteSource[] {
  const first = place.kind === 'memory' ? memoryByte(place.address) : registerByte(place.offset);
  return Array.from({ length: place.size }, (_, i) => first + i);
}

/** The value of a constant byte. */
export function constantOf(source: ByteSource): number | undefined {
  return source < 0 && source >= -256 ? -1 - source : undefined;
}

function isPlace(source: ByteSource): boolean {
  return source >= 0;
}

/** What some bytes together are. */
type Gathered =
  | { readonly kind: 'copy'; readonly from: Place }
  | { readonly kind: 'constant'; readonly value: bigint }
  /** Of several places, or partly computed. */
  | { readonly kind: 'mixed' }
  | { readonly kind: 'made' };

/** A value of which the lower bytes are a copy and the rest is its extension counts as a copy. */
export function gather(sources: readonly ByteSource[]): Gathered {
  const own = sources.slice(0, lengthWithoutExtension(sources));
  if (sources.every((source) => constantOf(source) !== undefined)) return { kind: 'constant', value: constantValue(sources) };
  const [first] = own;
  if (first !== undefined && isPlace(first) && own.every((source, i) => source === first + i)) return { kind: 'copy', from: placeFrom(first, own.length) };
  return { kind: sources.every((source) => source === MADE || !isPlace(source)) ? 'made' : 'mixed' };
}

function lengthWithoutExtension(sources: readonly ByteSource[]): number {
  let length = sources.length;
  while (length > 1 && (sources[length - 1] === ZERO || sources[length - 1] === SIGN)) length--;
  return length;
}

function constantValue(sources: readonly ByteSource[]): bigint {
  return sources.reduceRight((value, source) => (value << 8n) | BigInt(constantOf(source) ?? 0), 0n);
}

function placeFrom(first: ByteSource, size: number): Place {
  if (first < MEMORY) return { kind: 'register', offset: first, size };
  return { kind: 'memory', address: guestAddr(first - MEMORY), size };
}

/** One place if the bytes follow each other. */
export function isUntouched(sources: readonly ByteSource[], place: Place): boolean {
  return bytesFrom(place).every((source, i) => source === sources[i]);
}

/** Of a byte of a register: where it is in the CPU state. */
export function registerOffset(source: ByteSource): number | undefined {
  return source >= 0 && source < MEMORY ? source : undefined;
}
