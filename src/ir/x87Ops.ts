/** x87 operations, on the register stack in linear memory. */
import type { OpRow } from './opDef.js';

export const X87_OPS: readonly OpRow[] = [];
