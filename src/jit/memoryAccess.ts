/**
 * Guest memory access as WebAssembly: the check of layout/memoryMap.ts, then the access itself.
 */
import {
  FAULT_ADDRESS, FAULT_INFO,
} from '../layout/cpuState.js';
import { ENTRY_REACH, GUEST_BASE, READ_TABLE, STATE_BASE, WATCHED_PAGES, WRITE_TABLE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import type { WasmOp } from '../wasm/opcodes.js';
import type { HelperDef } from './emit.js';
import { FAULT_WRITE } from './exits.js';

/** The WebAssembly access behind each load and store operation. */
export const ACCESS_OP: Readonly<Record<string, WasmOp>> = {
  load8_u: 'i32.load8_u', load8_s: 'i32.load8_s', load16_u: 'i32.load16_u', load16_s: 'i32.load16_s',
  load32: 'i32.load', load64: 'i64.load', load128: 'v128.load',
  store8: 'i32.store8', store16: 'i32.store16', store32: 'i32.store', store64: 'i64.store', store128: 'v128.store',
};

/** Pushes 1 if the access of `bytes` at the address in local `address` must take the slow path, else 0. */
export function emitCheck(code: Code, address: number, bytes: number, write: boolean): void {
  emitTableIndex(code, address);
  code.mem('i64.load', write ? WRITE_TABLE : READ_TABLE, 3);
  code.get(address).i64num(bytes).op('i64.add').op('i64.sub').i64num(ENTRY_REACH).op('i64.ge_u');
}

/** The same, but 1 also if the page is watched. `index` is a scratch i32 local; what the check without that compares goes to i64 local `rest`. */
export function emitWatchfulCheck(code: Code, address: number, bytes: number, write: boolean, index: number, rest: number): void {
  emitTableIndex(code, address);
  code.tee(index).mem('i64.load', write ? WRITE_TABLE : READ_TABLE, 3);
  code.get(address).i64num(bytes).op('i64.add').op('i64.sub').tee(rest);
  code.get(index).mem('i64.load', WATCHED_PAGES, 3).op('i64.or').i64num(ENTRY_REACH).op('i64.ge_u');
}

/** Pushes the offset in a table of the entry for the address in a local. */
export function emitTableIndex(code: Code, address: number): void {
  code.get(address).op('i32.wrap_i64').i32(9).op('i32.shr_u').i32(0x3ffff8).op('i32.and');
}

/** The check, the slow path behind it, and `otherwise` where that says no too. */
export function emitCheckOrResolve(code: Code, address: number, bytes: number, write: boolean, watching: boolean, slow: number, otherwise: () => void): void {
  if (watching) emitWatchfulCheck(code, address, bytes, write, code.local('i32', 'index'), code.local('i64', 'rest'));
  else emitCheck(code, address, bytes, write);
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

/**
 * mem.slow(address, bytes, write) -> 1 if the access may proceed directly in linear memory, 0 if it
 * faults (FAULT_ADDRESS and FAULT_INFO are then set). If the table does not allow it, asks JavaScript.
 */
export const MEMORY_HELPERS: readonly HelperDef[] = [
  {
    name: 'mem.slow',
    params: ['i64', 'i32', 'i32'],
    results: ['i32'],
    build(code, helper) {
      const [address, bytes, write] = [0, 1, 2];
      emitTableIndex(code, address);
      code.i32(WRITE_TABLE).i32(READ_TABLE).get(write).select().op('i32.add').mem('i64.load', 0, 3);
      code.get(address).get(bytes).op('i64.extend_i32_u').op('i64.add').op('i64.sub').i64num(ENTRY_REACH).op('i64.lt_u').if_();
      code.i32(1).ret();
      code.end();
      code.i32(STATE_BASE).get(address).mem('i64.store', FAULT_ADDRESS.offset, 3);
      code.i32(STATE_BASE).get(bytes).i32(FAULT_WRITE).i32(0).get(write).select().op('i32.or').mem('i32.store', FAULT_INFO.offset, 2);
      code.call(helper('js.resolve'));
    },
  },
];
