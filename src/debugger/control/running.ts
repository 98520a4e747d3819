/**
 * Goes on, in either direction, until something the user wants to stop at, or until a goal of whoever asks (a step that is to end).
 * One search of the execution for all of it: what is hit is looked at while the search goes by, and does not count unless a condition
 * holds, so a breakpoint that is passed a million times costs no stop.
 */
import { at } from '../../replay/play/position.js';
import type { Condition, Hit, HitFilter } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import type { ProgramView } from '../program/programView.js';
import type { Direction, Stop } from './stops.js';

/** What a run may end at. Hits are reported with the state as HitFilter has it, and with the kind of condition that they meet. */
export interface Goal {
  readonly conditions: readonly Condition[];
  begins?(state: State): void;
  accepts(hit: Hit, state: State, kind: Condition['kind']): boolean;
  /** Whether it is more than what the user wants to stop at in the same place. */
  readonly comesFirst?: boolean;
}

/** Something of the user's: what it is a stop for. */
export interface Interest extends Goal {
  /**
   * When the execution stands at the hit that was accepted last; it may move to where the user is to stand. Undefined: no stop after
   * all; then it stands where the run has to go on from, and there are new interests.
   */
  stop(hit: Hit): Promise<Stop | undefined>;
}

export type Arrival =
  | { readonly kind: 'goal'; readonly hit: Hit }
  | { readonly kind: 'stop'; readonly stop: Stop; readonly hit: Hit }
  /** Nothing: go on with new interests. */
  | { readonly kind: 'again' }
  /** The end of the recording, or its start. */
  | { readonly kind: 'limit' };

export interface RunRequest {
  readonly execution: Execution;
  readonly direction: Direction;
  readonly interests: readonly Interest[];
  readonly goal?: Goal | undefined;
  readonly work?: Work | undefined;
}

export async function run(request: RunRequest): Promise<Arrival> {
  const { execution, direction, interests, goal, work } = request;
  const search = new SharedSearch(interests, goal);
  const hit = await execution[direction](search.conditions, work, search);
  if (hit === undefined) return { kind: 'limit' };
  if (goal?.comesFirst === true && search.isGoal(hit)) return { kind: 'goal', hit };
  for (const interest of search.interestedIn(hit)) {
    const stop = await interest.stop(hit);
    if (stop !== undefined) return { kind: 'stop', stop, hit };
  }
  return search.isGoal(hit) ? { kind: 'goal', hit } : { kind: 'again' };
}

/** The stop for a signal that is about to take effect where the execution stands: searches find what comes after that. */
export async function signalHere(execution: Execution, interests: readonly Interest[], work: Work | undefined): Promise<Stop | undefined> {
  const { time, done } = execution.position;
  const hits: Hit[] = [];
  await execution.each([{ kind: 'signal' }], (hit) => (hits.push(hit), 'go on'), at(time, done), at(time, done + 1), work);
  for (const hit of hits) {
    for (const interest of interests) {
      const stop = interest.accepts(hit, execution.state, 'signal') ? await interest.stop(hit) : undefined;
      if (stop !== undefined) return stop;
    }
  }
  return undefined;
}

/** Remembers who accepted a hit: of a search backward all hits are kept by position until the search ends. */
class SharedSearch implements HitFilter {
  readonly conditions: readonly Condition[];
  private readonly parties: readonly (Interest | Goal)[];
  private last: { readonly hit: Hit; readonly by: readonly (Interest | Goal)[] } | undefined;

  constructor(
    private readonly interests: readonly Interest[],
    private readonly goal: Goal | undefined,
  ) {
    this.parties = goal === undefined ? interests : [...interests, goal];
    this.conditions = merged(this.parties.flatMap((party) => party.conditions));
  }

  begins(state: State): void {
    for (const party of this.parties) party.begins?.(state);
  }

  accepts(hit: Hit, state: State): boolean {
    const kind = this.conditions[hit.condition]?.kind ?? 'address';
    const by = this.parties.filter((party) => party.accepts(hit, state, kind));
    if (by.length > 0) this.last = { hit, by };
    return by.length > 0;
  }

  interestedIn(hit: Hit): readonly Interest[] {
    return this.interests.filter((interest) => this.acceptedBy(hit).includes(interest));
  }

  isGoal(hit: Hit): boolean {
    return this.goal !== undefined && this.acceptedBy(hit).includes(this.goal);
  }

  private acceptedBy(hit: Hit): readonly (Interest | Goal)[] {
    return this.last?.hit === hit ? this.last.by : [];
  }
}

/** Addresses in one condition, so that a hit is reported once; the others as they are. */
function merged(conditions: readonly Condition[]): Condition[] {
  const addresses = new Set(conditions.flatMap((condition) => (condition.kind === 'address' ? condition.addresses : [])));
  const others = conditions.filter(({ kind }) => kind !== 'address');
  return addresses.size === 0 ? others : [{ kind: 'address', addresses: [...addresses] }, ...others];
}

/** Views of a program while a search goes by. */
export type ViewAt = (state: State, thread: number) => ProgramView | undefined;
