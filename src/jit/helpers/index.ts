/** All helper functions. */
import type { HelperDef } from '../emit.js';
import { MEMORY_HELPERS } from '../memoryAccess.js';
import { FLAGS_HELPERS } from './flags.js';
import { INTEGER_HELPERS } from './integer.js';
import { SSE_INT_HELPERS } from './sseInt.js';
import { STRING_HELPERS } from './strings.js';

export const HELPERS: readonly HelperDef[] = [
  ...MEMORY_HELPERS, ...FLAGS_HELPERS, ...INTEGER_HELPERS, ...STRING_HELPERS, ...SSE_INT_HELPERS,
];
