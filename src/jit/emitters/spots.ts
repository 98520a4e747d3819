/**
 * Emitters of what logs at spots (ir/spotOps.ts): a store looks at a byte of a table, a return at the place of its
 * stack pointer; all else is for helpers (helpers/spots.ts), which run where something is to be logged only.
 */
import { GUEST_BASE, SPOT_LINE, SPOT_LINES, SPOT_REPEATED, SPOT_REPEATED_AT, SPOT_REPEATED_COUNT, SPOT_RETURN_ENTRIES, SPOT_RETURNS } from '../../layout/memoryMap.js';
import type { Emit, Emitters } from '../emit.js';
import { emitOffset } from '../memoryAccess.js';

/** From the linear offset of a guest byte / 64 to the byte of its line. */
const LINES = SPOT_LINES - GUEST_BASE / SPOT_LINE;

/** Two lines: a store may go over the end of one. */
function store(e: Emit): void {
  const { code } = e;
  const address = e.temp('i64');
  code.set(address);
  emitOffset(code, address);
  code.i32(Math.log2(SPOT_LINE)).op('i32.shr_u').mem('i32.load16_u', LINES).hint(false).if_();
  e.showTicks();
  code.get(address);
  e.imm();
  code.call(e.helper('spot.store')).end();
}

function range(e: Emit): void {
  e.showTicks();
  e.imm();
  e.code.call(e.helper('spot.range'));
}

/** The number of the site is stored plus one. */
function repeat(e: Emit): void {
  const { code } = e;
  const [address, count] = [e.temp('i64'), e.temp('i64')];
  code.set(count).set(address);
  code.i32(0).get(address).mem('i64.store', SPOT_REPEATED_AT, 3);
  code.i32(0).get(count).mem('i64.store', SPOT_REPEATED_COUNT, 3);
  code.i32(0);
  e.imm();
  code.i32(1).op('i32.add').mem('i32.store', SPOT_REPEATED, 2);
}

function repeated(e: Emit): void {
  e.showTicks();
  e.imm();
  e.code.call(e.helper('spot.repeated'));
}

function pass(e: Emit): void {
  e.showTicks();
  e.imm();
  e.code.call(e.helper('spot.pass'));
}

function call(e: Emit): void {
  e.showTicks();
  e.imm();
  e.code.call(e.helper('spot.call'));
}

function returns(e: Emit): void {
  const { code } = e;
  const [stack, result] = [e.temp('i64'), e.temp('i64')];
  code.set(result).tee(stack).op('i32.wrap_i64').i32((SPOT_RETURN_ENTRIES - 1) * 8).op('i32.and').mem('i64.load', SPOT_RETURNS, 3);
  code.get(stack).op('i64.eq').hint(false).if_();
  e.showTicks();
  code.get(stack).get(result);
  e.imm();
  code.call(e.helper('spot.return')).end();
}

export const SPOT_EMITTERS: Emitters = {
  'spot.store': store, 'spot.range': range, 'spot.repeat': repeat, 'spot.repeated': repeated, 'spot.pass': pass, 'spot.call': call, 'spot.return': returns,
};
