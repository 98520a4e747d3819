/** Arithmetic of location expressions, the same for all types of values. */
import { OP } from './dwarfConstants.js';
import { GENERIC, generic, integer, toBits, type TypedValue } from './typedValue.js';

/**
 * Result of an operation on two values, `a` below `b` on the stack; undefined if it has none (division by zero, wrong
 * types).
 */
export function binary(op: number, a: TypedValue, b: TypedValue): TypedValue | undefined {
  if (op >= OP.EQ && op <= OP.NE) return compare(op, a, b);
  if (typeof a.value === 'number' || typeof b.value === 'number') return binaryFloat(op, a, b);
  const x = a.value;
  const y = b.value;
  switch (op) {
    case OP.AND: return integer(a.type, x & y);
    case OP.OR: return integer(a.type, x | y);
    case OP.XOR: return integer(a.type, x ^ y);
    case OP.PLUS: return integer(a.type, x + y);
    case OP.MINUS: return integer(a.type, x - y);
    case OP.MUL: return integer(a.type, x * y);
    case OP.DIV: return y === 0n ? undefined : integer(a.type, x / y);
    case OP.MOD: return modulo(a, b);
    case OP.SHL: case OP.SHR: case OP.SHRA: return shift(op, a, toBits(b));
    default: return undefined;
  }
}

export function unary(op: number, { type, value }: TypedValue): TypedValue | undefined {
  if (typeof value === 'number') {
    if (op === OP.NEG) return { type, value: -value };
    return op === OP.ABS ? { type, value: Math.abs(value) } : undefined;
  }
  switch (op) {
    case OP.NEG: return integer(type, -value);
    case OP.NOT: return integer(type, ~value);
    case OP.ABS: return integer(type, value < 0n ? -value : value);
    default: return undefined;
  }
}

function binaryFloat(op: number, { type, value }: TypedValue, b: TypedValue): TypedValue | undefined {
  const [x, y] = [Number(value), Number(b.value)];
  const result = op === OP.PLUS ? x + y : op === OP.MINUS ? x - y : op === OP.MUL ? x * y : op === OP.DIV ? x / y : undefined;
  if (result === undefined) return undefined;
  return { type, value: type.size === 4 ? Math.fround(result) : result };
}

/** Generic values are unsigned here, and here only. */
function modulo(a: TypedValue, b: TypedValue): TypedValue | undefined {
  const asUnsigned = a.type === GENERIC;
  const [x, y] = asUnsigned ? [toBits(a), toBits(b)] : [a.value as bigint, b.value as bigint];
  return y === 0n ? undefined : integer(a.type, x % y);
}

function shift(op: number, a: TypedValue, count: bigint): TypedValue {
  const bits = BigInt(a.type.size * 8);
  const by = count > bits ? bits : count;
  if (op === OP.SHL) return integer(a.type, (a.value as bigint) << by);
  if (op === OP.SHR) return integer(a.type, toBits(a) >> by);
  return integer(a.type, BigInt.asIntN(Number(bits), a.value as bigint) >> by);
}

function compare(op: number, { value: x }: TypedValue, { value: y }: TypedValue): TypedValue {
  const holds = op === OP.EQ ? x === y : op === OP.NE ? x !== y : op === OP.LT ? x < y : op === OP.LE ? x <= y : op === OP.GT ? x > y : x >= y;
  return generic(holds ? 1n : 0n);
}
