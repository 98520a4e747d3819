/**
 * Calls of the program's functions: arguments and results by the System V calling convention. Only in a branch can they
 * be made.
 */
import { strip, type PlainType, type Type } from '../../dwarf/types.js';
import { cast } from './casts.js';
import { decayed } from './arithmetic.js';
import { CallNeeded, fail } from './expressionError.js';
import { DOUBLE_TYPE } from './madeTypes.js';
import { isIntegral, natureOf, toInteger, voidValue } from './scalars.js';
import type { CallResult, ArrangedCall, Surroundings } from './surroundings.js';
import { COMPUTED, fromBytes, toBytes, Value } from './value.js';

const MOST_INTEGERS = 6;
const MOST_VECTORS = 8;

type EightByte = 'integer' | 'vector';

export function callFunction(callee: Value, values: readonly Value[]): Value {
  const { around } = callee;
  const type = callee.plain.kind === 'pointer' ? strip(callee.plain.to) : callee.plain;
  if (type.kind !== 'function') return fail('Cannot perform a call on a non-function value.');
  if (values.length < type.parameters.length) return fail(`Too few arguments in function call.`);
  if (values.length > type.parameters.length && !type.isVariadic && type.isPrototyped) return fail('Too many arguments in function call.');
  if (around.call === undefined) return fail('Calling a function changes the program: it can be done only in a branch.');
  const isInMemory = classify(strip(type.result)) === 'memory';
  const request = { ...placed(values.map((value, i) => argument(value, type.parameters[i]?.type)), isInMemory), address: toInteger(callee), resultInMemory: isInMemory ? strip(type.result).size : 0 };
  const result = around.call(request);
  if (result === undefined) throw new CallNeeded(request);
  return resultValue(around, type.result, result);
}

/** Floats are passed as doubles where no prototype says otherwise. */
function argument(value: Value, parameter: Type | undefined): Value {
  const plain = decayed(value);
  if (parameter === undefined) return natureOf(plain.plain) === 'float' && plain.plain.size === 4 ? cast(DOUBLE_TYPE, plain) : plain;
  const target = strip(parameter);
  if (target.kind === 'reference') return cast(parameter, value);
  return target.kind === 'struct' ? plain : cast(parameter, plain);
}

function placed(values: readonly Value[], isResultInMemory: boolean): Pick<ArrangedCall, 'integers' | 'vectors' | 'stack'> {
  const integers: bigint[] = [];
  const vectors: bigint[] = [];
  const stack: number[] = [];
  const mostIntegers = isResultInMemory ? MOST_INTEGERS - 1 : MOST_INTEGERS;
  for (const value of values) {
    const classes = classify(value.plain);
    const words = classes === 'memory' ? [] : classes;
    const [i, v] = [words.filter((word) => word === 'integer').length, words.filter((word) => word === 'vector').length];
    if (classes === 'memory' || integers.length + i > mostIntegers || vectors.length + v > MOST_VECTORS) {
      if (stack.length % 16 !== 0 && value.plain.size >= 16 && natureOf(value.plain) === 'float') stack.push(...new Uint8Array(8));
      stack.push(...value.bytes, ...new Uint8Array((8 - (value.bytes.length % 8)) % 8));
      continue;
    }
    words.forEach((word, n) => {
      const bits = isIntegral(value.plain) && value.plain.size < 8 ? BigInt.asUintN(64, toInteger(value)) : fromBytes(value.bytes.subarray(n * 8, n * 8 + 8));
      (word === 'integer' ? integers : vectors).push(bits);
    });
  }
  return { integers, vectors, stack: Uint8Array.from(stack) };
}

/** What registers each eight bytes of a value go to, or that it goes to memory. */
function classify(type: PlainType): readonly EightByte[] | 'memory' {
  const nature = natureOf(type);
  if (nature === 'void') return [];
  if (nature === 'float') return type.size > 8 ? 'memory' : ['vector'];
  if (type.kind === 'struct' || type.kind === 'array') return type.size > 16 ? 'memory' : aggregate(type);
  return type.size > 8 ? ['integer', 'integer'] : ['integer'];
}

function aggregate(type: PlainType): readonly EightByte[] {
  const words: EightByte[] = Array.from({ length: Math.ceil(type.size / 8) }, () => 'vector');
  const visit = (inner: PlainType, offset: number, depth: number): void => {
    if (depth > 8) return;
    if (inner.kind === 'struct') {
      for (const member of inner.members) if (!member.isStatic) visit(strip(member.type), offset + member.offset, depth + 1);
      for (const base of inner.bases) visit(strip(base.type), offset + (base.offset ?? 0), depth + 1);
    } else if (inner.kind === 'array') {
      const element = strip(inner.element);
      for (let i = 0; i < Math.min(inner.count ?? 0, 16); i++) visit(element, offset + i * element.size, depth + 1);
    } else if (natureOf(inner) !== 'float') words[offset >> 3] = 'integer';
  };
  visit(type, 0, 0);
  return words;
}

/** What a function has returned, from the registers that it left it in. */
export function resultValue(around: Surroundings, type: Type, result: CallResult): Value {
  const plain = strip(type);
  if (natureOf(plain) === 'void') return voidValue(around, type);
  if (natureOf(plain) === 'float' && plain.size > 8) return new Value(around, type, COMPUTED, { bytes: toBytes(result.st0, plain.size) });
  const classes = classify(plain);
  if (classes === 'memory') return new Value(around, type, { kind: 'memory', address: result.rax }).kept();
  const [integers, vectors] = [[result.rax, result.rdx], [result.xmm0, result.xmm1]];
  const words = classes.map((word) => BigInt.asUintN(64, (word === 'integer' ? integers : vectors).shift() ?? 0n));
  const bits = words.reduceRight((sum, word) => (sum << 64n) | word, 0n);
  return new Value(around, type, COMPUTED, { bytes: toBytes(bits, plain.size) });
}
