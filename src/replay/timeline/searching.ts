/**
 * Searches of debuggers: the driver does them with pauses, and the rest of what takes long is done by several searchers
 * if there are any. The player is somewhere else afterwards.
 */
import type { Pace } from './parallel/pace.js';
import type { ParallelTimeline } from './parallel/parallelTimeline.js';
import type { Piece } from './parallel/pieces.js';
import { comparePositions, type Position } from '../log/position.js';
import type { Condition, Hit, HitFilter } from './conditions.js';
import type { HitListener } from './scan.js';
import { ALONE, type Outcome, type Search, type SearchDriver } from './searchDriver.js';
import { type Steps, untold, withPauses } from './steps.js';
import { partOf, type Work } from './work.js';

/** Who helps, and when. */
export interface Help {
  readonly parallel: ParallelTimeline;
  /** For a search that begins now. */
  pace(): Pace;
}

export class Searching {
  constructor(
    private readonly driver: SearchDriver,
    private readonly help: Help | undefined,
  ) {}

  /** Reports everything that has its position in [from, to), in order. */
  async each(conditions: readonly Condition[], listener: HitListener, piece: Piece, work: Work | undefined): Promise<void> {
    await this.forward({ conditions, listener }, 'all', piece, work);
  }

  /** The first hit after `after`, from `from` on and before `to`. */
  async first(conditions: readonly Condition[], piece: Piece, work: Work | undefined, filter?: HitFilter, after = piece.from): Promise<Hit | undefined> {
    let found: Hit | undefined;
    const listener = (hit: Hit): 'go on' | 'stop' => {
      if (isAfter(hit, after, filter) && this.isAccepted(hit, filter)) found ??= hit;
      return found === undefined ? 'go on' : 'stop';
    };
    await this.forward({ conditions, listener, begins: filter?.begins?.bind(filter) }, 'first', piece, work, filter);
    return found;
  }

  /** The last hit in [from, to). */
  async last(conditions: readonly Condition[], { from, to }: Piece, work: Work | undefined, filter?: HitFilter): Promise<Hit | undefined> {
    const [last, pace] = [new LastHit(), this.pace(filter)];
    const listener = (hit: Hit): 'go on' => (this.isAccepted(hit, filter) ? last.listener(hit) : 'go on');
    const search = { conditions, listener, begins: filter?.begins?.bind(filter) };
    const ended = (part: Piece): 'go on' | 'stop' =>
      last.hit !== undefined || pace.needsHelp(to.time - part.from.time, part.from.time - from.time) ? 'stop' : 'go on';
    const end = await this.drive(this.driver.backward({ from, to }, { searchOf: () => search, ended }), work);
    if (last.hit === undefined && comparePositions(end, from) > 0 && filter === undefined) {
      await this.lastWithHelp(conditions, last, end, partOf(work, to.time - end.time, end.time, to.time));
    }
    return last.hit;
  }

  /** Others do not have the state that a filter looks at. */
  private pace(filter?: HitFilter): Pace {
    return filter === undefined && this.help?.parallel.hasSearchers() === true ? this.help.pace() : ALONE;
  }

  private isAccepted(hit: Hit, filter: HitFilter | undefined): boolean {
    return filter === undefined || filter.accepts(hit, this.driver.state);
  }

  private async forward(search: Search, wanted: 'all' | 'first', { from, to }: Piece, work: Work | undefined, filter?: HitFilter): Promise<void> {
    const { conditions, listener } = search;
    let hits = 0;
    const counting = (hit: Hit): 'go on' | 'stop' => (hits++, listener(hit));
    const rest = await this.drive(this.driver.forward({ ...search, listener: counting }, { from, to }, this.pace(filter)), work);
    if (typeof rest === 'string') return;
    const left = partOf(work, rest.time - from.time, to.time - rest.time, to.time - from.time);
    const alone = (piece: Piece, told: HitListener): Promise<Outcome> => this.drive(untold(this.driver.forward({ conditions, listener: told }, piece)), work);
    await this.help?.parallel.forward({ conditions, wanted, listener, alone }, rest, to, hits / (rest.time - from.time), left);
  }

  private async lastWithHelp(conditions: readonly Condition[], last: LastHit, end: Position, work: Work | undefined): Promise<void> {
    const alone = async (piece: Piece, told: HitListener): Promise<void> => {
      const inPiece = new LastHit();
      await this.drive(untold(this.driver.forward({ conditions, listener: inPiece.listener }, piece)), work);
      if (inPiece.hit !== undefined) told(inPiece.hit);
    };
    const listener = (hit: Hit): 'stop' => (last.listener(hit), 'stop');
    await this.help?.parallel.backward({ conditions, wanted: 'last', listener, alone }, end, work);
  }

  private async drive<T>(steps: Steps<T>, work: Work | undefined): Promise<T> {
    try {
      return await withPauses(steps, work);
    } finally {
      this.driver.rest();
    }
  }
}

/** What the next instruction accesses comes after the position: a filter knows what it has seen already. */
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
