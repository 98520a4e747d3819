/**
 * States of the player that can be returned to. There are regular ones, as many as the memory they may take
 * allows: when it is used up every second one is given back, and from then on they are made half as often. And there are
 * some near the places where the user was last, so that going back and forth there is quick.
 */
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Player, PlayerState } from '../play/player.js';
import { releaseWorld } from '../play/worldState.js';
import { comparePositions, type Position } from '../play/position.js';

export interface Checkpoint {
  readonly position: Position;
  readonly state: PlayerState;
  readonly near: boolean;
}

/** Instructions between two regular checkpoints, to begin with: a fraction of a second. */
const FIRST_INTERVAL = 16_000_000;
/** Regular checkpoints at most, however small they are. */
const MOST_REGULAR = 600;
const MOST_NEAR = 24;

export class Checkpoints {
  /** In order of position. */
  private readonly list: Checkpoint[] = [];
  /** Those near the user, the oldest first. */
  private readonly near: Checkpoint[] = [];

  constructor(
    private readonly store: PageStore,
    /** Bytes of page contents. */
    private readonly budget: number,
    /** Instructions between two regular ones. */
    private interval = FIRST_INTERVAL,
  ) {}

  get all(): readonly Checkpoint[] {
    return this.list;
  }

  /** The last one not after `position`. */
  before(position: Position): Checkpoint | undefined {
    return this.list[this.indexAfter(position) - 1];
  }

  /** The last one that is really before `position`. */
  strictlyBefore(position: Position): Checkpoint | undefined {
    let index = this.indexAfter(position) - 1;
    while (index >= 0 && comparePositions((this.list[index] as Checkpoint).position, position) === 0) index--;
    return this.list[index];
  }

  /** When a regular one is due that is after `time`. */
  nextDue(time: number): number {
    return (Math.floor(time / this.interval) + 1) * this.interval;
  }

  /** Makes one where the player stands, unless there is one. */
  add(player: Player, near = false): void {
    const { position } = player;
    const index = this.indexAfter(position);
    const previous = this.list[index - 1];
    if (previous !== undefined && comparePositions(previous.position, position) === 0) return;
    const checkpoint = { position, state: player.save(this.store), near };
    this.list.splice(index, 0, checkpoint);
    if (near) this.near.push(checkpoint);
    this.keepWithinBudget();
  }

  private keepWithinBudget(): void {
    while (this.near.length > MOST_NEAR) this.drop(this.near[0] as Checkpoint);
    while (this.store.bytes > this.budget && this.near.length > 1) this.drop(this.near[0] as Checkpoint);
    const regular = this.list.length - this.near.length;
    if ((this.store.bytes > this.budget || regular > MOST_REGULAR) && regular > 2) this.thin();
  }

  private thin(): void {
    this.interval *= 2;
    const regular = this.list.filter(({ near }) => !near);
    // The first stays: everything can be reached from it.
    regular.forEach((checkpoint, i) => {
      if (i % 2 === 1) this.drop(checkpoint);
    });
  }

  private drop(checkpoint: Checkpoint): void {
    this.list.splice(this.list.indexOf(checkpoint), 1);
    const near = this.near.indexOf(checkpoint);
    if (near >= 0) this.near.splice(near, 1);
    releaseWorld(checkpoint.state.world);
  }

  /** Index of the first one after `position`. */
  private indexAfter(position: Position): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions((this.list[middle] as Checkpoint).position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
