/** Our own programs with threads: what each is run with. The sources (tests/programs) say what they are about. */
import type { Program } from '../programs/programs.js';

const ONCE = [{}];
const ENDINGS = ['main', 'exit', 'crash', 'exec', 'return', 'raw', 'detached'];

export const THREADS: readonly Program[] = [
  { source: 'threadLocks.c', runs: ONCE },
  { source: 'threadCancel.c', runs: ONCE },
  { source: 'threadKeys.c', runs: ONCE },
  { source: 'robustMutexes.c', runs: ONCE },
  { source: 'threadSignals.c', runs: ONCE },
  { source: 'threadEnds.c', runs: ENDINGS.map((how) => ({ args: [how] })), variants: 3 },
  { source: 'scheduling.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'sharedLocks.c', runs: ONCE },
  { source: 'standardThreads.cc', runs: ONCE, variants: 2, glibcOnly: true },
];
