/**
 * How threads tell each other what they know: steps by which a thread receives or passes on, through threads' starts
 * and ends and the functions of pthreads.
 */
import { execution, type Snapshot, type Trace, traceOfItems } from 'culprit/traces';
import { isZero, returnsOf } from './locks.js';

export interface Step {
  readonly thread: number;
  /** What the thread learns: from whom, or through what. */
  readonly receives?: readonly string[];
  /** For whom, or through what, it passes on what it knows. */
  readonly sends?: string;
  /** What others have passed on there before is gone. */
  readonly replaces?: boolean;
  /** Through what it will pass on what it knows when it gives something back. */
  readonly takes?: { readonly lock: string; readonly sends: string };
  readonly gives?: string;
}

/** Several at one time, in order. */
export type Steps = Trace<readonly Step[]>;

/** Of all of them. By halves, so that no item has to go through many merges. */
export function together(all: readonly Steps[]): Steps {
  const [first] = all;
  if (all.length <= 1) return first ?? traceOfItems<readonly Step[]>([]);
  const half = all.length >>> 1;
  return together(all.slice(0, half)).merge(together(all.slice(half)), (one, other) => [...one, ...other]);
}

const always = (): boolean => true;

/** At the call of a function, if there is one of this name. The argument is the first one. */
function called(names: readonly string[], step: (argument: number) => Omit<Step, 'thread'>, register = 'rdi'): Steps[] {
  return names.filter((name) => execution.isDefined(name)).map((name) => execution.breakpoints(name).map((at) => [{ thread: at.threadId, ...step(Number(at.register(register))) }]));
}

function returned(names: readonly string[], isMeant: (at: Snapshot) => boolean, step: (argument: number) => Omit<Step, 'thread'>, register = 'rdi'): Steps[] {
  return names.filter((name) => execution.isDefined(name)).map((name) => returnsOf(name, register, isMeant, (argument, at) => [{ thread: at.threadId, ...step(argument) }]));
}

const variants = (name: string): string[] => ['', 'try', 'timed', 'clock'].map((how) => name.replace('*', how));

/** Readers learn from writers, writers from both. */
function readWriteLocks(): Steps[] {
  const name = (lock: number): string => `lock ${lock}`;
  const [readers, writers] = [(lock: number) => `readers of ${lock}`, (lock: number) => `writers of ${lock}`];
  return [
    ...returned(variants('pthread_rwlock_*rdlock'), isZero, (lock) => ({ receives: [writers(lock)], takes: { lock: name(lock), sends: readers(lock) } })),
    ...returned(variants('pthread_rwlock_*wrlock'), isZero, (lock) => ({ receives: [writers(lock), readers(lock)], takes: { lock: name(lock), sends: writers(lock) } })),
    ...called(['pthread_rwlock_unlock'], (lock) => ({ gives: name(lock) })),
  ];
}

/** Of the whole program. */
export function threadSteps(): readonly Steps[] {
  const threads: Steps = execution.threads().map(({ change, threadId, snapshot }) => [change === 'start'
    ? { thread: snapshot.threadId, sends: `start ${threadId}` }
    : { thread: threadId, sends: `end ${snapshot.register('fs_base')}` }]);
  const mutex = (address: number): string => `mutex ${address}`;
  const waits = ['pthread_cond_wait', 'pthread_cond_timedwait', 'pthread_cond_clockwait'];
  return [
    threads,
    ...returned(['pthread_join', 'pthread_timedjoin_np', 'pthread_clockjoin_np', 'pthread_tryjoin_np', 'thrd_join'], isZero, (joined) => ({ receives: [`end ${joined}`] })),
    ...returned(variants('pthread_mutex_*lock'), isZero, (address) => ({ receives: [mutex(address)] })),
    ...called(['pthread_mutex_unlock'], (address) => ({ sends: mutex(address) })),
    // Whatever a wait comes back with, it has the mutex again.
    ...called(waits, (address) => ({ sends: mutex(address) }), 'rsi'),
    ...returned(waits, always, (address) => ({ receives: [mutex(address)] }), 'rsi'),
    ...returned(['pthread_spin_lock', 'pthread_spin_trylock'], isZero, (lock) => ({ receives: [`spin ${lock}`] })),
    ...called(['pthread_spin_unlock'], (lock) => ({ sends: `spin ${lock}` })),
    ...called(['sem_post'], (semaphore) => ({ sends: `semaphore ${semaphore}` })),
    ...returned(['sem_wait', 'sem_trywait', 'sem_timedwait', 'sem_clockwait'], isZero, (semaphore) => ({ receives: [`semaphore ${semaphore}`] })),
    ...called(['pthread_barrier_wait'], (barrier) => ({ sends: `barrier ${barrier}` })),
    ...returned(['pthread_barrier_wait'], always, (barrier) => ({ receives: [`barrier ${barrier}`] })),
    // Who comes first has run the function when it returns.
    ...returned(['pthread_once', 'call_once'], always, (once) => ({ receives: [`once ${once}`], sends: `once ${once}` })),
    ...readWriteLocks(),
  ];
}
