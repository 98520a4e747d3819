/**
 * States of the player that can be returned to. They are made at regular intervals and on the way to the places where
 * the user goes, as long as there is memory for them; then those go first that are missed least: close to others, and
 * far from where the user was lately. Others may lie in the recording, and are loaded when they save time.
 */
import { PAGE_SIZE } from '../../base/types.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { Player, PlayerState } from '../play/player.js';
import { releaseWorld } from '../play/worldState.js';
import { at, comparePositions, type Position } from '../log/position.js';
import { DEFAULT_CHECKPOINT_MEMORY } from './defaultMemory.js';

export interface Checkpoint {
  readonly position: Position;
  readonly state: PlayerState;
}

/** Checkpoints that lie elsewhere. */
export interface CheckpointSource {
  /** In order; each is the state right before the next instruction. */
  readonly times: readonly number[];
  /** Undefined if it cannot be used. */
  load(index: number): PlayerState | undefined;
  /** Gives memory back that only saves time. */
  trim(): void;
}

interface CheckpointOptions {
  /** Bytes that all of them may take. */
  readonly budget?: number | undefined;
  /** Instructions between two regular ones, to begin with. */
  readonly interval?: number | undefined;
  readonly source?: CheckpointSource | undefined;
}

/** A fraction of a second. */
const FIRST_INTERVAL = 16_000_000;
/** However small they are. */
const MOST = 600;
const NEARLY_FULL = 0.9;
/** How many places of the user count, and how close to one is as good as there. */
const PLACES = 4;
const CLOSE = 65_536;
/** Beside contents of pages: what a state has for each task, and for each space and mapped file. */
const TASK_BYTES = RUN_WORDS * 4 + 128;
const ITEM_BYTES = 256;

export class Checkpoints {
  /** In order of position. The first is the beginning and stays: everything can be reached from it. */
  private readonly list: Checkpoint[] = [];
  /** Times where the user was, the last one first. */
  private places: number[] = [];
  private interval: number;
  private readonly budget: number;
  private readonly source: CheckpointSource | undefined;
  /** Those of the source that could not be loaded. */
  private readonly unusable = new Set<number>();
  /** Those that stay, and for how many. */
  private readonly kept = new Map<Checkpoint, number>();
  private readonly objectPages = new CountedPages();
  private otherBytes = 0;

  constructor(
    private readonly store: PageStore,
    { budget = DEFAULT_CHECKPOINT_MEMORY, interval = FIRST_INTERVAL, source }: CheckpointOptions = {},
  ) {
    this.budget = budget;
    this.interval = interval;
    this.source = source;
  }

  get all(): readonly Checkpoint[] {
    return this.list;
  }

  /** Whether another one probably displaces none. */
  get haveRoom(): boolean {
    return this.bytes < this.budget * NEARLY_FULL && this.list.length < MOST;
  }

  /** What they take. */
  get bytes(): number {
    return this.store.bytes + this.store.tableBytes + this.objectPages.bytes + this.otherBytes;
  }

  /** The last one not after `position`, for a player that could also go there from the time `reached`. */
  before(position: Position, reached = 0): Checkpoint | undefined {
    const known = this.list[this.indexAfter(position) - 1];
    return this.loadBetween(Math.max(known?.position.time ?? 0, reached), (time) => comparePositions(at(time), position) <= 0) ?? known;
  }

  /** The last one that is really before `position`. */
  strictlyBefore(position: Position): Checkpoint | undefined {
    let index = this.indexAfter(position) - 1;
    while (index >= 0 && comparePositions((this.list[index] as Checkpoint).position, position) === 0) index--;
    const known = this.list[index];
    return this.loadBetween(known?.position.time ?? 0, (time) => comparePositions(at(time), position) < 0) ?? known;
  }

  /** Times of all, those elsewhere included, in order. */
  times(): number[] {
    const all = new Set([...this.list.map(({ position }) => position.time), ...(this.source?.times ?? [])]);
    return [...all].sort((a, b) => a - b);
  }

  /**
   * The last one not after `position` for another thread, which can load from the source, too: one of ours, or its
   * number there.
   */
  startFor(position: Position): Checkpoint | number {
    const known = this.list[this.indexAfter(position) - 1] ?? (this.list[0] as Checkpoint);
    return this.indexBetween(known.position.time, (time) => comparePositions(at(time), position) <= 0) ?? known;
  }

  /** That one of the source cannot be used. */
  discard(index: number): void {
    this.unusable.add(index);
  }

  /** When a regular one is due that is after `time`. */
  nextDue(time: number): number {
    return (Math.floor(time / this.interval) + 1) * this.interval;
  }

  /** The user goes there. */
  visit({ time }: Position): void {
    this.places = [time, ...this.places.filter((place) => Math.abs(place - time) > CLOSE)].slice(0, PLACES);
  }

  /** All are given back. */
  dispose(): void {
    this.kept.clear();
    for (const { state } of this.list.splice(0)) releaseWorld(state.world);
  }

