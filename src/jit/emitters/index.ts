/** All emitters of operations that are not single WebAssembly instructions, state or memory. */
import type { Emitters } from '../emit.js';
import { SSE_INT_EMITTERS } from './sseInt.js';

export const EMITTERS: Emitters = { ...SSE_INT_EMITTERS };
