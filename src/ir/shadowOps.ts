/**
 * Operations that propagate the shadow of memory (layout/memoryMap.ts, UNWRITTEN_BYTES), beside plain ones that do the
 * same for registers. They are part of blocks that follow shadow (propagation/), and appear nowhere else.
 */
import type { OpRow, Type } from './opDef.js';

const SIZES: readonly (readonly [bytes: number, type: Type])[] = [[1, 'i32'], [2, 'i32'], [4, 'i32'], [8, 'i64'], [16, 'v128']];

const sized = (row: (bytes: number, type: Type) => OpRow): readonly OpRow[] => SIZES.map(([bytes, type]) => row(bytes, type));

export const SHADOW_OPS: readonly OpRow[] = [
  /** Leaves before the instruction if one of the bytes at address + imm has shadow. */
  ...sized((bytes) => ({ name: `shadow.check${bytes}`, params: ['i64'], result: null, effect: 'track', imm: 'disp' })),
  /** The bytes at address + imm have no shadow any more. */
  ...sized((bytes) => ({ name: `shadow.mark${bytes}`, params: ['i64'], result: null, effect: 'track', imm: 'disp' })),
  /** The shadow of the bytes at address + imm: each of them has all of it, or none. */
  ...sized((bytes, type) => ({ name: `shadow.load${bytes}`, params: ['i64'], result: type, effect: 'track', imm: 'disp' })),
  /** What has just been stored at address + imm has this shadow: a byte all of it if one of its bits has some. */
  ...sized((bytes, type) => ({ name: `shadow.store${bytes}`, params: ['i64', type], result: null, effect: 'track', imm: 'disp' })),
  /**
   * Something is about to be stored at address + imm. If it has shadow (the second operand is not 0) words of the stack
   * (which ends where the third says) that have none go to OVERWRITTEN_WORDS.
   */
  ...sized((bytes) => ({ name: `shadow.keep${bytes}`, params: ['i64', 'i32', 'i64'], result: null, effect: 'track', imm: 'disp' })),
  /** Leaves before the instruction if the operand is not 0. */
  { name: 'shadow.leave', params: ['i32'], result: null, effect: 'track' },
];
