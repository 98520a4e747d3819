/** All instruction families. A new family is one line here. */
import type { Family } from './lift.js';
import { ARITHMETIC } from './arithmetic.js';
import { BITS } from './bits.js';
import { CONTROL } from './control.js';
import { EFLAGS } from './eflags.js';
import { EXCHANGE } from './exchange.js';
import { LOGIC } from './logic.js';
import { MULTIPLY } from './multiply.js';
import { ROTATES } from './rotates.js';
import { SHIFTS } from './shifts.js';
import { STACK } from './stack.js';
import { STRINGS } from './strings.js';
import { SYSTEM } from './system.js';
import { MMX } from './mmx.js';
import { MOVES } from './moves.js';
import { SSE_FLOAT } from './sseFloat.js';
import { SSE_FLOAT_CONVERT } from './sseFloatConvert.js';
import { SSE_INT } from './sseInt.js';
import { SSE_INT_MULTIPLY } from './sseIntMultiply.js';
import { SSE_INT_SHIFTS } from './sseIntShifts.js';
import { SSE_MOVES } from './sseMoves.js';
import { SSE_SHUFFLE } from './sseShuffle.js';
import { SSE_STRING } from './sseString.js';
import { X87_FAMILY } from './x87.js';
import { X87_CONTROL } from './x87Control.js';

export const FAMILIES: readonly Family[] = [
  ARITHMETIC, BITS, CONTROL, EFLAGS, EXCHANGE, LOGIC, MOVES, MULTIPLY, ROTATES, SHIFTS, STACK, STRINGS, SYSTEM,
  SSE_FLOAT, SSE_FLOAT_CONVERT, SSE_MOVES, SSE_INT, SSE_INT_MULTIPLY, SSE_INT_SHIFTS, SSE_SHUFFLE, SSE_STRING, MMX, X87_FAMILY, X87_CONTROL,
];
