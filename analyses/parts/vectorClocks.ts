/**
 * What has happened before what: vector clocks over threads' starts and ends, what pthreads has to wait for others, and
 * atomic variables.
 */
import type { Step, Steps } from './synchronisation.js';

/** A thread's own steps, and those of others that it knows to be over. */
export type Clock = ReadonlyMap<number, number>;

interface Known {
  readonly time: number;
  readonly clock: Clock;
}

/** Clocks of all threads at any time, from one pass over the execution. */
export async function vectorClocks(steps: Steps): Promise<(thread: number, time: number) => Clock> {
  const clocks = new Clocks();
  for await (const { time, value } of steps) for (const step of value) clocks.take(step, time);
  return (thread, time) => clocks.at(thread, time);
}

class Clocks {
  private readonly history = new Map<number, Known[]>();
  private readonly messages = new Map<string, Clock>();
  /** By thread and lock: through what it is given back. */
  private readonly taken = new Map<string, string>();

  take({ thread, receives = [], sends, replaces = false, takes, gives }: Step, time: number): void {
    const clock = receives.reduce((known, name) => joined(known, this.messages.get(name)), this.now(thread));
    if (takes !== undefined) this.taken.set(`${thread} ${takes.lock}`, takes.sends);
    const target = sends ?? (gives === undefined ? undefined : this.taken.get(`${thread} ${gives}`));
    if (target !== undefined) this.messages.set(target, replaces ? clock : joined(clock, this.messages.get(target)));
    // What it does from now on, those who got the message do not know.
    this.note(thread, time, target === undefined ? clock : new Map([...clock, [thread, (clock.get(thread) ?? 0) + 1]]));
  }

  /** Right before what happens at a time. */
  at(thread: number, time: number): Clock {
    const known = this.history.get(thread) ?? [];
    let [low, high] = [0, known.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((known[middle]?.time ?? Infinity) < time) low = middle + 1;
      else high = middle;
    }
    return known[low - 1]?.clock ?? this.atStart(thread);
  }

  private now(thread: number): Clock {
    return this.history.get(thread)?.at(-1)?.clock ?? this.atStart(thread);
  }

  private atStart(thread: number): Clock {
    return joined(new Map([[thread, 1]]), this.messages.get(`start ${thread}`));
  }

  private note(thread: number, time: number, clock: Clock): void {
    const known = this.history.get(thread);
    if (known === undefined) this.history.set(thread, [{ time, clock }]);
    else known.push({ time, clock });
  }
}

function joined(clock: Clock, other: Clock | undefined): Clock {
  if (other === undefined) return clock;
  const result = new Map(clock);
  for (const [thread, step] of other) result.set(thread, Math.max(step, result.get(thread) ?? 0));
  return result;
}
