/** Helpers of SSE floating point: whole vector operations with exact results and flags (see softfloat/). */
import type { HelperDef } from '../emit.js';
import { APPROXIMATE_HELPERS } from '../softfloat/approximate.js';
import { LANE_HELPERS } from '../softfloat/lanes.js';
import { VECTOR_CONVERT_HELPERS } from '../softfloat/vectorConvert.js';
import { VECTOR_HELPERS } from '../softfloat/vectors.js';

export const SSE_FLOAT_HELPERS: readonly HelperDef[] = [
  ...LANE_HELPERS, ...VECTOR_HELPERS, ...VECTOR_CONVERT_HELPERS, ...APPROXIMATE_HELPERS,
];
