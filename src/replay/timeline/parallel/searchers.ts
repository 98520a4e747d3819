/** Who searches parts of an execution beside us: threads with players of their own on the same recording. */
import type { SharedSlabs } from '../../../machine/snapshots/pageStore.js';
import type { Position } from '../../log/position.js';
import type { Condition } from '../conditions.js';
import type { PortableState } from '../../play/portableState.js';
import type { Hits } from './packedHits.js';

/** Which hits of a part are wanted. */
export type Wanted = 'all' | 'first' | 'last';

export type JobStart =
  /** One of ours, which we keep until the next job of the same searcher is done. */
  | { readonly kind: 'state'; readonly state: PortableState; readonly slabs: SharedSlabs }
  /** Where the last job of the same searcher ended, which was not given up. */
  | { readonly kind: 'here' }
  /** One that is stored in the recording. */
  | { readonly kind: 'stored'; readonly index: number };

/** A part of an execution to be searched. It may be sent to another thread. */
export interface SearchJob {
  /** Whose states are sent: the numbers of their pages mean something else for others. */
  readonly owner: number;
  /** A state at or before `from`. */
  readonly start: JobStart;
  readonly from: Position;
  readonly to: Position;
  readonly conditions: readonly Condition[];
  readonly wanted: Wanted;
}

/** What was found, in order. It may have been too much to go on: then the rest is to be asked for again. */
export interface FoundPart {
  readonly hits: Hits;
  /** Up to where was searched. */
  readonly to: Position;
}

export interface Searcher {
  /**
   * Searches; one job at a time. Undefined: it was given up. Rejects with a SearcherLost if the searcher cannot be used
   * any more, a BadStart if the start cannot be, or with what went wrong in the replay.
   */
  search(job: SearchJob): Promise<FoundPart | undefined>;
  /** What it searches now is not wanted any more: it will say so soon. */
  giveUp(): void;
  /** Instructions of the present job that are done, about. */
  readonly done: number;
}

export interface Searchers {
  /** How many there are, or will be. */
  readonly count: number;
  /** Those that can be used. They are started when this is asked for first. */
  readonly all: readonly Searcher[];
  /** A number for another owner of states. */
  newOwner(): number;
  /** Resolves after so many milliseconds; others get their turn meanwhile. */
  pause(milliseconds: number): Promise<void>;
}

/** The stored checkpoint that a job was to start from is damaged. */
export class BadStart extends Error {
  override name = 'BadStart';
}

export class SearcherLost extends Error {
  override name = 'SearcherLost';
}
