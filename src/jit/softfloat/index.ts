/**
 * All softfloat helpers: functions on unpacked numbers (sf.*), the 80-bit format (f80.*), single and double
 * (sse.soft*).
 */
import type { HelperDef } from '../emit.js';
import { ARITH_HELPERS } from './arith.js';
import { F80_ARITH_HELPERS } from './f80Arith.js';
import { F80_CONVERT_HELPERS } from './f80Convert.js';
import { INTEGER_HELPERS } from './integer.js';
import { NARROW_ARITH_HELPERS } from './narrowArith.js';
import { NARROW_COMPARE_HELPERS } from './narrowCompare.js';
import { NARROW_CONVERT_HELPERS } from './narrowConvert.js';
import { UNPACK_HELPERS } from './narrowFormat.js';
import { ROUND_HELPERS } from './round.js';

export const SOFTFLOAT_HELPERS: readonly HelperDef[] = [
  ...ROUND_HELPERS, ...INTEGER_HELPERS, ...ARITH_HELPERS, ...F80_ARITH_HELPERS, ...F80_CONVERT_HELPERS,
  ...UNPACK_HELPERS, ...NARROW_ARITH_HELPERS, ...NARROW_COMPARE_HELPERS, ...NARROW_CONVERT_HELPERS,
];
