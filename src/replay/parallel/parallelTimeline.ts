/** Searches of a timeline that are long enough to be worth the trouble of several searchers. */
import { assert } from '../../base/assert.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../play/position.js';
import { releaseWorld, retainWorld } from '../play/worldState.js';
import type { Checkpoints } from '../timeline/checkpoints.js';
import { exportState } from '../timeline/portableState.js';
import type { Work } from '../timeline/work.js';
import { ParallelSearch, type Search, type Starts } from './parallelSearch.js';
import { BackwardPieces, ForwardPieces, type Known, type Pieces } from './pieces.js';
import type { JobStart, Searcher, Searchers } from './searchers.js';

/** Shorter searches are quicker alone: searchers have to be started, and to translate the program's code. */
const WORTH_IT = 150_000_000;
/** A piece costs something by itself: its start has to be sent and restored. */
const SMALLEST_PIECE = 16_000_000;
/** As many for each searcher, so that none waits long for the last one. */
const PIECES_EACH = 8;
/** Going back, how much of the way so far a piece may have. */
const FARTHER = 1 / 16;

/** Parts of a timeline that its searches work with. */
export interface Parts {
  readonly player: Player;
  readonly checkpoints: Checkpoints;
  readonly store: PageStore;
}

export interface ParallelOptions {
  /** Instructions from which on a search is worth it. */
  readonly worthIt?: number | undefined;
  readonly smallestPiece?: number | undefined;
}

export class ParallelTimeline implements Known, Starts {
  private readonly kept = new Map<Searcher, () => void>();
  private readonly worthIt: number;
  private readonly smallestPiece: number;

  constructor(
    private readonly parts: Parts,
    private readonly searchers: Searchers,
    { worthIt = WORTH_IT, smallestPiece = SMALLEST_PIECE }: ParallelOptions = {},
  ) {
    this.worthIt = worthIt;
    this.smallestPiece = smallestPiece;
  }

  /** Whether so many instructions should be searched by several. */
  isWorthIt(instructions: number): boolean {
    return instructions >= this.worthIt && this.searchers.all.length > 1;
  }

  /** Reports what has its position in [from, to), in order. */
  async forward(search: Search, from: Position, to: Position, work: Work | undefined): Promise<void> {
    const size = Math.ceil((to.time - from.time) / (this.searchers.all.length * PIECES_EACH));
    await this.run(search, new ForwardPieces(this, from, to, Math.max(size, this.smallestPiece)), work);
  }

  /** Reports of each piece before `position` the last hit, the last piece first. */
  async backward(search: Search, position: Position, work: Work | undefined): Promise<void> {
    await this.run(search, new BackwardPieces(this, position, this.smallestPiece, FARTHER), work);
  }

  times(): readonly number[] {
    return this.parts.checkpoints.times();
  }

  playSome(from: Position, to: Position): Position {
    const { player, checkpoints, store } = this.parts;
    if (comparePositions(player.position, from) !== 0) {
      const start = checkpoints.before(from);
      assert(start !== undefined, 'there is a checkpoint at the beginning');
      player.restore(start.state, store);
      player.advance(from.time, from.done);
    }
    const time = Math.min(checkpoints.nextDue(player.time), to.time);
    player.advance(time);
    checkpoints.add(player);
    return at(time);
  }

  startFor(position: Position): { readonly start: JobStart; release(): void } {
    const found = this.parts.checkpoints.startFor(position);
    if (typeof found === 'number') return { start: { kind: 'stored', index: found }, release: () => undefined };
    const { world } = found.state;
    retainWorld(world);
    return { start: { kind: 'state', state: exportState(found.state), slabs: this.parts.store.share() }, release: () => releaseWorld(world) };
  }

  private async run(search: Search, pieces: Pieces, work: Work | undefined): Promise<void> {
    await new ParallelSearch(this.searchers, this, search, this.kept).run(pieces, work);
  }
}
