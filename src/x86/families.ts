/** All instruction families. A new family is one line here. */
import type { Family } from './lift.js';
import { MOVES } from './moves.js';
import { SSE_INT } from './sseInt.js';
import { SSE_MOVES } from './sseMoves.js';
import { SSE_SHUFFLE } from './sseShuffle.js';

export const FAMILIES: readonly Family[] = [MOVES, SSE_MOVES, SSE_INT, SSE_SHUFFLE];
