/** All helpers of the x87 FPU. They stand on softfloat/ (f80.*, sf.*). */
import { X87_RUN } from '../../ir/x87Ops.js';
import type { HelperDef } from '../emit.js';
import { ARITH_HELPERS } from './x87Arith.js';
import { ATAN_HELPERS } from './x87Atan.js';
import { CLASS_HELPERS } from './x87Class.js';
import { CONTROL_HELPERS } from './x87Control.js';
import { FAST_HELPERS } from './x87Fast.js';
import { defineHelper, switch_ } from './x87Fn.js';
import { LOG_HELPERS } from './x87Log.js';
import { MOVE_HELPERS } from './x87Move.js';
import { SCALE_HELPERS } from './x87Scale.js';
import { STACK_HELPERS } from './x87Stack.js';
import { TRIG_HELPERS } from './x87Trig.js';
import { WIDE_HELPERS } from './x87Wide.js';

/** For the interpreter, which knows only at run time which of them it is. */
const run = defineHelper('x87.run', ['i32'], [], (f, which) => {
  switch_(f, which, X87_RUN.map((name) => () => f.callInto([], `x87.${name}`)));
});

export const X87_HELPERS: readonly HelperDef[] = [
  ...STACK_HELPERS, ...CLASS_HELPERS, ...MOVE_HELPERS, ...FAST_HELPERS, ...ARITH_HELPERS, ...SCALE_HELPERS, ...CONTROL_HELPERS,
  ...WIDE_HELPERS, ...TRIG_HELPERS, ...LOG_HELPERS, ...ATAN_HELPERS, run,
];
