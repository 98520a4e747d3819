/**
 * An execution that is written down: what happens in it, and what it is in between. Searches are done by going through
 * the list.
 */
import { guestAddr } from '../../../base/types.js';
import { at, comparePositions, type Position } from '../../../replay/log/position.js';
import type { Condition, Hit, HitFilter } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { type Happening, hitFor } from '../../../replay/timeline/hitMeets.js';
import type { State, Thread } from '../../../replay/timeline/state.js';

/** What a thread, or memory, is from a position on. */
interface Since {
  readonly position: Position;
  /** The thread that runs. */
  readonly current?: number;
  /** Of both threads; those that are not named are 0. */
  readonly registers?: Readonly<Record<string, number>>;
  /** Of a memory of a few bytes, from address 0. */
  readonly memory?: readonly number[];
}

export interface Script {
  readonly endTime: number;
  readonly happenings: readonly Happening[];
  readonly since: readonly Since[];
}

export function scriptedExecution(script: Script, position: Position = at(0)): Execution {
  return new ScriptedExecution(script, position) as unknown as Execution;
}

class ScriptedExecution {
  readonly endTime: number;

  constructor(
    private readonly script: Script,
    public position: Position,
  ) {
    this.endTime = script.endTime;
  }

  get state(): State {
    return this.stateAt(this.position);
  }

  async seek(position: Position): Promise<void> {
    this.position = position;
  }

  async forward(conditions: readonly Condition[], _work: unknown, filter?: HitFilter): Promise<Hit | undefined> {
    const isAfter = (hit: Hit): boolean => {
      const order = comparePositions(hit.position, this.position);
      return order > 0 || (order === 0 && filter !== undefined && hit.access !== undefined);
    };
    filter?.begins?.(this.state);
    const found = this.hits(conditions).find((hit) => isAfter(hit) && this.isAccepted(hit, filter));
    this.position = found?.position ?? at(this.endTime);
    return found;
  }

  async backward(conditions: readonly Condition[], _work: unknown, filter?: HitFilter): Promise<Hit | undefined> {
    const before = this.hits(conditions).filter(({ position }) => comparePositions(position, this.position) < 0);
    filter?.begins?.(this.stateAt(at(0)));
    let found: Hit | undefined;
    for (const hit of before) if (this.isAccepted(hit, filter)) found = hit;
    this.position = found?.position ?? at(0);
    return found;
  }

  async each(conditions: readonly Condition[], listener: (hit: Hit) => 'go on' | 'stop', from: Position, to: Position): Promise<void> {
    for (const hit of this.hits(conditions)) {
      if (comparePositions(hit.position, from) < 0 || comparePositions(hit.position, to) >= 0) continue;
      if (listener(hit) === 'stop') return;
    }
  }

  /** As filters have it: of accesses by the program, right after. */
  private isAccepted(hit: Hit, filter: HitFilter | undefined): boolean {
    const { position, access } = hit;
    return filter === undefined || filter.accepts(hit, this.stateAt(access?.by === 'program' ? at(position.time + 1, 0) : position));
  }

  private hits(conditions: readonly Condition[]): Hit[] {
    const times = conditions.flatMap((condition): Happening[] => {
      if (condition.kind !== 'time' || condition.time > this.endTime) return [];
      return [{ kind: 'time', position: at(condition.time), task: 1, rip: guestAddr(0) }];
    });
    // What happens at a time happens after it has come.
    return [...times, ...this.script.happenings].flatMap((one) => hitFor(conditions, one) ?? []).sort((a, b) => comparePositions(a.position, b.position));
  }

  private stateAt(position: Position): State {
    const known = this.script.since.filter((one) => comparePositions(one.position, position) <= 0);
    const last = <K extends keyof Since>(key: K): Since[K] | undefined => known.findLast((one) => one[key] !== undefined)?.[key];
    const threads: Thread[] = [1, 2].map((id) => ({ id, tid: id, pid: 100, name: `thread ${id}` }));
    const state: Pick<State, 'position' | 'threads' | 'current' | 'register' | 'read'> = {
      position, threads, current: threads.find(({ id }) => id === (last('current') ?? 1)),
      register: (_thread, name) => BigInt(last('registers')?.[name] ?? 0),
      read: (_thread, start, length) => {
        const bytes = Uint8Array.from(last('memory') ?? []).subarray(start, start + length);
        return bytes.length < length ? null : bytes;
      },
    };
    return state as State;
  }
}
