/** Emitters of the repeated string instructions: the helper runs the loop and returns -1 at a fault. */
import type { Emit, Emitters } from '../emit.js';

function emitRep(name: string, hasResult: boolean): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const status = e.temp('i32');
    e.imm();
    code.call(e.helper(name)).tee(status).i32(-1).op('i32.eq').if_();
    e.fault();
    code.end();
    if (hasResult) code.get(status);
  };
}

export const STRING_EMITTERS: Emitters = {
  'rep.movs': emitRep('rep.movs', false),
  'rep.stos': emitRep('rep.stos', false),
  'rep.lods': emitRep('rep.lods', false),
  'rep.cmps': emitRep('rep.cmps', true),
  'rep.scas': emitRep('rep.scas', true),
};
