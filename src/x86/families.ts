/** All instruction families. A new family is one line here. */
import type { Family } from './lift.js';
import { MMX } from './mmx.js';
import { MOVES } from './moves.js';
import { SSE_INT } from './sseInt.js';
import { SSE_INT_MULTIPLY } from './sseIntMultiply.js';
import { SSE_INT_SHIFTS } from './sseIntShifts.js';
import { SSE_MOVES } from './sseMoves.js';
import { SSE_SHUFFLE } from './sseShuffle.js';
import { SSE_STRING } from './sseString.js';

export const FAMILIES: readonly Family[] = [MOVES, SSE_MOVES, SSE_INT, SSE_INT_MULTIPLY, SSE_INT_SHIFTS, SSE_SHUFFLE, SSE_STRING, MMX];
