/**
 * Searches through an execution, by one player from checkpoint to checkpoint; the rest of what takes long is done by
 * several searchers if there are any. The player is somewhere else afterwards.
 */
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Pace } from '../parallel/pace.js';
import type { ParallelTimeline } from '../parallel/parallelTimeline.js';
import type { Piece } from '../parallel/pieces.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../play/position.js';
import type { Checkpoints } from './checkpoints.js';
import type { Condition, Hit, HitFilter } from './conditions.js';
import { type HitListener, Scan } from './scan.js';
import { State } from './state.js';
import { breathe, partOf, quietly, type Work } from './work.js';

/** How much longer a part may be that is searched than what has been, going back. */
const FARTHER = 1 / 8;
/** Instructions between two looks at how it goes. Where there are many hits, somebody thinks about each: then looks are needed sooner. */
const LONGEST_STEP = 16_000_000;
const FIRST_STEP = 8192;
const SHORTEST_STEP = 256;
const MANY_HITS = 256;

export interface SearchedTimeline {
  readonly player: Player;
  readonly checkpoints: Checkpoints;
  readonly store: PageStore;
  /** Makes the player stand there. */
  approach(position: Position, work: Work | undefined): Promise<void>;
}

/** Who helps, and when. */
export interface Help {
  readonly parallel: ParallelTimeline;
  /** For a search that begins now. */
  pace(): Pace;
}

/** Nobody. */
const ALONE: Pace = { needsHelp: () => false };

export class Searching {
  constructor(
    private readonly timeline: SearchedTimeline,
    private readonly help: Help | undefined,
  ) {}

  /** Reports everything that has its position in [from, to), in order. */
  async each(conditions: readonly Condition[], listener: HitListener, from: Position, to: Position, work: Work | undefined): Promise<void> {
    await this.forward(conditions, 'all', listener, { from, to }, work);
  }

  /** The first hit after `after`, from `from` on and before `to`. */
  async first(conditions: readonly Condition[], from: Position, to: Position, work: Work | undefined, filter?: HitFilter, after = from): Promise<Hit | undefined> {
    let found: Hit | undefined;
    const listener = (hit: Hit): 'go on' | 'stop' => {
      if (isAfter(hit, after, filter) && this.isAccepted(hit, filter)) found ??= hit;
      return found === undefined ? 'go on' : 'stop';
    };
    await this.forward(conditions, 'first', listener, { from, to }, work, filter);
    return found;
  }

  /**
   * The last hit before `position`: the part after the last checkpoint first, then what is before it, ... The parts become
   * longer, because each costs something by itself, but never by more than a fraction of what has been searched already.
   */
  async last(conditions: readonly Condition[], position: Position, work: Work | undefined, filter?: HitFilter): Promise<Hit | undefined> {
    const { checkpoints, player, store } = this.timeline;
    const [last, pace] = [new LastHit(), this.pace(filter)];
    let end = position;
    await this.timeline.approach(position, quietly(work));
    const listener = (hit: Hit): 'go on' => (this.isAccepted(hit, filter) ? last.listener(hit) : 'go on');
    await this.scanning(conditions, listener, async (scan) => {
      while (last.hit === undefined && !pace.needsHelp(position.time - end.time, end.time)) {
        const farther = Math.floor((position.time - end.time) * FARTHER);
        // Nothing farther is not simply the time of `end`: that would be after it.
        const start = (farther > 0 ? checkpoints.strictlyBefore(at(end.time - farther)) : undefined) ?? checkpoints.strictlyBefore(end);
        if (start === undefined) return;
        player.restore(start.state, store);
        filter?.begins?.(this.state);
        // Somebody has been here before: checkpoints would displace others that are worth as much.
        await this.scanTo(scan, end, partOf(work, position.time - end.time, end.time - start.position.time, position.time), ALONE, checkpoints.haveRoom);
        end = start.position;
        await breathe(work, position.time - end.time, position.time);
      }
    });
    if (last.hit === undefined && end.time > 0 && filter === undefined) await this.lastWithHelp(conditions, last, end, partOf(work, position.time - end.time, end.time, position.time));
    return last.hit;
  }

