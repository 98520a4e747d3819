/** Emitters of flags, wide multiplication and division, CRC, and fxsave. */
import { SYS } from '../../ir/sysCalls.js';
import type { Emit, Emitter, Emitters } from '../emit.js';

/** The operands are on the stack already; the helper has the operation's name. */
function call(name: string): Emitter {
  return (e) => {
    e.code.call(e.helper(name));
  };
}

/** The immediate is the helper's last argument. */
function callWithImm(name: string): Emitter {
  return (e) => {
    e.imm();
    e.code.call(e.helper(name));
  };
}

/** The only exception that these raise by themselves. */
const GENERAL_PROTECTION = 13;

/** sys.call returns 0 when done, -1 for a fault that it has described, else says that it is an exception. */
function sysCall(e: Emit): void {
  const status = e.temp('i32');
  callWithImm('sys.call')(e);
  e.code.tee(status).i32(-1).op('i32.eq').if_();
  e.fault();
  e.code.end();
  e.code.get(status).if_();
  e.trap(GENERAL_PROTECTION);
  e.code.end();
}

/** The handler of a hook wants to know the time. */
function hook(e: Emit): void {
  e.imm();
  askHook(e);
}

function askHook(e: Emit): void {
  e.showTicks();
  e.code.call(e.helper('sys.call'));
  e.code.if_();
  e.fault();
  e.code.end();
}

function look(e: Emit): void {
  const { code } = e;
  const address = e.temp('i64');
  code.set(address);
  e.imm();
  code.call(e.helper('look.isOrdinary')).op('i32.eqz').hint(false).if_();
  code.get(address).i32(SYS.HOOK_LOOK);
  askHook(e);
  code.end();
}

const PLAIN = ['cc.flags', 'mul.hi_u', 'mul.hi_s', 'div.quot_u', 'div.quot_s', 'div.rem_u', 'div.rem_s', 'div.overflows_u', 'div.overflows_s'];

export const INTEGER_EMITTERS: Emitters = {
  ...Object.fromEntries(PLAIN.map((name): [string, Emitter] => [name, call(name)])),
  'cc.cond': callWithImm('cc.cond'),
  crc32c: callWithImm('crc32c'),
  'sys.call': sysCall,
  'sys.fpuImage': sysCall,
  'sys.hook': hook,
  'sys.look': look,
  'sys.frameHook': hook,
};
