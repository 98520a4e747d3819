/**
 * Goes on, in either direction, until something that a front end wants to stop at, or until a goal of the move (a step
 * that is to end). One search of the execution for all of it: what is hit is looked at while the search goes by, and
 * does not count unless a condition holds, so a breakpoint that is passed a million times costs no stop.
 *
 * What a stop is (`S`) is the front end's business: the debugger has `Stop`, gdbserver what it tells its client.
 */
import { guestAddr } from '../../base/types.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { Condition, Hit, HitFilter } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import { hitMeets } from '../../replay/timeline/hitMeets.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import type { ProgramView } from '../program/programView.js';
import type { Direction } from './stops.js';

/** What a run may end at. Told of hits that meet one of its conditions, with the state as HitFilter has it. */
export interface Goal {
  readonly conditions: readonly Condition[];
  begins?(state: State): void;
  /** Whether a hit counts; without it all do. If nothing in a run has it, several searchers share the work. */
  accepts?(hit: Hit, state: State): boolean;
  /** Whether it is more than what the front end wants to stop at in the same place. */
  readonly comesFirst?: boolean;
  /** Of a goal that is a place: a run that is there, or beyond, need not search. */
  readonly place?: Position;
}

/** Something that the front end wants to stop at: what it is a stop for. */
export interface Interest<S> extends Goal {
  /**
   * When the execution stands at the hit that was accepted last; it may move to where the user is to stand. Undefined:
   * no stop after all; then it stands where the run has to go on from, and there are new interests.
   */
  stop(hit: Hit): Promise<S | undefined>;
}

export type Arrival<S> =
  | { readonly kind: 'goal'; readonly hit: Hit }
  | { readonly kind: 'stop'; readonly stop: S; readonly hit: Hit }
  /** Nothing: go on with new interests. */
  | { readonly kind: 'again' }
  /** The end of what is gone through, or its start. */
  | { readonly kind: 'limit' };

/** A part of an execution: what one process runs, say. Both positions belong to it. */
export interface Stretch {
  readonly begin: Position;
  /** Undefined: to the end of the execution. */
  readonly end: Position | undefined;
}

export interface RunRequest<S> {
  readonly execution: Execution;
  readonly direction: Direction;
  readonly interests: readonly Interest<S>[];
  readonly goal?: Goal | undefined;
  readonly work?: Work | undefined;
  /** Default: all of the execution. */
  readonly within?: Stretch | undefined;
  /** Several stops in one place as one. */
  together(stops: readonly S[]): S | undefined;
}

export async function run<S>(request: RunRequest<S>): Promise<Arrival<S>> {
  const { execution, direction, interests, goal, work, within } = request;
  const search = new SharedSearch(interests, goal);
  const isAtLimit = direction === 'backward' && within !== undefined && comparePositions(execution.position, within.begin) <= 0;
  const hit = isAtLimit || isOutside(within, execution.position) ? undefined : await execution[direction](search.conditions, work, search.filter);
  if (hit === undefined || isOutside(within, hit.position)) return { kind: 'limit' };
  if (goal?.comesFirst === true && search.isGoal(hit)) return { kind: 'goal', hit };
  const stops = await stopsAt(hit, search.interestedIn(hit), request);
  if (stops.length > 0 && direction === 'forward') stops.push(...(await breakpointsBehind(hit, request)));
  const stop = request.together(stops);
  if (stop !== undefined) return { kind: 'stop', stop, hit };
  return search.isGoal(hit) ? { kind: 'goal', hit } : { kind: 'again' };
}

export function isOutside(within: Stretch | undefined, position: Position): boolean {
  if (within === undefined) return false;
  const { begin, end } = within;
  return comparePositions(position, begin) < 0 || (end !== undefined && comparePositions(position, end) > 0);
}

/** Of all that are interested. Each is asked where the hit is; where the last one goes the execution stays. */
async function stopsAt<S>(hit: Hit, interests: readonly Interest<S>[], { execution }: RunRequest<S>): Promise<S[]> {
  const stops: S[] = [];
  const { position } = execution;
  for (const interest of interests) {
    if (comparePositions(execution.position, position) !== 0) await execution.seek(position);
    const stop = await interest.stop(hit);
    if (stop !== undefined) stops.push(stop);
  }
  return stops;
}

/**
 * A watchpoint goes on behind the access: what there is to stop at there is hit, too, as in gdb. Searches would begin
 * behind it.
 */
