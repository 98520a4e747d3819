/**
 * Operators on values with gdb's types and conversions, which are C's but for some details: floats are not widened,
 * booleans are not added, and a shift has the type of its left side.
 */
import { strip, type PointerType, type Type } from '../../dwarf/types.js';
import * as big from './bigFloat.js';
import { fail } from './expressionError.js';
import { BOOL, INT, LONG, pointerTo, UNSIGNED_INT, UNSIGNED_LONG } from './madeTypes.js';
import { floatFormat, floatValue, integerValue, isIntegral, isTrue, isUnsigned, natureOf, toFloat, toInteger } from './scalars.js';
import type { ArithmeticOperator } from './syntax/tree.js';
import { COMPUTED, toBytes, Value } from './value.js';

type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>=';

interface ArithmeticOptions {
  readonly isCPlusPlus: boolean;
  /** Values are zeros of the right type: nothing is wrong with dividing by them. */
  readonly isDry: boolean;
  readonly warn: (text: string) => void;
}

const NOT_A_NUMBER = 'Argument to arithmetic operation not a number or boolean.';

export class Arithmetic {
  constructor(private readonly options: ArithmeticOptions) {}

  binary(operator: ArithmeticOperator, first: Value, second: Value): Value {
    const [left, right] = [decayed(first), decayed(second)];
    if (operator === '+' || operator === '-') {
      const pointed = this.pointerArithmetic(operator, left, right);
      if (pointed !== undefined) return pointed;
    }
    const [a, b] = [left.plain, right.plain];
    if (!isNumber(left) || !isNumber(right)) return fail(NOT_A_NUMBER);
    if (natureOf(a) === 'complex' || natureOf(b) === 'complex') return fail('Complex numbers cannot be computed with.');
    if (natureOf(a) === 'float' || natureOf(b) === 'float') return this.floats(operator, left, right);
    if (natureOf(a) === 'boolean' && natureOf(b) === 'boolean' && operator !== '<<' && operator !== '>>') return booleans(operator, left, right);
    if (operator === '<<' || operator === '>>') return this.shift(operator, left, right);
    const type = commonType(left, right);
    return integerValue(left.around, type, this.integers(operator, cut(type, toInteger(left)), cut(type, toInteger(right))));
  }

  private integers(operator: ArithmeticOperator, a: bigint, b: bigint): bigint {
    switch (operator) {
      case '+': return a + b;
      case '-': return a - b;
      case '*': return a * b;
      case '&': return a & b;
      case '|': return a | b;
      case '^': return a ^ b;
      case '/': return b === 0n ? this.divisionByZero() : a / b;
      case '%': return b === 0n ? this.divisionByZero() : a % b;
      default: return fail(NOT_A_NUMBER);
    }
  }

  private divisionByZero(): bigint {
    return this.options.isDry ? 0n : fail('Division by zero');
  }

  private shift(operator: '<<' | '>>', left: Value, right: Value): Value {
    const type = promoted(left);
    const plain = strip(type);
    if (natureOf(right.plain) === 'boolean') fail('Invalid operation on booleans.');
    const count = toInteger(right);
    const word = operator === '<<' ? 'left' : 'right';
    const value = cut(type, toInteger(left));
    if (count < 0n || count >= BigInt(plain.size * 8)) {
      this.options.warn(count < 0n ? `${word} shift count is negative` : `${word} shift count >= width of type`);
      return integerValue(left.around, type, operator === '>>' && value < 0n ? -1n : 0n);
    }
    if (operator === '<<' && value < 0n && !this.options.isCPlusPlus && !this.options.isDry) this.options.warn('left shift of negative value');
    return integerValue(left.around, type, operator === '<<' ? value << count : value >> count);
  }

