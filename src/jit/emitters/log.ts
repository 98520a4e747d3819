/**
 * Emitters of what logs blocks and addresses (ir/logOps.ts): a store and an addition for a block, a store for an
 * address.
 */
import { LOG_ADDRESSES_TOP, LOG_BLOCKS_TOP } from '../../layout/memoryMap.js';
import type { Emit, Emitters } from '../emit.js';

const BLOCK_BYTES = 4;

function block(e: Emit): void {
  const { code } = e;
  const top = e.temp('i32');
  code.i32(0).mem('i32.load', LOG_BLOCKS_TOP, 2).tee(top);
  e.imm();
  code.mem('i32.store', 0, 2);
  code.i32(0).get(top).i32(BLOCK_BYTES).op('i32.add').mem('i32.store', LOG_BLOCKS_TOP, 2);
}

function room(e: Emit): void {
  const { code } = e;
  code.i32(0).i32(0).mem('i32.load', LOG_ADDRESSES_TOP, 2);
  e.imm();
  code.op('i32.add').mem('i32.store', LOG_ADDRESSES_TOP, 2);
}

/**
 * All that retired instructions access is in the lower half of the address space, so the sign does not matter; counts
 * may be negative.
 */
function address(e: Emit): void {
  const { code } = e;
  const number = e.temp('f64');
  code.op('f64.convert_i64_s').set(number);
  code.i32(0).mem('i32.load', LOG_ADDRESSES_TOP, 2);
  if (e.knownImm === null) {
    e.imm();
    code.op('i32.add');
  }
  code.get(number).mem('f64.store', e.knownImm ?? 0, 3);
}

export const LOG_EMITTERS: Emitters = { 'log.block': block, 'log.room': room, 'log.address': address };
