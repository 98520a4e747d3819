/**
 * A value of the program: a type, and where its bytes are or what they are. Bytes are read when a caller wants them, so
 * a value may be an array of millions of elements of which ten are looked at. Parts of a value know where they are,
 * too: they can be assigned to.
 */
import type { Location } from '../../dwarf/location.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type PlainType, type Type } from '../../dwarf/types.js';
import { fail, MemoryError } from './expressionError.js';
import { readLocation, type Contents } from './locatedBytes.js';
import type { Surroundings } from './surroundings.js';

type ValuePlace =
  | { readonly kind: 'memory'; readonly address: bigint }
  /** What a location of the debug information says, from byte `offset` of it on: registers, pieces. */
  | { readonly kind: 'located'; readonly location: Location; readonly frame: StackFrame; readonly offset: number }
  /** A register of the thread by gdb's name, from byte `offset` of it on. */
  | { readonly kind: 'register'; readonly name: string; readonly offset: number }
  /** A variable of the debugger's, from byte `offset` of it on. */
  | { readonly kind: 'convenience'; readonly name: string; readonly offset: number }
  /** Nowhere: it has been computed. */
  | { readonly kind: 'computed' };

export const COMPUTED: ValuePlace = { kind: 'computed' };

/** Of a bit field: its lowest bit counted from the value's place, and its width. */
interface BitField {
  readonly offset: number;
  readonly size: number;
}

/** gdb reads no more than that at once (`max-value-size`). */
export const LARGEST_VALUE = 65536;

export class Value {
  private fetched: Contents | undefined;

  constructor(
    readonly around: Surroundings,
    readonly type: Type,
    readonly place: ValuePlace,
    contents?: Contents,
    readonly bits?: BitField,
  ) {
    this.fetched = contents;
  }

  /** The type without typedefs and qualifiers. */
  get plain(): PlainType {
    return strip(this.type);
  }

  /** All bytes. Throws a MemoryError if they cannot be read. */
  get contents(): Contents {
    this.fetched ??= this.read();
    return this.fetched;
  }

  get bytes(): Uint8Array {
    return this.contents.bytes;
  }

  /** Where it is in memory. */
  get address(): bigint | undefined {
    return this.place.kind === 'memory' ? this.place.address : undefined;
  }

  get isAssignable(): boolean {
    return this.place.kind !== 'computed' && !(this.place.kind === 'located' && this.place.location.kind === 'optimisedOut');
  }

  get isOptimisedOut(): boolean {
    if (this.place.kind === 'located' && this.place.location.kind === 'optimisedOut') return true;
    const { unknown } = this.knownIfCheap ?? {};
    return unknown !== undefined && this.isUnknown(unknown);
  }

  /** Part of it: another type at some distance. */
  component(type: Type, offset: number, bits?: BitField): Value {
    const size = bits === undefined ? strip(type).size : Math.ceil((bits.offset + bits.size) / 8);
    return new Value(this.around, type, movedBy(this.place, offset), this.slice(offset, size), bits);
  }

  /** The same bytes as another type. */
  as(type: Type): Value {
    const same = strip(type).size <= this.size;
    return new Value(this.around, type, this.place, same ? this.fetched : undefined, this.bits);
  }

  /** A value that keeps its bytes, whatever happens in the program. */
  kept(): Value {
    if (this.size <= LARGEST_VALUE) void this.contents;
    return this;
  }

  get size(): number {
    return this.bits === undefined ? this.plain.size : Math.ceil((this.bits.offset + this.bits.size) / 8);
  }

  /** What is known without reading more memory than values usually have. */
  private get knownIfCheap(): Contents | undefined {
    return this.place.kind === 'located' ? this.contents : this.fetched;
  }

  private isUnknown(mask: Uint8Array): boolean {
    if (this.bits !== undefined) return anyBits(mask, this.bits);
    return mask.length > 0 && mask.every((byte) => byte === 0xff);
  }

  private slice(offset: number, size: number): Contents | undefined {
    const known = this.fetched;
    if (known === undefined || offset < 0 || offset + size > known.bytes.length) return undefined;
    const unknown = known.unknown?.subarray(offset, offset + size);
    const bytes = known.bytes.subarray(offset, offset + size);
    return unknown?.some((byte) => byte !== 0) === true ? { bytes, unknown } : { bytes };
  }

  private read(): Contents {
    const { size } = this;
    if (size > LARGEST_VALUE) fail(`value requires ${size} bytes, which is more than max-value-size`);
    const { place, around } = this;
    switch (place.kind) {
      case 'memory': return { bytes: readMemory(around, place.address, size) };
      case 'located': return readLocation(place.location, place.offset, size, place.frame, around);
      case 'register': return readRegister(around, place.name, place.offset, size);
      default: return fail('value is not available');
    }
  }
}

/** Throws a MemoryError that names the first byte that is not there. */
function readMemory(around: Surroundings, address: bigint, size: number): Uint8Array {
  const bytes = around.memory(address, size);
  if (bytes !== undefined) return bytes;
  return firstUnreadable(around, address, size);
}

function firstUnreadable(around: Surroundings, address: bigint, size: number): never {
  let [good, bad] = [0, size];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (around.memory(address, middle) === undefined) bad = middle;
    else good = middle;
  }
  throw new MemoryError(BigInt.asUintN(64, address + BigInt(good)));
}

function readRegister(around: Surroundings, name: string, offset: number, size: number): Contents {
  const value = around.register(name);
  if (value === undefined) return fail(`value is not available`);
  return { bytes: toBytes(value >> BigInt(offset * 8), size) };
}

export function toBytes(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let rest = BigInt.asUintN(size * 8, value);
  for (let i = 0; i < size && rest !== 0n; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return bytes;
}

/** Little-endian, unsigned. */
export function fromBytes(bytes: Uint8Array): bigint {
  if (bytes.length === 8) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
    return view.getBigUint64(0, true);
  }
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}

function movedBy(place: ValuePlace, offset: number): ValuePlace {
  if (place.kind === 'computed') return place;
  if (place.kind === 'memory') return { kind: 'memory', address: BigInt.asUintN(64, place.address + BigInt(offset)) };
  return { ...place, offset: place.offset + offset };
}

export function anyBits(mask: Uint8Array, { offset, size }: BitField): boolean {
  for (let bit = offset; bit < offset + size; bit++) if (((mask[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0) return true;
  return false;
}