  private floats(operator: ArithmeticOperator, left: Value, right: Value): Value {
    const type = floatType(left, right);
    const format = floatFormat(strip(type));
    const [a, b] = [big.round(format, toFloat(left)), big.round(format, toFloat(right))];
    switch (operator) {
      case '+': return floatValue(left.around, type, big.add(a, b));
      case '-': return floatValue(left.around, type, big.add(a, big.negate(b)));
      case '*': return floatValue(left.around, type, big.multiply(a, b));
      case '/': return floatValue(left.around, type, big.divide(a, b));
      default: return fail('Integer-only operation on floating point number.');
    }
  }

  private pointerArithmetic(operator: '+' | '-', left: Value, right: Value): Value | undefined {
    const [a, b] = [left.plain, right.plain];
    if (a.kind === 'pointer' && b.kind === 'pointer') return operator === '-' ? difference(left, a, right, b) : fail(NOT_A_NUMBER);
    if (a.kind === 'pointer' && isIntegral(b)) return moved(left, a, operator === '+' ? toInteger(right) : -toInteger(right));
    if (b.kind === 'pointer' && operator === '+' && isIntegral(a)) return moved(right, b, toInteger(left));
    return undefined;
  }

  compare(operator: Comparison, first: Value, second: Value): Value {
    const [left, right] = [decayed(first), decayed(second)];
    const order = this.order(operator, left, right);
    return this.truth(left, order !== undefined ? holds(operator, order) : operator === '!=');
  }

  /** Negative, zero, positive; undefined if one is not a number. */
  private order(operator: Comparison, left: Value, right: Value): number | undefined {
    const [a, b] = [left.plain, right.plain];
    if (isNumber(left) && isNumber(right)) {
      if (natureOf(a) === 'float' || natureOf(b) === 'float') return big.compare(toFloat(left), toFloat(right));
      const areBooleans = natureOf(a) === 'boolean' && natureOf(b) === 'boolean';
      if (areBooleans && operator !== '==' && operator !== '!=') fail('Invalid operation on booleans.');
      const type = areBooleans ? left.type : commonType(left, right);
      return sign(cut(type, toInteger(left)) - cut(type, toInteger(right)));
    }
    const isPointing = (value: Value): boolean => ['pointer', 'reference'].includes(value.plain.kind);
    if ((isPointing(left) || isIntegral(a)) && (isPointing(right) || isIntegral(b))) {
      return sign(BigInt.asUintN(64, toInteger(left)) - BigInt.asUintN(64, toInteger(right)));
    }
    return fail(`Invalid type combination in ${operator === '==' || operator === '!=' ? 'equality test' : 'ordering comparison'}.`);
  }

  /** What comparisons and `!` give: int in C, bool in C++. */
  truth(like: Value, value: boolean): Value {
    return integerValue(like.around, this.options.isCPlusPlus ? BOOL : INT, BigInt(value));
  }

  not(operand: Value): Value {
    return this.truth(operand, !isTrue(decayed(operand)));
  }

  negative(operand: Value): Value {
    const nature = natureOf(operand.plain);
    // What is subtracted from zero: there is no negative zero.
    if (nature === 'float') return floatValue(operand.around, operand.type, big.add(big.ZERO, big.negate(toFloat(operand))));
    if (!isIntegral(operand.plain)) return fail('Argument to arithmetic operation not a number or boolean.');
    return integerValue(operand.around, promoted(operand), -toInteger(operand));
  }

  positive(operand: Value): Value {
    if (natureOf(operand.plain) === 'float') return new Value(operand.around, operand.type, COMPUTED, operand.contents);
    if (!isIntegral(operand.plain)) return fail('Argument to positive operation not a number.');
    return integerValue(operand.around, promoted(operand), toInteger(operand));
  }

  complement(operand: Value): Value {
    if (!isIntegral(operand.plain)) return fail('Argument to complement operation not an integer, boolean.');
    return integerValue(operand.around, promoted(operand), ~toInteger(operand));
  }
}

