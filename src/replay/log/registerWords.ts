/** How much of the CPU state is the program's: everything before what generated code and engine tell each other. */
import { TICKS } from '../../layout/cpuState.js';

/** In words of 32 bits. */
export const RUN_WORDS = TICKS.offset / 4;
