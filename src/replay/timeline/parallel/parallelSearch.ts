/**
 * A search through a long part of an execution, by several searchers at once. It is cut into pieces; a searcher that
 * has nothing to do gets the next one, in the direction of the search. Hits are reported in the order of the search,
 * until the listener has seen enough; what is still being searched then is given up.
 *
 * Pieces begin near checkpoints. Where the execution has not been played yet there are none: then we play it ourselves,
 * without looking for anything, and the searchers follow.
 */
import type { Position } from '../../log/position.js';
import { comparePositions } from '../../log/position.js';
import type { Condition } from '../conditions.js';
import type { HitListener } from '../scan.js';
import { Cancelled, type Work } from '../work.js';
import type { Hits } from './packedHits.js';
import type { Piece, Pieces } from './pieces.js';
import { BadStart, type FoundPart, type Searcher, SearcherLost, type Searchers, type SearchJob, type Wanted } from './searchers.js';

/** Where jobs can begin. */
export interface Starts {
  /** The best start for a searcher that wants to get to `position`. It is kept until it is released. */
  startFor(position: Position): Start;
  /** The number that jobs have. */
  readonly owner: number;
}

export interface Start {
  readonly start: SearchJob['start'];
  release(): void;
  /** It cannot be used: another one is to be taken in its place from now on. */
  discard(): void;
}

export interface Search {
  readonly conditions: readonly Condition[];
  readonly wanted: Wanted;
  readonly listener: HitListener;
  /** Searches a piece here, if no searcher is left. */
  readonly alone: (piece: Piece, listener: HitListener) => Promise<unknown>;
}

/** How often the caller may look at the progress, or give the search up, while there is nothing else to do. */
const LOOK_MILLISECONDS = 50;
/** Hits that may wait for those before them. */
export const MOST_WAITING = 3_000_000;

interface Result {
  readonly piece: Piece;
  state: 'waiting' | 'searched' | 'done';
  hits: Hits;
}

/** The result that a searcher works on, and the state that it has: it is kept as long as it may look at its pages. */
interface Busy {
  readonly result: Result;
  /** Undefined: it has the state that it had. */
  readonly start: Start | undefined;
}

export class ParallelSearch {
  /** Those that were not reported yet, in the order of the search. */
  private readonly results: Result[] = [];
  private readonly idle: Searcher[];
  private readonly busy = new Map<Searcher, Busy>();
  /** Where idle ones stand. */
  private readonly places = new Map<Searcher, Position>();
  private stopped = false;
  private reported = 0;
  /** How much of it has been said to be done. */
  private told = 0;
  private failure: unknown;
  private wake: () => void = () => undefined;

  /** `kept`: what each searcher looked at last, from one search to the next. */
  constructor(
    private readonly searchers: Searchers,
    private readonly starts: Starts,
    private readonly search: Search,
    private readonly kept: Map<Searcher, () => void>,
  ) {
    this.idle = [...searchers.all];
  }

  async run(pieces: Pieces, work: Work | undefined): Promise<void> {
    try {
      for (;;) {
        this.giveOut(pieces);
        if (this.stopped || (pieces.isAtEnd && this.results.length === 0)) return;
        if (this.idle.length + this.busy.size === 0) await this.goOnAlone(pieces);
        else await this.waitOrPlay(pieces);
        if (this.failure !== undefined) throw this.failure;
        this.reportProgress(pieces, work);
      }
    } finally {
      await this.stopAll();
    }
  }

  private giveOut(pieces: Pieces): void {
    const hasRoom = this.hasRoom();
    // A searcher that had to stop in the middle of a piece goes on best.
    for (const searcher of hasRoom ? [...this.idle] : []) {
      const place = this.places.get(searcher);
      const rest = place === undefined ? undefined : this.results.find(({ state, piece }) => state === 'waiting' && comparePositions(piece.from, place) === 0);
      if (rest !== undefined) this.give(searcher, rest);
    }
    for (const searcher of [...this.idle]) {
      const result = this.results.find(({ state }, i) => state === 'waiting' && (hasRoom || i === 0)) ?? (this.wantsMore() ? this.nextResult(pieces) : undefined);
      if (result === undefined) return;
      this.give(searcher, result);
    }
  }

  private wantsMore(): boolean {
    return !this.stopped && !this.hasOne() && this.hasRoom();
  }

  private hasRoom(): boolean {
    return this.results.reduce((sum, { hits }) => sum + hits.length, 0) < MOST_WAITING;
  }

  /** One hit is wanted, and there is one: only what comes before it is of interest. */
  private hasOne(): boolean {
    return this.search.wanted !== 'all' && this.results.some(({ hits }) => hits.length > 0);
  }

  private nextResult(pieces: Pieces): Result | undefined {
    const piece = pieces.next();
    if (piece === undefined) return undefined;
    const result: Result = { piece, state: 'waiting', hits: [] };
    this.results.push(result);
    return result;
  }

