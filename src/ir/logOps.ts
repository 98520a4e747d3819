/**
 * Operations that log what is executed (layout/memoryMap.ts, LOG_*): the blocks that are entered, and the addresses
 * that their instructions access.
 * A pass puts them into blocks (logPass.ts) where an analysis observes; they appear nowhere else. None of them can
 * fault or leave.
 */
import type { OpRow } from './opDef.js';

export const LOG_OPS: readonly OpRow[] = [
  /** The block whose number is imm is entered. */
  { name: 'log.block', params: [], result: null, effect: 'log', imm: 'i32' },
  /** The block that was entered last logs imm bytes of addresses: they have their place from now on. */
  { name: 'log.room', params: [], result: null, effect: 'log', imm: 'i32' },
  /**
   * Puts a number of 64 bits, which is an address or a count, into that place; imm: LOG_BIAS less the bytes from it to
   * the end of the place.
   */
  { name: 'log.address', params: ['i64'], result: null, effect: 'log', imm: 'i32' },
];
