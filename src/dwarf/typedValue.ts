/**
 * Values on the stack of location expressions. Most are "generic": 64 bits, signed where it matters, as GDB takes them.
 * Optimised code also computes with base types of the program, floating point included.
 */
import type { Die } from './die.js';
import { ATE, AT, TAG } from './dwarfConstants.js';

export interface ValueType {
  readonly kind: 'generic' | 'signed' | 'unsigned' | 'float';
  /** In bytes. */
  readonly size: number;
}

export interface TypedValue {
  readonly type: ValueType;
  /** Of integers: within the type's range. Of floats: a number. */
  readonly value: bigint | number;
}

export const GENERIC: ValueType = { kind: 'generic', size: 8 };

export function generic(value: bigint): TypedValue {
  return { type: GENERIC, value: BigInt.asIntN(64, value) };
}

/** An integer made to fit its type. */
export function integer(type: ValueType, value: bigint): TypedValue {
  const bits = type.size * 8;
  return { type, value: type.kind === 'unsigned' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value) };
}

/** What a base type's entry is, for computing; undefined for types that we cannot compute with. */
export function valueTypeOf(die: Die): ValueType | undefined {
  const size = die.number(AT.BYTE_SIZE) ?? 0;
  if (die.tag !== TAG.BASE_TYPE || size < 1 || size > 16) return undefined;
  switch (die.number(AT.ENCODING)) {
    case ATE.FLOAT: return size === 4 || size === 8 || size === 16 ? { kind: 'float', size } : undefined;
    case ATE.SIGNED: case ATE.SIGNED_CHAR: return { kind: 'signed', size };
    default: return { kind: 'unsigned', size };
  }
}

/** The value that raw bits stand for. */
export function fromBits(type: ValueType, bits: bigint): TypedValue {
  if (type.kind !== 'float') return integer(type, bits);
  const view = new DataView(new ArrayBuffer(8));
  if (type.size === 16) return { type, value: fromExtended(bits) };
  view.setBigUint64(0, BigInt.asUintN(64, bits), true);
  return { type, value: type.size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true) };
}

/** The raw bits, unsigned. */
export function toBits({ type, value }: TypedValue): bigint {
  if (typeof value === 'bigint') return BigInt.asUintN(type.size * 8, value);
  const view = new DataView(new ArrayBuffer(8));
  if (type.size === 4) view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  const bits = view.getBigUint64(0, true);
  return type.size === 16 ? toExtended(bits) : bits;
}

/** DW_OP_convert: the same value in another type, as far as that can be. */
export function convert(from: TypedValue, type: ValueType): TypedValue {
  if (type.kind === 'float') return { type, value: type.size === 4 ? Math.fround(Number(from.value)) : Number(from.value) };
  if (typeof from.value === 'bigint') return integer(type, from.value);
  return integer(type, Number.isFinite(from.value) ? BigInt(Math.trunc(from.value)) : 0n);
}

/** An 80-bit float as the nearest double. */
function fromExtended(bits: bigint): number {
  const mantissa = BigInt.asUintN(64, bits);
  const exponent = Number((bits >> 64n) & 0x7fffn);
  const sign = ((bits >> 79n) & 1n) === 1n ? -1 : 1;
  if (exponent === 0x7fff) return BigInt.asUintN(63, mantissa) === 0n ? sign * Infinity : NaN;
  return sign * Number(mantissa) * 2 ** -63 * 2 ** (exponent - 16383);
}

function toExtended(double: bigint): bigint {
  const sign = (double >> 63n) << 79n;
  const exponent = Number((double >> 52n) & 0x7ffn);
  const fraction = BigInt.asUintN(52, double) << 11n;
  if (exponent === 0) return sign;
  const wide = exponent === 0x7ff ? 0x7fff : exponent - 1023 + 16383;
  return sign | (BigInt(wide) << 64n) | (1n << 63n) | fraction;
}
