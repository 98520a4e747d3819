/**
 * Operations that look out for bytes that have not been written, and keep account of them (layout/memoryMap.ts,
 * UNWRITTEN_BYTES). They are woven into blocks (weaveInit.ts) where an analysis wants to know, and appear nowhere else.
 */
import { DF, FS_BASE, GS_BASE, RAX, RCX, RDI, RSI } from '../layout/cpuState.js';
import type { OpRow } from './opDef.js';

/** Sizes of accesses. */
const INIT_SIZES = [1, 2, 4, 8, 16] as const;

const STRING = [RAX, RCX, RSI, RDI, DF, FS_BASE, GS_BASE];

export const INIT_OPS: readonly OpRow[] = [
  /** Leaves before the instruction if one of the bytes at address + imm is unwritten. */
  ...INIT_SIZES.map((bytes): OpRow => ({ name: `init.check${bytes}`, params: ['i64'], result: null, effect: 'track', imm: 'disp' })),
  /** The bytes at address + imm are written from now on. */
  ...INIT_SIZES.map((bytes): OpRow => ({ name: `init.mark${bytes}`, params: ['i64'], result: null, effect: 'track', imm: 'disp' })),
  /**
   * The 128 bytes below the address, where a function is about to begin, are unwritten from now on: it may use them
   * without moving the stack pointer.
   */
  { name: 'init.call', params: ['i64'], result: null, effect: 'track' },
  /**
   * The stack pointer has moved to imm bytes below the address: so many bytes more are unwritten from now on, below the
   * 128 that may have been used already.
   */
  { name: 'init.frame', params: ['i64'], result: null, effect: 'track', imm: 'i32' },
  /** The same if it has moved from the second address to the first. */
  { name: 'init.alloca', params: ['i64', 'i64'], result: null, effect: 'track' },
  /** Leaves if the address is NULL, or that of a string with an unwritten byte. */
  { name: 'init.string', params: ['i64'], result: null, effect: 'track' },
  /** What a repeated movs or stos is about to do; imm as for those. */
  { name: 'init.movs', params: [], result: null, effect: 'helper', imm: 'i32', touches: STRING },
  { name: 'init.stos', params: [], result: null, effect: 'helper', imm: 'i32', touches: STRING },
  /** Leaves before the block if one of the groups of registers in imm (registerGroups.ts) has shadow. */
  { name: 'init.registers', params: [], result: null, effect: 'track', imm: 'i32' },
];
