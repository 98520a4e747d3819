/**
 * Which bytes of their operands the results of SSE floating-point operations depend on: lanes. Rounding modes and
 * sticky exceptions are no dependence (cells.ts).
 */
import { type Node, NONE, type Value } from '../ir.js';
import { TYPE_BYTES } from '../meaning/pureOperation.js';
import type { OpDef, Type } from '../opDef.js';
import type { Bytes } from './pureBytes.js';
import { CONSTANT, type Refs, unionOf } from './refs.js';

const VECTOR_BYTES = 16;
/** Their result comes from the second operand alone. */
const UNARY = /^(sqrt|round|cvt)/;

export function sseBytes(node: Node, { name, result }: OpDef, bytes: (value: Value) => Bytes): Bytes {
  const operation = name.slice('sse.'.length);
  const [a, b] = [bytes(node.a), node.b === NONE ? [] : bytes(node.b)];
  if (result !== 'v128') {
    const low = operation.includes('ss') ? 4 : 8;
    return Array<Refs>(TYPE_BYTES[result as Type]).fill(unionOf([...a.slice(0, low), ...b.slice(0, low)]));
  }
  switch (operation) {
    case 'cvtsi2sd_32': case 'cvtsi2sd_64': return scalar(a, b, 8);
    case 'cvtsi2ss_32': case 'cvtsi2ss_64': return scalar(a, b, 4);
    case 'cvtss2sd': return scalar(a, b.slice(0, 4), 8);
    case 'cvtsd2ss': return scalar(a, b.slice(0, 8), 4);
    case 'cvtps2pd': case 'cvtdq2pd': return resized(a, 4, 8);
    case 'cvtpd2ps': case 'cvtpd2dq': case 'cvttpd2dq': return resized(a, 8, 4);
    case 'cvtdq2ps': case 'cvtps2dq': case 'cvttps2dq': case 'rcp_ps': case 'rsqrt_ps': return resized(a, 4, 4);
    default: return formed(operation, a, b);
  }
}

/** The suffix says which lanes are meant. */
function formed(operation: string, a: Bytes, b: Bytes): Bytes {
  const form = operation.slice(-2);
  const lane = form.endsWith('s') ? 4 : 8;
  const isUnary = UNARY.test(operation);
  if (form.startsWith('s')) return scalar(a, isUnary ? b.slice(0, lane) : [...a.slice(0, lane), ...b.slice(0, lane)], lane);
  return Array.from({ length: VECTOR_BYTES }, (_, i) => {
    const at = i - (i % lane);
    return unionOf([...(isUnary ? [] : a.slice(at, at + lane)), ...b.slice(at, at + lane)]);
  });
}

/** The low lane is made of `from`; the rest stays. */
function scalar(kept: Bytes, from: Bytes, lane: number): Bytes {
  const made = unionOf(from);
  return kept.map((refs, i) => (i < lane ? made : refs));
}

/** Lane by lane, from one size to another. */
function resized(a: Bytes, from: number, to: number): Bytes {
  return Array.from({ length: VECTOR_BYTES }, (_, i) => {
    const at = Math.floor(i / to) * from;
    return at >= VECTOR_BYTES ? CONSTANT : unionOf(a.slice(at, at + from));
  });
}
