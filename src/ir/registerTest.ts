/**
 * Tests of registers at an address, so that a breakpoint that does not apply costs a comparison in generated code
 * instead of a stop. A test is plain data: it goes with the conditions of a search.
 */
import { GPR, RSP, type Slot } from '../layout/cpuState.js';
import type { IrBuilder } from './builder.js';
import type { Value } from './ir.js';

export type TestComparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type RegisterTest =
  /** The lower bytes of a general register, by its number, with their sign or without, against a number. */
  | {
    readonly kind: 'compare';
    readonly register: number;
    readonly bytes: 1 | 2 | 4 | 8;
    readonly isSigned: boolean;
    readonly comparison: TestComparison;
    readonly value: bigint;
  }
  /** Whether the stack ends with one of these: right after a call, which has just stored it, where it returns to. */
  | { readonly kind: 'stackTop'; readonly values: readonly number[] }
  | { readonly kind: 'not'; readonly part: RegisterTest }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly RegisterTest[] };

export const ALWAYS_HOLDS: RegisterTest = { kind: 'and', parts: [] };
export const NEVER_HOLDS: RegisterTest = { kind: 'or', parts: [] };

/** The registers as they are, and the eight bytes that rsp points to. */
export interface TestedRegisters {
  big(slot: Slot): bigint;
  stackTop(): bigint | undefined;
}

export function holds(test: RegisterTest, registers: TestedRegisters): boolean {
  switch (test.kind) {
    case 'compare': {
      const bits = registers.big(GPR[test.register] as Slot);
      return compare(read(bits, test), test.comparison, read(test.value, test));
    }
    case 'stackTop': {
      const top = registers.stackTop();
      return top !== undefined && test.values.includes(Number(top));
    }
    case 'not': return !holds(test.part, registers);
    case 'and': return test.parts.every((part) => holds(part, registers));
    case 'or': return test.parts.some((part) => holds(part, registers));
  }
}

function read(bits: bigint, { bytes, isSigned }: { readonly bytes: number; readonly isSigned: boolean }): bigint {
  return isSigned ? BigInt.asIntN(bytes * 8, bits) : BigInt.asUintN(bytes * 8, bits);
}

function compare(left: bigint, comparison: TestComparison, right: bigint): boolean {
  switch (comparison) {
    case '==': return left === right;
    case '!=': return left !== right;
    case '<': return left < right;
    case '<=': return left <= right;
    case '>': return left > right;
    case '>=': return left >= right;
  }
}

const OPERATIONS: Readonly<Record<TestComparison, string>> = { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };
const EXTENSIONS: Readonly<Record<1 | 2 | 4, string>> = { 1: 'i64.extend8_s', 2: 'i64.extend16_s', 4: 'i64.extend32_s' };

/** Its value: not 0 if it holds. */
export function liftTest(b: IrBuilder, test: RegisterTest): Value {
  switch (test.kind) {
    case 'compare': {
      const { register, bytes, isSigned, comparison, value } = test;
      const bits = b.get(GPR[register] as Slot);
      const left = bytes === 8 ? bits : isSigned ? b.op(EXTENSIONS[bytes], bits) : b.op('i64.and', bits, b.i64((1n << BigInt(bytes * 8)) - 1n));
      const sign = comparison === '==' || comparison === '!=' ? '' : isSigned ? '_s' : '_u';
      return b.op(`i64.${OPERATIONS[comparison]}${sign}`, left, b.i64(read(value, test)));
    }
    case 'stackTop': {
      const top = b.opImm('load64', 0, b.get(RSP));
      return joined(b, 'i32.or', test.values.map((value) => b.op('i64.eq', top, b.i64(value))), 0);
    }
    case 'not': return b.op('i32.eqz', liftTest(b, test.part));
    case 'and': case 'or': return joined(b, `i32.${test.kind}`, test.parts.map((part) => liftTest(b, part)), test.kind === 'and' ? 1 : 0);
  }
}

/** All that comparisons come to is 0 or 1. */
function joined(b: IrBuilder, operation: string, parts: readonly Value[], none: number): Value {
  const [first, ...rest] = parts;
  return first === undefined ? b.i32(none) : rest.reduce((all, part) => b.op(operation, all, part), first);
}
