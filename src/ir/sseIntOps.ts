/** Operations of MMX state and of the SSE4.2 string instructions. The rest of integer SIMD is plain WebAssembly. */
import type { OpRow } from './opDef.js';

export const SSE_INT_OPS: readonly OpRow[] = [
  /**
   * Read and write MMX register imm (0..7). Either takes the x87 over, as every MMX instruction
   * does: TOP = 0, all registers full.
   */
  { name: 'mmx.get', params: [], result: 'i64', effect: 'state', imm: 'i32' },
  { name: 'mmx.set', params: ['i64'], result: null, effect: 'state', imm: 'i32' },
  /** emms: TOP = 0, all registers empty. */
  { name: 'mmx.leave', params: [], result: null, effect: 'state' },
  /**
   * pcmpistri and family, up to IntRes2 of the manual: (x, y, length of x, length of y), imm = the
   * instruction's control byte. One operation for bytes, one for words.
   */
  { name: 'pcmpstr.bytes', params: ['v128', 'v128', 'i32', 'i32'], result: 'i32', imm: 'i32' },
  { name: 'pcmpstr.words', params: ['v128', 'v128', 'i32', 'i32'], result: 'i32', imm: 'i32' },
];
