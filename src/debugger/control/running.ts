/**
 * Goes on, in either direction, until something the user wants to stop at, or until a goal of whoever asks (a step that is to end).
 * One search of the execution for all of it: what is hit is looked at while the search goes by, and does not count unless a condition
 * holds, so a breakpoint that is passed a million times costs no stop.
 */
import { at, comparePositions } from '../../replay/play/position.js';
import type { Condition, Hit, HitFilter } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import { hitMeets } from '../../replay/timeline/hitMeets.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import type { ProgramView } from '../program/programView.js';
import type { Direction, Stop } from './stops.js';

/** What a run may end at. Told of hits that meet one of its conditions, with the state as HitFilter has it. */
export interface Goal {
  readonly conditions: readonly Condition[];
  begins?(state: State): void;
  accepts(hit: Hit, state: State): boolean;
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

interface RunRequest {
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
  const stops = await stopsAt(hit, search.interestedIn(hit), request);
  if (stops.length > 0 && direction === 'forward') stops.push(...(await breakpointsBehind(hit, request)));
  const stop = together(stops);
  if (stop !== undefined) return { kind: 'stop', stop, hit };
  return search.isGoal(hit) ? { kind: 'goal', hit } : { kind: 'again' };
}

/** Of all who are interested. Each is asked where the hit is; where the last one goes the execution stays. */
async function stopsAt(hit: Hit, interests: readonly Interest[], { execution, work }: RunRequest): Promise<Stop[]> {
  const stops: Stop[] = [];
  const { position } = execution;
  for (const interest of interests) {
    if (comparePositions(execution.position, position) !== 0) await execution.seek(position, work);
    const stop = await interest.stop(hit);
    if (stop !== undefined) stops.push(stop);
  }
  return stops;
}

/** A watchpoint goes on behind the access: what the user wants to stop at there is hit, too, as in gdb. Searches would begin behind it. */
async function breakpointsBehind({ position, task }: Hit, request: RunRequest): Promise<Stop[]> {
  const { execution, interests } = request;
  const { state } = execution;
  if (comparePositions(execution.position, position) === 0 || state.current?.id !== task) return [];
  const here: Hit = { kind: 'address', position: execution.position, conditions: [], task, rip: Number(state.register(task, 'rip') ?? 0n) };
  const meant = interests.filter((interest) => interest.conditions.some((condition) => hitMeets(condition, here)) && interest.accepts(here, state));
  return stopsAt(here, meant, request);
}

/** All of them as one: what has changed first, since a breakpoint says where that was. What is caught is no signal beside. */
function together(stops: readonly Stop[]): Stop | undefined {
  const rank = ({ kind }: Stop): number => (kind === 'watchpoint' || kind === 'scope' ? 0 : kind === 'signal' ? 2 : 1);
  const [first, ...others] = stops.toSorted((a, b) => rank(a) - rank(b));
  const also = others.filter(({ kind }) => kind !== 'signal');
  return first === undefined || also.length === 0 ? first : { ...first, also };
}

/** The stop for a signal that is about to take effect where the execution stands: searches find what comes after that. */
export async function signalHere(execution: Execution, interests: readonly Interest[], work: Work | undefined): Promise<Stop | undefined> {
  const { time, done } = execution.position;
  const hits: Hit[] = [];
  await execution.each([{ kind: 'signal' }], (hit) => (hits.push(hit), 'go on'), at(time, done), at(time, done + 1), work);
  for (const hit of hits) {
    for (const interest of interests) {
      const isMeant = interest.conditions.some((condition) => hitMeets(condition, hit));
      const stop = isMeant && interest.accepts(hit, execution.state) ? await interest.stop(hit) : undefined;
      if (stop !== undefined) return stop;
    }
  }
  return undefined;
}

/** Remembers who accepted a hit: of a search backward all hits are kept by position until the search ends. */
class SharedSearch implements HitFilter {
  readonly conditions: readonly Condition[];
  private readonly parties: readonly (Interest | Goal)[];
  /** Whose each of the conditions is. */
  private readonly owners: readonly (Interest | Goal)[];
  private last: { readonly hit: Hit; readonly by: readonly (Interest | Goal)[] } | undefined;

  constructor(
    private readonly interests: readonly Interest[],
    private readonly goal: Goal | undefined,
  ) {
    this.parties = goal === undefined ? interests : [...interests, goal];
    this.conditions = this.parties.flatMap((party) => party.conditions);
    this.owners = this.parties.flatMap((party) => party.conditions.map(() => party));
  }

  begins(state: State): void {
    for (const party of this.parties) party.begins?.(state);
  }

  accepts(hit: Hit, state: State): boolean {
    const asked = new Set(hit.conditions.map((index) => this.owners[index]));
    const by = this.parties.filter((party) => asked.has(party) && party.accepts(hit, state));
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

/** Views of a program while a search goes by. */
export type ViewAt = (state: State, thread: number) => ProgramView | undefined;
