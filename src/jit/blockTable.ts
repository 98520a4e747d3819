/**
 * The block table in linear memory: guest address -> translated code. Direct-mapped: an address has
 * one place, and a newer block there simply displaces an older one (the code cache keeps them all
 * and puts one back when it is asked for). An entry is
 *
 *   u64 guest address, i32 compiled (see below, 0 = none), i32 bytecode (linear offset, 0 = none)
 *
 * `compiled` says which region, by its index in the function table, and at which of its entries.
 */
import { BLOCK_TABLE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';

export const ENTRY_LAYOUT = { address: 0, compiled: 8, bytecode: 12, size: 16 } as const;
const FUNCTION_BITS = 20;
/** Indices in the function table are below this. */
export const MOST_FUNCTIONS = 1 << FUNCTION_BITS;
const INDEX_BITS = 20;
const INDEX_MASK = ((1 << INDEX_BITS) - 1) << 4;

/** The linear offset of the entry for a guest address. */
export function entryOffset(address: number): number {
  const low = address % 0x1_0000_0000;
  return BLOCK_TABLE + ((((low << 4) ^ (low >>> 12)) & INDEX_MASK) >>> 0);
}

export function compiledWord(functionIndex: number, which: number): number {
  return ((which << FUNCTION_BITS) | functionIndex) >>> 0;
}

export function functionIndexOf(word: number): number {
  return word & ((1 << FUNCTION_BITS) - 1);
}

/** Pushes the index in the function table that the compiled word in a local says. */
export function emitFunctionIndex(code: Code, word: number): void {
  code.get(word).i32((1 << FUNCTION_BITS) - 1).op('i32.and');
}

/** Pushes the number of the entry that the compiled word in a local says. */
export function emitWhich(code: Code, word: number): void {
  code.get(word).i32(FUNCTION_BITS).op('i32.shr_u');
}

/** Pushes the linear offset of the entry for the address in an i64 local. */
export function emitEntryAddress(code: Code, address: number): void {
  code.get(address).op('i32.wrap_i64').i32(4).op('i32.shl');
  code.get(address).op('i32.wrap_i64').i32(12).op('i32.shr_u').op('i32.xor');
  code.i32(INDEX_MASK).op('i32.and').i32(BLOCK_TABLE).op('i32.add');
}
