/** Emitters of flags, wide multiplication and division, CRC, and fxsave. */
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

/** What is on the stack is not 0: leave with the fault that the helper has described. */
function faultIfNotZero(e: Emit): void {
  e.code.if_();
  e.fault();
  e.code.end();
}

function fpuImage(e: Emit): void {
  callWithImm('sys.call')(e);
  faultIfNotZero(e);
}

const PLAIN = ['cc.flags', 'mul.hi_u', 'mul.hi_s', 'div.quot_u', 'div.quot_s', 'div.rem_u', 'div.rem_s', 'div.overflows_u', 'div.overflows_s'];

export const INTEGER_EMITTERS: Emitters = {
  ...Object.fromEntries(PLAIN.map((name): [string, Emitter] => [name, call(name)])),
  'cc.cond': callWithImm('cc.cond'),
  crc32c: callWithImm('crc32c'),
  'sys.fpuImage': fpuImage,
};
