/**
 * What is undefined of the result of an operation, given what is undefined of its operands: ones for undefined bits,
 * as memcheck has it.
 */
import type { Node, Value } from '../../../ir/ir.js';
import type { Type } from '../../../ir/opDef.js';

export interface Operands {
  /** Ones for undefined bits. */
  bits(value: Value): bigint;
  /** What the value is; not known of most vectors. */
  value(value: Value): bigint | undefined;
}

export type ShadowRule = (operands: Operands, node: Node) => bigint;

export const ONES: Readonly<Record<Type, bigint>> = { i32: ones(32), i64: ones(64), v128: ones(128) };

export function ones(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

/** From the lowest undefined bit on: where carries go. */
export function leftOf(bits: bigint, mask: bigint): bigint {
  return (bits | -bits) & mask;
}

/** Whether a comparison for equality is undefined: not if bits differ that are defined. */
export function isEqualityUndefined(x: bigint | undefined, xBits: bigint, y: bigint | undefined, yBits: bigint): boolean {
  const either = xBits | yBits;
  if (either === 0n) return false;
  return x === undefined || y === undefined || ((x ^ y) & ~either) === 0n;
}

/** Whether a comparison by order is undefined: not if all values that they can have give the same answer. */
export function isOrderUndefined(holds: (a: bigint, b: bigint) => boolean, x: bigint | undefined, xBits: bigint, y: bigint | undefined, yBits: bigint): boolean {
  if ((xBits | yBits) === 0n) return false;
  if (x === undefined || y === undefined) return true;
  return holds(x & ~xBits, y | yBits) !== holds(x | xBits, y & ~yBits);
}

export const truth = (holds: boolean): bigint => (holds ? 1n : 0n);
