/** Who takes and gives back which mutex, and when: what analyses of threads are made from. */
import { execution, type Snapshot, type Trace } from 'culprit/traces';

export interface LockEvent {
  readonly kind: 'lock' | 'unlock';
  readonly mutex: number;
  readonly thread: number;
  readonly at: Snapshot;
}

const event = (kind: LockEvent['kind']) => (at: Snapshot): LockEvent => ({ kind, mutex: Number(at.register('rdi')), thread: at.threadId, at });

/** A lock is an event where it is asked for. */
export function lockRequests(): Trace<LockEvent> {
  return execution.breakpoints('pthread_mutex_lock').map(event('lock'));
}

/** A lock is an event once the thread has it. */
export function lockEvents(): Trace<LockEvent> {
  return acquired().merge(execution.breakpoints('pthread_mutex_unlock').map(event('unlock')));
}

/** rdi is gone at the end of the call: the mutex is that which the same thread asked for last. */
function acquired(): Trace<LockEvent> {
  const requests = lockRequests().groupBy(({ thread }) => thread);
  return execution
    .breakpoints('pthread_mutex_lock', { at: 'exit' })
    .map(async (at, time): Promise<LockEvent> => ({ kind: 'lock', mutex: (await requests.get(at.threadId).getBefore(time))?.value.mutex ?? 0, thread: at.threadId, at }));
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
