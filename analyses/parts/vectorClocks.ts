/** What has happened before what: vector clocks over threads' starts and ends, mutexes, condition variables and semaphores. */
import { execution, type Snapshot, type Trace } from 'culprit/traces';
import { lockEvents } from './locks.js';

/** A thread's own steps, and those of others that it knows to be over. */
export type Clock = ReadonlyMap<number, number>;

interface Step {
  readonly thread: number;
  /** What the thread learns: from whom, or through what. */
  readonly receives?: string;
  /** For whom, or through what, it passes on what it knows. */
  readonly sends?: string;
}

/** A function's end, with the argument that it was called with. */
function returnsWith(name: string, register: string, step: (argument: number, at: Snapshot) => Step): Trace<Step> {
  const calls = execution.breakpoints(name).map((at) => ({ thread: at.threadId, argument: Number(at.register(register)) })).groupBy(({ thread }) => thread);
  return execution.breakpoints(name, { at: 'exit' }).map(async (at, time) => step((await calls.get(at.threadId).getBefore(time))?.value.argument ?? 0, at));
}

function steps(): Trace<Step> {
  const mutexes = lockEvents().map(({ kind, mutex, thread }): Step => (kind === 'lock' ? { thread, receives: `mutex ${mutex}` } : { thread, sends: `mutex ${mutex}` }));
  const threads = execution.threads().map(({ change, threadId, snapshot }): Step => {
    if (change === 'start') return { thread: snapshot.threadId, sends: `start ${threadId}` };
    return { thread: threadId, sends: `end ${snapshot.register('fs_base')}` };
  });
  const all = [threads];
  if (execution.isDefined('pthread_join')) all.push(returnsWith('pthread_join', 'rdi', (joined, at) => ({ thread: at.threadId, receives: `end ${joined}` })));
  if (execution.isDefined('sem_post')) all.push(execution.breakpoints('sem_post').map((at) => ({ thread: at.threadId, sends: `semaphore ${at.register('rdi')}` })));
  if (execution.isDefined('sem_wait')) all.push(returnsWith('sem_wait', 'rdi', (semaphore, at) => ({ thread: at.threadId, receives: `semaphore ${semaphore}` })));
  if (execution.isDefined('pthread_cond_wait')) {
    all.push(execution.breakpoints('pthread_cond_wait').map((at) => ({ thread: at.threadId, sends: `mutex ${at.register('rsi')}` })));
    all.push(returnsWith('pthread_cond_wait', 'rsi', (mutex, at) => ({ thread: at.threadId, receives: `mutex ${mutex}` })));
  }
  return all.reduce((one, other) => one.merge(other), mutexes);
}

/** Clocks of all threads at any time, from one pass over the execution. */
export async function vectorClocks(): Promise<(thread: number, time: number) => Clock> {
  const history = new Map<number, { readonly time: number; readonly clock: Clock }[]>();
  const messages = new Map<string, Clock>();
  const clockOf = (thread: number): Clock => history.get(thread)?.at(-1)?.clock ?? joined(new Map([[thread, 1]]), messages.get(`start ${thread}`));
  const set = (thread: number, time: number, clock: Clock): void => void history.set(thread, [...(history.get(thread) ?? []), { time, clock }]);
  for await (const { time, value: { thread, receives, sends } } of steps()) {
    const clock = joined(clockOf(thread), receives === undefined ? undefined : messages.get(receives));
    if (sends !== undefined) messages.set(sends, joined(clock, messages.get(sends)));
    // What it does from now on, those who got the message do not know.
    set(thread, time, sends === undefined ? clock : new Map([...clock, [thread, (clock.get(thread) ?? 0) + 1]]));
  }
  return (thread, time) => history.get(thread)?.findLast((known) => known.time < time)?.clock ?? joined(new Map([[thread, 1]]), messages.get(`start ${thread}`));
}

function joined(clock: Clock, other: Clock | undefined): Clock {
  const result = new Map(clock);
  for (const [thread, step] of other ?? []) result.set(thread, Math.max(step, result.get(thread) ?? 0));
  return result;
}
