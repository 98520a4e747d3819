/**
 * The checkpoints that a recording has in its file (storeCheckpoints.ts puts them there). Nothing of them is read
 * before it is wanted, and of contents of pages only what a state needs and is not in memory yet. What is damaged, or
 * of another version of culprit, is as if it were not there: checkpoints only save time.
 */
import { UserError } from '../../base/errors.js';
import { PAGE_SIZE } from '../../base/types.js';
import { ZEROS, type PageRef, type PageStore } from '../../machine/snapshots/pageStore.js';
import { CHUNK, type CheckpointChunk, type PagesChunk } from '../format/chunks.js';
import type { RecordingReader } from '../format/recordingReader.js';
import type { EventLog } from '../log/eventLog.js';
import type { PlayedWorld } from '../play/playedWorld.js';
import type { PlayerState } from '../play/player.js';
import { type FlatState, type NumberedPages, pagesOf, unflattenState } from './flatState.js';
import { BadState, readState } from './stateBytes.js';

export class StoredCheckpoints {
  /** Of each, in order. A checkpoint is the state at its time: right before the next instruction. */
  readonly times: readonly number[];
  /** How many bytes of the file they take. */
  readonly bytes: number;
  private readonly chunks: readonly CheckpointChunk[];
  /** In order of their numbers. */
  private readonly pages: readonly PagesChunk[];

  constructor(
    private readonly reader: RecordingReader,
    private readonly log: EventLog,
  ) {
    const all = reader.chunks.filter((chunk) => chunk.kind === CHUNK.CHECKPOINT);
    const byTime = new Map(all.filter(({ part, parts, time }) => part === 0 && parts === 1 && time <= log.endTime).map((chunk) => [chunk.time, chunk]));
    this.chunks = [...byTime.values()].sort((a, b) => a.time - b.time);
    this.times = this.chunks.map(({ time }) => time);
    this.pages = reader.chunks.filter((chunk) => chunk.kind === CHUNK.PAGES).sort((a, b) => a.firstPage - b.firstPage);
    this.bytes = [...all, ...this.pages].reduce((sum, { where }) => sum + where.storedLength, 0);
  }

  /** For states that are wanted in this store. */
  into(store: PageStore): LoadedCheckpoints {
    return new LoadedCheckpoints(this, store);
  }

  /** Throws a UserError if it cannot be used. */
  state(index: number): FlatState {
    const chunk = this.chunks[index] as CheckpointChunk;
    const state = readState(this.reader.read(chunk));
    const { place } = state;
    if (state.time !== chunk.time || place.time > state.time || place.chunk > this.log.chunks.length) throw new BadState('a stored checkpoint is of another time');
    return state;
  }

  /** Visits the contents of pages by number, which must be in order. Throws a UserError if something is not there. */
  forEachPage(numbers: readonly number[], visit: (number: number, chunk: Uint8Array, offset: number) => void): void {
    let current: { readonly first: number; readonly bytes: Uint8Array } | undefined;
    for (const number of numbers) {
      if (current === undefined || number >= current.first + current.bytes.length / PAGE_SIZE) current = this.readPages(number);
      visit(number, current.bytes, (number - current.first) * PAGE_SIZE);
    }
  }

  /** Reads everything; returns how many checkpoints cannot be used. */
  check(progress: (part: number) => void = () => undefined): number {
    const damaged = this.pages.filter((chunk, i) => {
      progress(i / this.pages.length);
      return !isUsable(() => this.reader.read(chunk));
    });
    const isDamaged = (number: number): boolean => damaged.some(({ firstPage, where }) => number >= firstPage && number < firstPage + where.length / PAGE_SIZE);
    return this.chunks.filter((_, i) => !isUsable(() => {
      for (const number of pagesOf(this.state(i))) if (this.chunkWith(number) === undefined || isDamaged(number)) throw new BadState('a stored checkpoint lacks pages');
    })).length;
  }

  private readPages(number: number): { readonly first: number; readonly bytes: Uint8Array } {
    const chunk = this.chunkWith(number);
    if (chunk === undefined) throw new BadState('pages of a stored checkpoint are lost');
    return { first: chunk.firstPage, bytes: this.reader.read(chunk) };
  }

  private chunkWith(number: number): PagesChunk | undefined {
    let [low, high] = [0, this.pages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.pages[middle] as PagesChunk).firstPage <= number) low = middle + 1;
      else high = middle;
    }
    const chunk = this.pages[low - 1];
    return chunk !== undefined && number < chunk.firstPage + Math.floor(chunk.where.length / PAGE_SIZE) ? chunk : undefined;
  }
}

function isUsable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** States that were read from a recording, with the contents of their pages in a store, each once. */
export class LoadedCheckpoints implements NumberedPages {
  /** Pages that are in the store because we keep them there: the next state that is read may have them, too. */
  private readonly kept = new Map<number, PageRef>();

  constructor(
    private readonly stored: StoredCheckpoints,
    private readonly store: PageStore,
  ) {}

  get times(): readonly number[] {
    return this.stored.times;
  }

  /** Undefined if it cannot be used. The state must be released like any other. */
  load(index: number, world: PlayedWorld): PlayerState | undefined {
    try {
      const flat = this.stored.state(index);
      this.fetch(pagesOf(flat));
      return unflattenState(flat, this, world, this.store);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return undefined;
    }
  }

  /** Gives back what no other checkpoint needs. */
  trim(): void {
    for (const [number, ref] of this.kept) {
      if (this.store.isShared(ref)) continue;
      this.store.release(ref);
      this.kept.delete(number);
    }
  }

  page(number: number): PageRef {
    return this.kept.get(number) ?? ZEROS;
  }

  bytes(number: number): Uint8Array {
    const page = new Uint8Array(PAGE_SIZE);
    this.store.copyTo(this.page(number), page, 0);
    return page;
  }

  private fetch(needed: ReadonlySet<number>): void {
    const missing = [...needed].filter((number) => !this.kept.has(number)).sort((a, b) => a - b);
    this.stored.forEachPage(missing, (number, chunk, offset) => {
      this.kept.set(number, this.store.add(chunk, offset));
    });
  }
}
