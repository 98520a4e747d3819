/**
 * Searches through an execution, by one player from checkpoint to checkpoint; what is left of a long one is done by
 * several searchers if there are any. The player is somewhere else afterwards.
 */
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { ParallelTimeline } from '../parallel/parallelTimeline.js';
import type { Piece } from '../parallel/pieces.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../play/position.js';
import type { Checkpoints } from './checkpoints.js';
import type { Condition, Hit } from './conditions.js';
import { type HitListener, Scan } from './scan.js';
import { breathe, type Work } from './work.js';

/** How much longer a part may be that is searched than what has been, going back. */
const FARTHER = 1 / 8;
/** What is searched for is mostly near: so many instructions are searched before others are asked for help. */
const ALONE_AT_FIRST = 40_000_000;

export interface SearchedTimeline {
  readonly player: Player;
  readonly checkpoints: Checkpoints;
  readonly store: PageStore;
  /** Makes the player stand there. */
  approach(position: Position, work: Work | undefined): Promise<void>;
}

export class Searching {
  constructor(
    private readonly timeline: SearchedTimeline,
    private readonly parallel: ParallelTimeline | undefined,
    private readonly aloneAtFirst = ALONE_AT_FIRST,
  ) {}

  /** Reports everything that has its position in [from, to), in order. */
  async each(conditions: readonly Condition[], listener: HitListener, from: Position, to: Position, work: Work | undefined): Promise<void> {
    const alone = (piece: Piece, told: HitListener): Promise<void> => this.eachIn(conditions, told, piece, work);
    if (this.parallel?.isWorthIt(to.time - from.time) === true) await this.parallel.forward({ conditions, wanted: 'all', listener, alone }, from, to, work);
    else await alone({ from, to }, listener);
  }

  /** The first hit after `from` and before `to`. */
  async first(conditions: readonly Condition[], from: Position, to: Position, work: Work | undefined): Promise<Hit | undefined> {
    let found: Hit | undefined;
    const listener = (hit: Hit): 'go on' | 'stop' => {
      if (comparePositions(hit.position, from) > 0) found ??= hit;
      return found === undefined ? 'go on' : 'stop';
    };
    const alone = (piece: Piece, told: HitListener): Promise<void> => this.eachIn(conditions, told, piece, work);
    const near = at(from.time + this.aloneAtFirst);
    if (this.parallel?.isWorthIt(to.time - near.time) !== true) await alone({ from, to }, listener);
    else {
      await alone({ from, to: near }, listener);
      if (found === undefined) await this.parallel.forward({ conditions, wanted: 'first', listener, alone }, near, to, work);
    }
    return found;
  }

  /**
   * The last hit before `position`: the part after the last checkpoint first, then what is before it, ... The parts become
   * longer, because each costs something by itself, but never by more than a fraction of what has been searched already.
   */
  async last(conditions: readonly Condition[], position: Position, work: Work | undefined): Promise<Hit | undefined> {
    const { checkpoints, player, store } = this.timeline;
    const last = new LastHit();
    let end = position;
    await this.timeline.approach(position, work);
    await this.scanning(conditions, last.listener, async (scan) => {
      while (last.hit === undefined && !this.needsHelp(position, end)) {
        const start = checkpoints.strictlyBefore(at(end.time - Math.floor((position.time - end.time) * FARTHER))) ?? checkpoints.strictlyBefore(end);
        if (start === undefined) return;
        player.restore(start.state, store);
        await this.scanTo(scan, end, work);
        end = start.position;
        await breathe(work, position.time - end.time, position.time);
      }
    });
    if (last.hit === undefined && this.needsHelp(position, end)) await this.lastWithHelp(conditions, last, end, work);
    return last.hit;
  }

  private needsHelp(position: Position, end: Position): boolean {
    return position.time - end.time >= this.aloneAtFirst && this.parallel?.isWorthIt(end.time) === true;
  }

  private async lastWithHelp(conditions: readonly Condition[], last: LastHit, end: Position, work: Work | undefined): Promise<void> {
    const alone = async (piece: Piece, told: HitListener): Promise<void> => {
      const inPiece = new LastHit();
      await this.eachIn(conditions, inPiece.listener, piece, work);
      if (inPiece.hit !== undefined) told(inPiece.hit);
    };
    const listener = (hit: Hit): 'stop' => (last.listener(hit), 'stop');
    await this.parallel?.backward({ conditions, wanted: 'last', listener, alone }, end, work);
  }

  private async eachIn(conditions: readonly Condition[], listener: HitListener, { from, to }: Piece, work: Work | undefined): Promise<void> {
    await this.timeline.approach(from, work);
    await this.scanning(conditions, listener, (scan) => this.scanTo(scan, to, work));
  }

  private async scanning(conditions: readonly Condition[], listener: HitListener, action: (scan: Scan) => Promise<void>): Promise<void> {
    const scan = new Scan(this.timeline.player, conditions, listener);
    scan.begin();
    try {
      await action(scan);
    } finally {
      scan.end();
    }
  }

  /** In parts, so that others get their turn. */
  private async scanTo(scan: Scan, to: Position, work: Work | undefined): Promise<void> {
    const { player, checkpoints } = this.timeline;
    const [start, total] = [player.time, Math.max(1, to.time - player.time)];
    for (;;) {
      const due = checkpoints.nextDue(player.time);
      const isLast = due >= to.time;
      if (!scan.run(isLast ? to : at(due)) || isLast) return;
      checkpoints.add(player);
      await breathe(work, player.time - start, total);
    }
  }
}

/** Of hits that come in order: the last one. */
class LastHit {
  hit: Hit | undefined;

  readonly listener = (hit: Hit): 'go on' => {
    if (this.hit === undefined || comparePositions(hit.position, this.hit.position) >= 0) this.hit = hit;
    return 'go on';
  };
}
