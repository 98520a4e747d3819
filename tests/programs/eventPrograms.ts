/** Programs about what programs wait for: events, timers, locks, and messages between processes. */
import type { Program } from './programs.js';

const ONCE = [{}];

export const EVENTS: readonly Program[] = [
  { source: 'epolls.c', runs: ONCE, variants: 2 },
  { source: 'eventFds.c', runs: ONCE, variants: 2 },
  { source: 'polls.c', runs: ONCE, variants: 2 },
  { source: 'inotifies.c', runs: ONCE, variants: 2 },
  { source: 'pidFds.c', runs: ONCE, variants: 2 },
  { source: 'ioSignals.c', runs: ONCE, variants: 2 },
  { source: 'fifoEvents.c', runs: ONCE, variants: 2 },
  { source: 'waitingTogether.c', runs: ONCE, variants: 2 },
  { source: 'sealsAndRanges.c', runs: ONCE, variants: 2 },
  { source: 'posixTimers.c', runs: [{}, { args: ['thread'] }], variants: 1, glibcOnly: true },
  { source: 'fileLocks.c', runs: ONCE, variants: 2 },
  { source: 'systemV.c', runs: ONCE, variants: 2 },
  { source: 'posixQueues.c', runs: ONCE, variants: 2 },
  { source: 'sharedSegments.c', runs: ONCE, variants: 2 },
];
