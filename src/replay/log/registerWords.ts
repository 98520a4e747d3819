/** How much of the CPU state is the program's: everything before what generated code and engine tell each other. */
import { TICKS } from '../../layout/cpuState.js';

/** In words of 32 bits. */
export const RUN_WORDS = TICKS.offset / 4;

/** Index and value of those that are others now. */
export function changedWords(before: Uint32Array, now: Uint32Array): [number, number][] {
  const changed: [number, number][] = [];
  for (let i = 0; i < RUN_WORDS; i++) if (before[i] !== now[i]) changed.push([i, now[i] as number]);
  return changed;
}
