/** SSE floating-point operations: they read and write MXCSR, which is why they are not plain WebAssembly. */
import type { OpRow } from './opDef.js';

export const SSE_OPS: readonly OpRow[] = [];
