/** Who takes and gives back which mutex, and when: what analyses of threads are made from. */
import { execution, type Snapshot, type Trace } from 'culprit/traces';

export interface LockEvent {
  readonly kind: 'lock' | 'unlock';
  readonly mutex: number;
  readonly thread: number;
  readonly at: Snapshot;
}

/** Functions that come back with the mutex, if they return 0. */
const LOCKS = ['pthread_mutex_lock', 'pthread_mutex_trylock', 'pthread_mutex_timedlock', 'pthread_mutex_clocklock'];

const event = (kind: LockEvent['kind']) => (at: Snapshot): LockEvent => ({ kind, mutex: Number(at.register('rdi')), thread: at.threadId, at });

/** A lock is an event where it is asked for. */
export function lockRequests(): Trace<LockEvent> {
  return execution.breakpoints('pthread_mutex_lock').map(event('lock'));
}

/** A lock is an event once the thread has it. */
export function lockEvents(): Trace<LockEvent> {
  const acquired = LOCKS.filter((name) => name === 'pthread_mutex_lock' || execution.isDefined(name)).map((name) => returnsOf(name, 'rdi', isZero, (mutex, at): LockEvent => ({ kind: 'lock', mutex, thread: at.threadId, at })));
  return acquired.reduce((one, other) => one.merge(other), execution.breakpoints('pthread_mutex_unlock').map(event('unlock')));
}

export function isZero(at: Snapshot): boolean {
  return (at.register('rax') & 0xffff_ffffn) === 0n;
}

/**
 * A function's returns that fulfil something, with an argument of the call, which is not in its register any more: that
 * of the same thread before.
 */
export function returnsOf<T>(name: string, register: string, isMeant: (at: Snapshot) => boolean, make: (argument: number, at: Snapshot) => T): Trace<T> {
  const calls = execution.breakpoints(name).map((at) => ({ thread: at.threadId, argument: Number(at.register(register)) })).groupBy(({ thread }) => thread);
  return execution.breakpoints(name, { at: 'exit' }).filter(isMeant).map(async (at, time) => make((await calls.get(at.threadId).getBefore(time))?.value.argument ?? 0, at));
}

/** Mutexes that a thread holds at a time. */
export async function locksHeld(events: Trace<LockEvent>, thread: number, time: number): Promise<ReadonlySet<number>> {
  const [held, settled] = [new Set<number>(), new Set<number>()];
  for await (const { value } of events.backward(time)) {
    if (value.thread !== thread || settled.has(value.mutex)) continue;
    settled.add(value.mutex);
    if (value.kind === 'lock') held.add(value.mutex);
  }
  return held;
}
