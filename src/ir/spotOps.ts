/**
 * Operations that log what happens at spots (machine/observation/spotLog.ts): stores to some memory, with what was
 * stored; places of the code that are come to; calls of functions, and their results. A pass puts them into blocks
 * (spotPass.ts) where an analysis asks for them. None of them can fault or leave. The immediate names a site
 * (spotSites.ts).
 */
import type { OpRow } from './opDef.js';

/** The immediate of spot.store: the number of the site above the number of bytes. */
export const SPOT_BYTES_BITS = 5;

export const SPOT_OPS: readonly OpRow[] = [
  /** Bytes at the address have just been stored; imm: site and bytes. */
  { name: 'spot.store', params: ['i64'], result: null, effect: 'log', imm: 'i32' },
  /** So many bytes from the address on have just been stored. */
  { name: 'spot.range', params: ['i64', 'i64'], result: null, effect: 'log', imm: 'i32' },
  /** A repeated string instruction is about to store at the address (rdi), so many times (rcx). */
  { name: 'spot.repeat', params: ['i64', 'i64'], result: null, effect: 'log', imm: 'i32' },
  /** It has: rcx now, and whether it went downward; imm: bytes of an element. */
  { name: 'spot.repeated', params: ['i64', 'i32'], result: null, effect: 'log', imm: 'i32' },
  /** The instruction is about to be executed: rsp, rdi, rsi, rdx. */
  { name: 'spot.pass', params: ['i64', 'i64', 'i64', 'i64'], result: null, effect: 'log', imm: 'i32' },
  /** The same for the first of a function, whose return is logged, too. */
  { name: 'spot.call', params: ['i64', 'i64', 'i64', 'i64'], result: null, effect: 'log', imm: 'i32' },
  /** A function is about to return: rsp, rax. It is logged if it is one whose call was. */
  { name: 'spot.return', params: ['i64', 'i64'], result: null, effect: 'log', imm: 'i32' },
];
