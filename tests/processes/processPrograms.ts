/** Programs that make processes: see their first lines. */
import type { Program } from '../programs/programs.js';

const ONCE = [{}];

export const PROCESSES: readonly Program[] = [
  { source: 'forks.c', runs: ONCE, variants: 3 },
  { source: 'waits.c', runs: ONCE, variants: 2 },
  { source: 'processGroups.c', runs: ONCE, variants: 2 },
  { source: 'orphans.c', runs: ONCE, variants: 1 },
  { source: 'spawns.c', runs: ONCE, variants: 3 },
  { source: 'sharedMemory.c', runs: ONCE, variants: 2 },
  { source: 'fifos.c', runs: ONCE, variants: 1 },
  { source: 'forkedThreads.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'signalsBetween.c', runs: ONCE, variants: 2 },
];
