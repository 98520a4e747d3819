/**
 * The state of everything in a recording at one time: what a checkpoint holds. Immutable; parts are shared between
 * states.
 */
import type { ClockPosition } from '../../linux/tasks/virtualClock.js';
import type { SpaceSnapshot } from '../../machine/snapshots/spaceHistory.js';
import type { Note } from '../log/effects.js';
import type { ObjectFacts, ObjectState } from './playedObject.js';

/** What is known of a task. */
export type TaskFacts = Note & { readonly op: 'task' };

export interface SpaceState {
  readonly snapshot: SpaceSnapshot;
  /** Pages of shared mappings that were written and have not reached their object. */
  readonly unpublished: readonly number[];
}

export interface TaskState {
  readonly space: number;
  /** Its CPU state. */
  readonly words: Uint32Array;
}

export interface WorldState {
  /** Who runs. */
  readonly current: number | undefined;
  readonly clock: ClockPosition;
  /** What is known of the tasks of all times so far, by number. */
  readonly threads: ReadonlyMap<number, TaskFacts>;
  readonly tasks: ReadonlyMap<number, TaskState>;
  readonly objects: ReadonlyMap<number, { readonly facts: ObjectFacts; readonly state: ObjectState }>;
  readonly spaces: ReadonlyMap<number, SpaceState>;
}

/** One more needs the state. */
export function retainWorld(state: WorldState): void {
  for (const { snapshot } of state.spaces.values()) snapshot.table.retain();
}

/** One less needs the state. */
export function releaseWorld(state: WorldState): void {
  for (const { snapshot } of state.spaces.values()) snapshot.table.release();
}