  /** Makes one where the player stands, unless there is one: because it is due, or because the user is near. */
  add(player: Player, why: 'due' | 'near' = 'due', position = player.position): void {
    const index = this.indexAfter(position);
    const previous = this.list[index - 1];
    if (previous !== undefined && comparePositions(previous.position, position) === 0) return;
    const before = this.list.length;
    this.insert(index, { position, state: player.save(this.store) });
    if (why === 'due' && this.list.length <= before) this.slowDown();
  }

  /** Makes one where the player stands that stays until what is returned is called, whatever memory it takes. */
  keep(player: Player): () => void {
    const { position } = player;
    const index = this.indexAfter(position);
    const known = this.list[index - 1];
    const isThere = known !== undefined && comparePositions(known.position, position) === 0;
    const checkpoint = isThere ? known : { position, state: player.save(this.store) };
    this.kept.set(checkpoint, (this.kept.get(checkpoint) ?? 0) + 1);
    if (!isThere) this.insert(index, checkpoint);
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      const left = (this.kept.get(checkpoint) ?? 0) - 1;
      if (left > 0) this.kept.set(checkpoint, left);
      else this.kept.delete(checkpoint);
    };
  }

  /** What is made only to be dropped again costs time. */
  private slowDown(): void {
    const [first, last] = [this.list[0] as Checkpoint, this.list.at(-1) as Checkpoint];
    if (this.interval * this.list.length < last.position.time - first.position.time) this.interval *= 2;
  }

  /** Loads the last one of the source for whose time `isWanted`. */
  private loadBetween(known: number, isWanted: (time: number) => boolean): Checkpoint | undefined {
    for (let index = this.indexBetween(known, isWanted); index !== undefined; index = this.indexBetween(known, isWanted)) {
      const state = this.source?.load(index);
      if (state === undefined) {
        this.discard(index);
        continue;
      }
      const checkpoint = { position: at(state.time), state };
      this.insert(this.indexAfter(checkpoint.position), checkpoint, checkpoint);
      return checkpoint;
    }
    return undefined;
  }

  /** Of the last one of the source for whose time `isWanted`, if it lies so far after `known` that loading pays. */
  private indexBetween(known: number, isWanted: (time: number) => boolean): number | undefined {
    const times = this.source?.times ?? [];
    const index = times.findLastIndex((time, i) => isWanted(time) && !this.unusable.has(i));
    const earliest = known + Math.min(this.interval, FIRST_INTERVAL) / 2;
    return index >= 0 && (times[index] as number) > earliest ? index : undefined;
  }

  private insert(index: number, checkpoint: Checkpoint, keep?: Checkpoint): void {
    this.list.splice(index, 0, checkpoint);
    this.count(checkpoint.state, 1);
    while (this.isTooMuch()) {
      const victim = this.leastMissed(keep);
      if (victim === undefined) return;
      this.drop(victim);
    }
  }

  private isTooMuch(): boolean {
    if (this.bytes > this.budget) this.source?.trim();
    return this.bytes > this.budget || this.list.length > MOST;
  }

  private drop(index: number): void {
    const [{ state }] = this.list.splice(index, 1) as [Checkpoint];
    this.count(state, -1);
    releaseWorld(state.world);
  }

  /** Undefined if there is none that can be spared. */
  private leastMissed(keep: Checkpoint | undefined): number | undefined {
    let [found, least]: [number | undefined, number] = [undefined, Infinity];
    for (let i = 1; i < this.list.length; i++) {
      const checkpoint = this.list[i] as Checkpoint;
      const value = this.valueOf(i);
      if (checkpoint === keep || this.kept.has(checkpoint) || value >= least) continue;
      [found, least] = [i, value];
    }
    return found;
  }

  /** How long the way would be for those who miss it, who are the fewer the farther away the user is. */
  private valueOf(index: number): number {
    const { time } = (this.list[index] as Checkpoint).position;
    const before = (this.list[index - 1] as Checkpoint).position.time;
    const after = this.list[index + 1]?.position.time ?? time + this.interval;
    const distances = this.places.map((place, age) => Math.abs(place - time) * 2 ** age);
    const distance = distances.length === 0 ? 0 : Math.min(...distances);
    return (after - before) / Math.sqrt(CLOSE + distance);
  }

  private count({ world }: PlayerState, sign: 1 | -1): void {
    this.otherBytes += sign * (world.tasks.size * TASK_BYTES + (world.objects.size + world.spaces.size) * ITEM_BYTES);
    for (const { state } of world.objects.values()) this.objectPages.count(state.pages.values(), sign);
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

/** Pages of mapped files, of which states that follow each other have most in common. */
class CountedPages {
  private readonly users = new Map<Uint8Array, number>();

  get bytes(): number {
    return this.users.size * PAGE_SIZE;
  }

  count(pages: Iterable<Uint8Array>, sign: 1 | -1): void {
    for (const page of pages) {
      const left = (this.users.get(page) ?? 0) + sign;
      if (left > 0) this.users.set(page, left);
      else this.users.delete(page);
    }
  }
}
