/** Helpers of what propagates the shadow of memory (ir/shadowOps.ts). */
import { GUEST_BASE, OVERWRITTEN_TOP, STACK_REACH, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';

const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
const WORD = 8;
const WORD_BYTES = 16;
/** shadow.keep(address, bytes, stack pointer): words that have no shadow are noted, as far as they are on the stack. */
const KEEP: HelperDef = {
  name: 'shadow.keep', params: ['i64', 'i32', 'i64'], results: [],
  build(code) {
    const [address, bytes, stack] = [0, 1, 2];
    const [at, end] = [code.local('i64', 'at'), code.local('i64', 'end')];
    const [linear, top] = [code.local('i32', 'linear'), code.local('i32', 'top')];
    code.get(address).get(bytes).op('i64.extend_i32_u').op('i64.add').tee(end).get(stack).op('i64.le_u').if_();
    code.ret();
    code.end();
    code.get(address).get(stack).i64num(STACK_REACH).op('i64.add').op('i64.gt_u').if_();
    code.ret();
    code.end();
    code.get(address).get(stack).get(address).get(stack).op('i64.gt_u').select().i64num(-WORD).op('i64.and').set(at);
    const next = code.loop();
    code.get(at).get(end).op('i64.lt_u').if_();
    code.get(at).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').tee(linear).i32(3).op('i32.shr_u').mem('i32.load8_u', BITS).op('i32.eqz').if_();
    code.i32(0).mem('i32.load', OVERWRITTEN_TOP, 2).tee(top).get(at).mem('i64.store', 0, 3);
    code.get(top).get(linear).mem('i64.load', 0, 3).mem('i64.store', WORD, 3);
    code.i32(0).get(top).i32(WORD_BYTES).op('i32.add').mem('i32.store', OVERWRITTEN_TOP, 2);
    code.end();
    code.get(at).i64num(WORD).op('i64.add').set(at).br(next);
    code.end();
    code.end();
  },
};

export const SHADOW_HELPERS: readonly HelperDef[] = [KEEP];
