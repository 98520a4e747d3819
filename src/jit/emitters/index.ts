/** All emitters of operations that are not single WebAssembly instructions, state or memory. */
import type { Emitters } from '../emit.js';
import { INIT_EMITTERS } from './init.js';
import { INTEGER_EMITTERS } from './integer.js';
import { LOG_EMITTERS } from './log.js';
import { SHADOW_EMITTERS } from './shadow.js';
import { SPOT_EMITTERS } from './spots.js';
import { SSE_FLOAT_EMITTERS } from './sseFloat.js';
import { SSE_INT_EMITTERS } from './sseInt.js';
import { STRING_EMITTERS } from './strings.js';
import { X87_EMITTERS } from './x87.js';

export const EMITTERS: Emitters = { ...INTEGER_EMITTERS, ...STRING_EMITTERS, ...SSE_INT_EMITTERS, ...SSE_FLOAT_EMITTERS, ...X87_EMITTERS, ...INIT_EMITTERS, ...LOG_EMITTERS, ...SPOT_EMITTERS, ...SHADOW_EMITTERS };
