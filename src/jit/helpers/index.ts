/** All helper functions. */
import type { HelperDef } from '../emit.js';
import { MEMORY_HELPERS } from '../memoryAccess.js';

export const HELPERS: readonly HelperDef[] = [...MEMORY_HELPERS];