  /** Others do not have the state that a filter looks at. */
  private pace(filter?: HitFilter): Pace {
    return filter === undefined && this.help?.parallel.hasSearchers() === true ? this.help.pace() : ALONE;
  }

  private get state(): State {
    const { player } = this.timeline;
    return new State(player.world, player.position);
  }

  private isAccepted(hit: Hit, filter: HitFilter | undefined): boolean {
    return filter === undefined || filter.accepts(hit, this.state);
  }

  private async forward(conditions: readonly Condition[], wanted: 'all' | 'first', listener: HitListener, { from, to }: Piece, work: Work | undefined, filter?: HitFilter): Promise<void> {
    const alone = async (piece: Piece, told: HitListener, pace = ALONE, seen = quietly(work)): Promise<Position | undefined> => {
      await this.timeline.approach(piece.from, quietly(work));
      filter?.begins?.(this.state);
      return this.scanning(conditions, told, (scan) => this.scanTo(scan, piece.to, seen, pace));
    };
    let hits = 0;
    const rest = await alone({ from, to }, (hit) => (hits++, listener(hit)), this.pace(filter), work);
    if (rest === undefined) return;
    const left = partOf(work, rest.time - from.time, to.time - rest.time, to.time - from.time);
    await this.help?.parallel.forward({ conditions, wanted, listener, alone }, rest, to, hits / (rest.time - from.time), left);
  }

  private async lastWithHelp(conditions: readonly Condition[], last: LastHit, end: Position, work: Work | undefined): Promise<void> {
    const alone = async (piece: Piece, told: HitListener): Promise<void> => {
      const inPiece = new LastHit();
      await this.timeline.approach(piece.from, quietly(work));
      await this.scanning(conditions, inPiece.listener, (scan) => this.scanTo(scan, piece.to, quietly(work), ALONE));
      if (inPiece.hit !== undefined) told(inPiece.hit);
    };
    const listener = (hit: Hit): 'stop' => (last.listener(hit), 'stop');
    await this.help?.parallel.backward({ conditions, wanted: 'last', listener, alone }, end, work);
  }

  private async scanning<T>(conditions: readonly Condition[], listener: HitListener, action: (scan: Scan) => Promise<T>): Promise<T> {
    const scan = new Scan(this.timeline.player, conditions, listener);
    scan.begin();
    try {
      return await action(scan);
    } finally {
      scan.end();
    }
  }

  /** In parts, so that others get their turn. Returns where help is needed; undefined if it is done. */
  private async scanTo(scan: Scan, to: Position, work: Work | undefined, pace: Pace, leavesCheckpoints = true): Promise<Position | undefined> {
    const { player, checkpoints } = this.timeline;
    const [start, total] = [player.time, Math.max(1, to.time - player.time)];
    let step = FIRST_STEP;
    for (;;) {
      const due = checkpoints.nextDue(player.time);
      const stop = Math.min(due, player.time + step);
      const isLast = stop >= to.time;
      const hits = scan.hits;
      if (!scan.run(isLast ? to : at(stop)) || isLast) return undefined;
      step = scan.hits - hits > MANY_HITS ? Math.max(SHORTEST_STEP, step >> 2) : Math.min(LONGEST_STEP, step * 2);
      if (stop === due && leavesCheckpoints) checkpoints.add(player);
      await breathe(work, player.time - start, total);
      if (pace.needsHelp(player.time - start, to.time - player.time)) return at(stop);
    }
  }
}

/** What the next instruction accesses comes after the position: who filters hits knows what it has seen already. */
function isAfter(hit: Hit, from: Position, filter: HitFilter | undefined): boolean {
  const order = comparePositions(hit.position, from);
  return order > 0 || (order === 0 && filter !== undefined && hit.access !== undefined);
}

/** Of hits that come in order: the last one. */
class LastHit {
  hit: Hit | undefined;

  readonly listener = (hit: Hit): 'go on' => {
    if (this.hit === undefined || comparePositions(hit.position, this.hit.position) >= 0) this.hit = hit;
    return 'go on';
  };
}