  private give(searcher: Searcher, result: Result): void {
    const { conditions, wanted } = this.search;
    const { from, to } = result.piece;
    const place = this.places.get(searcher);
    const isThere = place !== undefined && comparePositions(place, from) === 0;
    const start = isThere ? undefined : this.starts.startFor(from);
    result.state = 'searched';
    this.idle.splice(this.idle.indexOf(searcher), 1);
    this.places.delete(searcher);
    this.busy.set(searcher, { result, start });
    searcher.search({ owner: this.starts.owner, start: start?.start ?? { kind: 'here' }, from, to, conditions, wanted }).then(
      (found) => this.finished(searcher, found),
      (error: unknown) => this.failed(searcher, error),
    );
  }

  private finished(searcher: Searcher, found: FoundPart | undefined): void {
    const { result, start } = this.busy.get(searcher) as Busy;
    if (start !== undefined) {
      // It may compare what it has now with what it gets next.
      this.kept.get(searcher)?.();
      this.kept.set(searcher, () => start.release());
    }
    // Who has found the first one stands there.
    if (found !== undefined && this.search.wanted !== 'first') this.places.set(searcher, found.to);
    this.busy.delete(searcher);
    this.idle.push(searcher);
    result.state = 'done';
    if (found !== undefined) this.note(result, found);
    try {
      this.report();
    } catch (error) {
      this.failure ??= error;
    }
    this.wake();
  }

  private note(result: Result, { hits, to }: FoundPart): void {
    const index = this.results.indexOf(result);
    // It was to be given up, but was quicker.
    if (index < 0) return;
    result.hits = hits;
    const hasMore = comparePositions(to, result.piece.to) < 0;
    if (hasMore) this.results.splice(index, 1, { ...result, piece: { from: result.piece.from, to } }, { piece: { from: to, to: result.piece.to }, state: 'waiting', hits: [] });
    if (hits.length === 0 || this.search.wanted === 'all') return;
    for (const behind of this.results.splice(index + 1)) this.forget(behind);
  }

  private forget(result: Result): void {
    for (const [searcher, busy] of this.busy) if (busy.result === result) searcher.giveUp();
  }

  private failed(searcher: Searcher, error: unknown): void {
    const { result, start } = this.busy.get(searcher) as Busy;
    const old = this.kept.get(searcher);
    const releaseAll = (): void => {
      old?.();
      start?.release();
    };
    this.busy.delete(searcher);
    result.state = 'waiting';
    if (error instanceof BadStart) {
      start?.discard();
      start?.release();
      this.idle.push(searcher);
    } else if (error instanceof SearcherLost) {
      this.kept.delete(searcher);
      releaseAll();
    } else {
      // It is not known which of them it has.
      this.kept.set(searcher, releaseAll);
      this.failure ??= error;
    }
    this.wake();
  }

  /** Tells the listener what has nothing unknown before it. */
  private report(): void {
    while (!this.stopped && this.results[0]?.state === 'done') {
      const { hits, piece } = this.results.shift() as Result;
      this.tell(hits);
      this.reported += lengthOf(piece);
    }
  }

  private tell(hits: Hits): void {
    for (const hit of hits) {
      if (this.search.listener(hit) === 'go on') continue;
      this.stopped = true;
      return;
    }
  }

  private async waitOrPlay(pieces: Pieces): Promise<void> {
    if (this.wantsMore() && pieces.play()) return this.searchers.pause(0);
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      void this.searchers.pause(LOOK_MILLISECONDS).then(resolve);
    });
  }

  /** No searcher is busy, so all before the first result have been reported. */
  private async goOnAlone(pieces: Pieces): Promise<void> {
    const result = this.results[0] ?? this.nextResult(pieces);
    if (result === undefined) pieces.play();
    else {
      await this.search.alone(result.piece, (hit) => {
        const answer = this.search.listener(hit);
        if (answer === 'stop') this.stopped = true;
        return answer;
      });
      result.state = 'done';
      this.report();
    }
  }

  private reportProgress(pieces: Pieces, work: Work | undefined): void {
    const waiting = this.results.reduce((sum, { piece, state }) => sum + (state === 'done' ? lengthOf(piece) : 0), 0);
    const parts = [...this.busy.keys()].reduce((sum, { done }) => sum + done, 0);
    // What was given up, or has to be done once more, is not taken back.
    this.told = Math.max(this.told, Math.min(this.reported + waiting + parts, pieces.total));
    work?.progress?.(this.told, pieces.total);
    if (work?.isCancelled?.() === true) throw new Cancelled();
  }

  /** Searchers do one job at a time: the next search must find them idle. */
  private async stopAll(): Promise<void> {
    for (const searcher of this.busy.keys()) searcher.giveUp();
    this.stopped = true;
    while (this.busy.size > 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

function lengthOf({ from, to }: Piece): number {
  return to.time - from.time;
}