async function breakpointsBehind<S>({ position, task }: Hit, request: RunRequest<S>): Promise<S[]> {
  const { execution, interests } = request;
  const { state } = execution;
  if (comparePositions(execution.position, position) === 0 || state.current?.id !== task) return [];
  const rip = guestAddr(Number(state.register(task, 'rip') ?? 0n));
  const here: Hit = { kind: 'address', position: execution.position, conditions: [], task, rip };
  return stopsAt(here, interests.filter((interest) => isMeant(interest, here, state)), request);
}

function isMeant(party: Goal, hit: Hit, state: State): boolean {
  return party.conditions.some((condition) => hitMeets(condition, hit)) && (party.accepts?.(hit, state) ?? true);
}

/** Kinds of what happens between two instructions, when the kernel acts; and of what an instruction does. */
const BETWEEN: ReadonlySet<Condition['kind']> = new Set(['memory', 'block', 'return', 'process', 'signal', 'switch']);
const AT_INSTRUCTIONS: ReadonlySet<Condition['kind']> = new Set(['memory', 'syscall']);

/**
 * What happens before the position changes: searches find what comes after that. `kinds`: what of it counts to the
 * interests. Of what makes the execution move, and is no stop, it goes on behind. Undefined: nothing.
 */
export async function lookHere<S>(request: RunRequest<S>, kinds: ReadonlySet<Condition['kind']>): Promise<Exclude<Arrival<S>, { kind: 'limit' }> | undefined> {
  const { execution, interests, goal, work } = request;
  const { time, done } = execution.position;
  const possible = done === Infinity ? AT_INSTRUCTIONS : BETWEEN;
  const meant = interests.flatMap(({ conditions }) => conditions).filter(({ kind }) => kinds.has(kind));
  const conditions = [...meant, ...(goal?.conditions ?? [])].filter(({ kind }) => possible.has(kind));
  if (conditions.length === 0) return undefined;
  const hits: Hit[] = [];
  const next = done === Infinity ? at(time + 1, 0) : at(time, done + 1);
  await execution.each(conditions, (hit) => (hits.push(hit), 'go on'), at(time, done), next, work);
  for (const hit of hits) {
    const asked = kinds.has(hit.kind) ? interests.filter((interest) => isMeant(interest, hit, execution.state)) : [];
    const stop = request.together(await stopsAt(hit, asked, request));
    if (stop !== undefined) return { kind: 'stop', stop, hit };
    if (goal !== undefined && isMeant(goal, hit, execution.state)) return { kind: 'goal', hit };
    if (comparePositions(execution.position, at(time, done)) !== 0) return { kind: 'again' };
  }
  return undefined;
}

/** Remembers who accepted a hit: of a search backward all hits are kept by position until the search ends. */
class SharedSearch<S> implements HitFilter {
  readonly conditions: readonly Condition[];
  private readonly parties: readonly (Interest<S> | Goal)[];
  /** Whose each of the conditions is. */
  private readonly owners: readonly (Interest<S> | Goal)[];
  private last: { readonly hit: Hit; readonly by: readonly (Interest<S> | Goal)[] } | undefined;

  constructor(
    private readonly interests: readonly Interest<S>[],
    private readonly goal: Goal | undefined,
  ) {
    this.parties = goal === undefined ? interests : [...interests, goal];
    this.conditions = this.parties.flatMap((party) => party.conditions);
    this.owners = this.parties.flatMap((party) => party.conditions.map(() => party));
  }

  /** Undefined if every hit counts. */
  get filter(): HitFilter | undefined {
    return this.parties.some((party) => party.accepts !== undefined || party.begins !== undefined) ? this : undefined;
  }

  begins(state: State): void {
    for (const party of this.parties) party.begins?.(state);
  }

  accepts(hit: Hit, state: State): boolean {
    const by = this.askedBy(hit).filter((party) => party.accepts?.(hit, state) ?? true);
    if (by.length > 0) this.last = { hit, by };
    return by.length > 0;
  }

  interestedIn(hit: Hit): readonly Interest<S>[] {
    return this.interests.filter((interest) => this.acceptedBy(hit).includes(interest));
  }

  isGoal(hit: Hit): boolean {
    return this.goal !== undefined && this.acceptedBy(hit).includes(this.goal);
  }

  private askedBy(hit: Hit): readonly (Interest<S> | Goal)[] {
    const asked = new Set(hit.conditions.map((index) => this.owners[index]));
    return this.parties.filter((party) => asked.has(party));
  }

  private acceptedBy(hit: Hit): readonly (Interest<S> | Goal)[] {
    if (this.filter === undefined) return this.askedBy(hit);
    return this.last?.hit === hit ? this.last.by : [];
  }
}

/** Views of a program while a search goes by. */
export type ViewAt = (state: State, thread: number) => ProgramView | undefined;
