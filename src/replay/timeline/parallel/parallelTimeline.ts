/** Searches of a timeline that are so long that several searchers are worth the trouble. */
import type { PageStore } from '../../../machine/snapshots/pageStore.js';
import type { Position } from '../../log/position.js';
import { releaseWorld, retainWorld } from '../../play/worldState.js';
import type { Checkpoints } from '../checkpoints.js';
import { exportState } from '../../play/portableState.js';
import { FARTHER, type SearchDriver } from '../searchDriver.js';
import type { Work } from '../work.js';
import { MOST_WAITING, ParallelSearch, type Search, type Start, type Starts } from './parallelSearch.js';
import { BackwardPieces, ForwardPieces, type Known, type Pieces } from './pieces.js';
import type { Searcher, Searchers } from './searchers.js';

/** A piece costs something by itself: its start has to be loaded or sent, and restored. */
const SMALLEST_PIECE = 40_000_000;
/** As many for each searcher, so that none waits long for the last one. */
const PIECES_EACH = 4;

/** Parts of a timeline that its searches work with. */
interface Parts {
  readonly driver: SearchDriver;
  readonly checkpoints: Checkpoints;
  readonly store: PageStore;
}

export class ParallelTimeline implements Known, Starts {
  readonly owner: number;
  /** What each searcher looked at last. */
  private readonly kept = new Map<Searcher, () => void>();

  constructor(
    private readonly parts: Parts,
    private readonly searchers: Searchers,
    /** Instructions. */
    private readonly smallestPiece = SMALLEST_PIECE,
  ) {
    this.owner = searchers.newOwner();
  }

  /** Whether there is more than one, or will be. */
  hasSearchers(): boolean {
    return this.searchers.count > 1;
  }

  /**
   * Reports what has its position in [from, to), in order. `density`: how many hits there were for each instruction
   * before.
   */
  async forward(search: Search, from: Position, to: Position, density: number, work: Work | undefined): Promise<void> {
    const { count } = this.searchers;
    const usual = Math.max(Math.ceil((to.time - from.time) / (count * PIECES_EACH)), this.smallestPiece);
    // No searcher should have to wait because there are too many hits for which those before them are missing.
    const dense = search.wanted === 'all' ? Math.ceil(MOST_WAITING / (2 * count) / density) : Infinity;
    await this.run(search, new ForwardPieces(this, from, to, Math.min(usual, dense)), work);
  }

  /** Reports of each piece before `position` the last hit, the last piece first. */
  async backward(search: Search, position: Position, work: Work | undefined): Promise<void> {
    await this.run(search, new BackwardPieces(this, position, this.smallestPiece, FARTHER), work);
  }

  times(): readonly number[] {
    return this.parts.checkpoints.times();
  }

  playSome(from: Position, to: Position): Position {
    return this.parts.driver.playSome(from, to);
  }

  startFor(position: Position): Start {
    const { checkpoints, store } = this.parts;
    const found = checkpoints.startFor(position);
    if (typeof found === 'number') return { start: { kind: 'stored', index: found }, release: () => undefined, discard: () => checkpoints.discard(found) };
    const { world } = found.state;
    retainWorld(world);
    return { start: { kind: 'state', state: exportState(found.state), slabs: store.share() }, release: () => releaseWorld(world), discard: () => undefined };
  }

  private async run(search: Search, pieces: Pieces, work: Work | undefined): Promise<void> {
    await new ParallelSearch(this.searchers, this, search, this.kept).run(pieces, work);
  }
}