/** Arrays are pointers to their first element, functions pointers to themselves, references what they refer to. */
export function decayed(value: Value): Value {
  const { plain } = value;
  if (plain.kind === 'array' && !plain.isVector) return pointerValue(value, pointerTo(plain.element), toInteger(value));
  if (plain.kind === 'function') return pointerValue(value, pointerTo(value.type), toInteger(value));
  return value;
}

function pointerValue(like: Value, type: Type, address: bigint): Value {
  return new Value(like.around, type, COMPUTED, { bytes: toBytes(address, 8) });
}

function moved(pointer: Value, type: PointerType, by: bigint): Value {
  return pointerValue(pointer, pointer.type, toInteger(pointer) + by * stepOf(type));
}

/** gdb takes void and functions as one byte long. */
function stepOf(type: PointerType): bigint {
  const target = strip(type.to);
  if (target.kind === 'struct' && target.isIncomplete && target.size === 0) fail('Cannot perform pointer math on incomplete types, try casting to a known type, or void *.');
  return BigInt(target.size || 1);
}

function difference(left: Value, a: PointerType, right: Value, b: PointerType): Value {
  const [first, second] = [strip(a.to).size, strip(b.to).size];
  if (first !== second) return fail("First argument of `-' is a pointer and second argument is neither\nan integer nor a pointer of the same type.");
  const distance = BigInt.asIntN(64, toInteger(left) - toInteger(right));
  return integerValue(left.around, LONG, distance / BigInt(first || 1));
}

function isNumber(value: Value): boolean {
  const nature = natureOf(value.plain);
  return isIntegral(value.plain) || nature === 'float' || nature === 'complex';
}

function checkWidth(value: Value): void {
  if (value.plain.size > 8 && isIntegral(value.plain)) fail('That operation is not available on integers of more than 8 bytes.');
}

/** Integer promotion of one operand. */
function promoted(value: Value): Type {
  checkWidth(value);
  return value.plain.size < 4 || natureOf(value.plain) === 'boolean' ? INT : value.plain;
}

function commonType(left: Value, right: Value): Type {
  checkWidth(left);
  checkWidth(right);
  const [a, b] = [rankOf(left), rankOf(right)];
  const unsigned = a.size > b.size ? a.unsigned : b.size > a.size ? b.unsigned : a.unsigned || b.unsigned;
  return Math.max(a.size, b.size) <= 4 ? (unsigned ? UNSIGNED_INT : INT) : unsigned ? UNSIGNED_LONG : LONG;
}

function rankOf({ plain }: Value): { size: number; unsigned: boolean } {
  return plain.size < 4 ? { size: 4, unsigned: false } : { size: plain.size, unsigned: isUnsigned(plain) };
}

/** The longer one of two floating types; whole numbers become what the other one is. */
function floatType(left: Value, right: Value): Type {
  if (natureOf(left.plain) !== 'float') return right.type;
  if (natureOf(right.plain) !== 'float') return left.type;
  return right.plain.size > left.plain.size ? right.type : left.type;
}

/** A number made to fit a type. */
function cut(type: Type, value: bigint): bigint {
  const plain = strip(type);
  return isUnsigned(plain) ? BigInt.asUintN(plain.size * 8, value) : BigInt.asIntN(plain.size * 8, value);
}

function booleans(operator: ArithmeticOperator, left: Value, right: Value): Value {
  const [a, b] = [toInteger(left), toInteger(right)];
  switch (operator) {
    case '&': return integerValue(left.around, left.type, a & b);
    case '|': return integerValue(left.around, left.type, a | b);
    case '^': return integerValue(left.around, left.type, a ^ b);
    default: return fail('Invalid operation on booleans.');
  }
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

function holds(operator: Comparison, order: number): boolean {
  switch (operator) {
    case '==': return order === 0;
    case '!=': return order !== 0;
    case '<': return order < 0;
    case '>': return order > 0;
    case '<=': return order <= 0;
    case '>=': return order >= 0;
  }
}
