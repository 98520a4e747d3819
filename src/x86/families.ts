/** All instruction families. A new family is one line here. */
import type { Family } from './lift.js';
import { MOVES } from './moves.js';

export const FAMILIES: readonly Family[] = [MOVES];
