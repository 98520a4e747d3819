/** All helper functions. */
import type { HelperDef } from '../emit.js';
import { MEMORY_HELPERS } from '../memoryAccess.js';
import { SSE_INT_HELPERS } from './sseInt.js';

export const HELPERS: readonly HelperDef[] = [...MEMORY_HELPERS, ...SSE_INT_HELPERS];
