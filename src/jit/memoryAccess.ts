/**
 * Guest memory access as WebAssembly: the check of layout/memoryMap.ts, then the access itself.
 */
import {
  ENTRY_REACH, GUEST_BASE, READ_TABLE, REAL_READ_TABLE, REAL_WRITE_TABLE, LOOSE_REACH, VIEW_ENTRIES, VIEW_ENTRY_BYTES, VIEW_SPREAD, VIEW_TABLE, WRITE_TABLE,
} from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import type { WasmOp } from '../wasm/opcodes.js';

/** The WebAssembly access behind each load and store operation. */
export const ACCESS_OP: Readonly<Record<string, WasmOp>> = {
  load8_u: 'i32.load8_u', load8_s: 'i32.load8_s', load16_u: 'i32.load16_u', load16_s: 'i32.load16_s',
  load32: 'i32.load', load64: 'i64.load', load128: 'v128.load',
  store8: 'i32.store8', store16: 'i32.store16', store32: 'i32.store', store64: 'i64.store', store128: 'v128.store',
};

/** Pushes 1 if the access of `bytes` at the address in local `address` must take the slow path, else 0. */
export function emitCheck(code: Code, address: number, bytes: number, write: boolean): void {
  emitEntryCheck(code, address, bytes, write ? WRITE_TABLE : READ_TABLE);
}

/** The same where memory is watched, but it is no matter whether the page is. */
export function emitRealCheck(code: Code, address: number, bytes: number, write: boolean): void {
  emitEntryCheck(code, address, bytes, write ? REAL_WRITE_TABLE : REAL_READ_TABLE);
}

function emitEntryCheck(code: Code, address: number, bytes: number, table: number): void {
  emitTableIndex(code, address);
  code.mem('i64.load', table, 3);
  code.get(address).i64num(bytes).op('i64.add').op('i64.sub').i64num(ENTRY_REACH).op('i64.ge_u');
}

/** Pushes the offset in a table of the entry for the address in a local. */
export function emitTableIndex(code: Code, address: number): void {
  code.get(address).op('i32.wrap_i64').i32(9).op('i32.shr_u').i32(0x3ffff8).op('i32.and');
}

/**
 * Pushes 1 unless the address in an i64 local belongs to a view that all of `pushBytes` (an i64) lie in, on a page
 * whose entry in the table at the offset `pushTable` pushes is open, whichever guest page it belongs to. `entry` is a
 * scratch i32 local. If loose, they may lie a little outside (machine/views.ts).
 */
export function emitViewCheck(code: Code, address: number, pushBytes: () => void, pushTable: () => void, entry: number, isLoose = false): void {
  const pushEnd = (): Code => {
    code.get(address);
    pushBytes();
    return code.op('i64.add');
  };
  emitTableIndex(code, address);
  pushTable();
  code.op('i32.add').mem('i32.load', 0, 2);
  pushEnd().op('i32.wrap_i64').op('i32.sub').i32(0x7fff_ffff).op('i32.and').i32(ENTRY_REACH).op('i32.ge_u');
  emitOutsideOfView(code, address, pushEnd, entry, isLoose);
  code.op('i32.or');
}

/**
 * Pushes 1 unless what begins at the address in an i64 local and ends at the one that `pushEnd` pushes lies in the view
 * that is known of its page.
 */
export function emitOutsideOfView(code: Code, address: number, pushEnd: () => void, entry: number, isLoose = false): void {
  code.get(address).i64num(12).op('i64.shr_u').op('i32.wrap_i64').i32(VIEW_SPREAD * VIEW_ENTRY_BYTES).op('i32.mul');
  code.get(address).i64num(31 - Math.log2(VIEW_ENTRY_BYTES)).op('i64.shr_u').op('i32.wrap_i64').op('i32.add');
  code.i32((VIEW_ENTRIES - 1) * VIEW_ENTRY_BYTES).op('i32.and').set(entry);
  code.get(address);
  if (isLoose) code.i64num(LOOSE_REACH).op('i64.add');
  code.get(entry).mem('i64.load', VIEW_TABLE, 3).op('i64.sub');
  code.get(entry).mem('i64.load', VIEW_TABLE + 8, 3);
  pushEnd();
  if (isLoose) code.i64num(LOOSE_REACH).op('i64.sub');
  code.op('i64.sub').op('i64.or').i64num(0).op('i64.lt_s');
}

/** The check, the slow path behind it, and `otherwise` where that says no too. */
export function emitCheckOrResolve(code: Code, address: number, bytes: number, write: boolean, slow: number, otherwise: () => void): void {
  emitCheck(code, address, bytes, write);
  code.hint(false).if_();
  code.get(address).i32(bytes).i32(write ? 1 : 0).call(slow).op('i32.eqz').if_();
  otherwise();
  code.end();
  code.end();
}

/** Pushes the linear offset of the guest address in local `address`. */
export function emitOffset(code: Code, address: number): void {
  code.get(address).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or');
}
