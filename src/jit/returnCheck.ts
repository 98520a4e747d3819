/**
 * A return that goes where no call comes from is noticed, if an analysis wants to know (Engine.checkReturns): blocks
 * that come after a call are marked when a return leads there for the first time, so that it costs nothing more than a
 * look at the mark. Returns that go where the calling region expects them do not even look.
 */
import { CHECKS_RETURNS } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import { ENTRY_LAYOUT, emitEntryAddress } from './blockTable.js';
import { ENTER_LAYOUT } from './bytecode.js';

/** `astray` leaves, if the block at the address in an i64 local is not marked. `entry` is a scratch i32 local. */
export function emitReturnCheck(code: Code, address: number, entry: number, astray: () => void): void {
  code.i32(0).mem('i32.load', CHECKS_RETURNS, 2).hint(false).if_();
  emitEntryAddress(code, address);
  code.tee(entry).mem('i64.load', ENTRY_LAYOUT.address, 3).get(address).op('i64.ne');
  // Where there is no bytecode, the first words of the memory are looked at: those of a register, but then one more
  // look does no harm.
  code.get(entry).mem('i32.load', ENTRY_LAYOUT.bytecode, 2).tee(entry).op('i32.eqz').op('i32.or');
  code.get(entry).mem('i32.load', ENTER_LAYOUT.afterCall, 2).op('i32.eqz').op('i32.or').if_();
  astray();
  code.end();
  code.end();
}
