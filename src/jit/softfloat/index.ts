/** All softfloat helpers: functions on unpacked numbers (sf.*) and the 80-bit format (f80.*). */
import type { HelperDef } from '../emit.js';
import { ARITH_HELPERS } from './arith.js';
import { F80_ARITH_HELPERS } from './f80Arith.js';
import { F80_CONVERT_HELPERS } from './f80Convert.js';
import { INTEGER_HELPERS } from './integer.js';
import { ROUND_HELPERS } from './round.js';

export const SOFTFLOAT_HELPERS: readonly HelperDef[] = [
  ...ROUND_HELPERS, ...INTEGER_HELPERS, ...ARITH_HELPERS, ...F80_ARITH_HELPERS, ...F80_CONVERT_HELPERS,
];
