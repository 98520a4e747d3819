/** All helper functions. */
import type { HelperDef } from '../emit.js';
import { MEMORY_HELPERS } from '../watching.js';
import { SOFTFLOAT_HELPERS } from '../softfloat/index.js';
import { FLAGS_HELPERS } from './flags.js';
import { INIT_HELPERS } from './init.js';
import { LOOK_HELPERS } from './look.js';
import { INTEGER_HELPERS } from './integer.js';
import { SPOT_HELPERS } from './spots.js';
import { SSE_FLOAT_HELPERS } from './sseFloat.js';
import { SSE_INT_HELPERS } from './sseInt.js';
import { STRING_HELPERS } from './strings.js';
import { X87_HELPERS } from './x87.js';

export const HELPERS: readonly HelperDef[] = [
  ...MEMORY_HELPERS, ...FLAGS_HELPERS, ...INTEGER_HELPERS, ...STRING_HELPERS, ...SSE_INT_HELPERS, ...SOFTFLOAT_HELPERS, ...SSE_FLOAT_HELPERS, ...X87_HELPERS, ...INIT_HELPERS, ...LOOK_HELPERS, ...SPOT_HELPERS,
];
