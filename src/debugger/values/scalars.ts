/** Values as numbers: integers of all sizes, floating point, pointers, and back. */
import { ATE } from '../../dwarf/dwarfConstants.js';
import type { PlainType, Type } from '../../dwarf/types.js';
import { strip } from '../../dwarf/types.js';
import * as big from './bigFloat.js';
import type { BigFloat, FloatFormat } from './bigFloat.js';
import { fail } from './expressionError.js';
import type { Surroundings } from './surroundings.js';
import { COMPUTED, Value, anyBits, fromBytes, toBytes } from './value.js';

type Nature = 'integer' | 'boolean' | 'character' | 'float' | 'complex' | 'enum' | 'pointer' | 'struct' | 'array' | 'function' | 'reference' | 'memberPointer' | 'void';

const HIGHEST = 2n ** 63n - 1n;
const LOWEST = -(2n ** 63n);

/** What gdb calls a type code. Characters are those of char16_t and char32_t; `char` is an integer. */
export function natureOf(type: PlainType): Nature {
  switch (type.kind) {
    case 'base': return baseNature(type.encoding);
    case 'unspecified': return 'void';
    default: return type.kind;
  }
}

function baseNature(encoding: number): Nature {
  switch (encoding) {
    case ATE.BOOLEAN: return 'boolean';
    case ATE.FLOAT: return 'float';
    case ATE.COMPLEX_FLOAT: case ATE.IMAGINARY_FLOAT: return 'complex';
    case ATE.UTF: case ATE.UCS: return 'character';
    default: return 'integer';
  }
}

export function isIntegral(type: PlainType): boolean {
  const nature = natureOf(type);
  return nature === 'integer' || nature === 'boolean' || nature === 'character' || nature === 'enum';
}

export function isUnsigned(type: PlainType): boolean {
  if (type.kind === 'pointer' || type.kind === 'reference') return true;
  if (type.kind === 'enum') return !type.enumerators.some(({ value }) => value < 0n);
  return type.kind === 'base' && type.encoding !== ATE.SIGNED && type.encoding !== ATE.SIGNED_CHAR;
}

export function floatFormat(type: PlainType): FloatFormat {
  const name = type.name ?? '';
  if (type.size === 2) return /bf(loat)?16/i.test(name) ? big.BFLOAT : big.HALF;
  if (type.size === 4) return big.SINGLE;
  if (type.size === 8) return big.DOUBLE;
  return /128|quad/i.test(name) ? big.QUADRUPLE : big.EXTENDED;
}

/** The raw bits, of a bit field only its own; throws if they are not known. */
export function rawBits(value: Value): bigint {
  const { bytes, unknown } = value.contents;
  if (unknown !== undefined && (value.bits === undefined || anyBits(unknown, value.bits))) fail('value has been optimized out');
  const all = fromBytes(bytes);
  return value.bits === undefined ? all : BigInt.asUintN(value.bits.size, all >> BigInt(value.bits.offset));
}

/** As an integer of its own type's sign. Floats are cut; arrays and functions are their addresses. */
export function toInteger(value: Value): bigint {
  const type = value.plain;
  switch (natureOf(type)) {
    case 'integer': case 'boolean': case 'character': case 'enum': case 'pointer': case 'reference': case 'memberPointer': return signed(value, type);
    case 'float': return clamped(toFloat(value));
    case 'array': case 'function': return addressOf(value);
    default: return fail("Value can't be converted to integer.");
  }
}

/** Cut, and to what a long can hold, as gdb does it. */
function clamped(number: BigFloat): bigint {
  const whole = number.kind === 'infinite' ? (number.negative ? LOWEST : HIGHEST) : big.toInteger(number);
  return whole > HIGHEST ? HIGHEST : whole < LOWEST ? LOWEST : whole;
}

function signed(value: Value, type: PlainType): bigint {
  const bits = rawBits(value);
  const width = value.bits?.size ?? type.size * 8;
  return isUnsigned(type) ? bits : BigInt.asIntN(width, bits);
}

export function toFloat(value: Value): BigFloat {
  const type = value.plain;
  return natureOf(type) === 'float' ? big.fromBits(floatFormat(type), rawBits(value)) : big.fromInteger(toInteger(value));
}

/** The address that a value stands for when a pointer is wanted. */
function addressOf(value: Value): bigint {
  return value.address ?? fail('Attempt to take address of value not located in memory.');
}

export function isTrue(value: Value): boolean {
  return natureOf(value.plain) === 'float' ? !big.isZero(toFloat(value)) : toInteger(value) !== 0n;
}

export function integerValue(around: Surroundings, type: Type, number: bigint): Value {
  const plain = strip(type);
  const bits = natureOf(plain) === 'boolean' ? BigInt(number !== 0n) : number;
  return new Value(around, type, COMPUTED, { bytes: toBytes(bits, plain.size) });
}

export function floatValue(around: Surroundings, type: Type, number: BigFloat): Value {
  const plain = strip(type);
  const format = floatFormat(plain);
  const bytes = new Uint8Array(plain.size);
  bytes.set(toBytes(big.toBits(format, number), format.size));
  return new Value(around, type, COMPUTED, { bytes });
}

export function voidValue(around: Surroundings, type: Type): Value {
  return new Value(around, type, COMPUTED, { bytes: new Uint8Array(0) });
}
