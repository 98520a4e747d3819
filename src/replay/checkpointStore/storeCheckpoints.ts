/**
 * Adds checkpoints to a recording: for each the contents of the pages that none before it has, then its state. A state
 * comes after all it refers to, so that what is in the file when this is interrupted can be used.
 */
import { PAGE_SIZE, time } from '../../base/types.js';
import type { PageRef, PageStore } from '../../machine/snapshots/pageStore.js';
import { CHUNK, MAX_PAYLOAD } from '../format/chunks.js';
import type { RecordingWriter } from '../format/recordingWriter.js';
import type { PlayerState } from '../play/player.js';
import { flattenState, type PageNumbers } from './flatState.js';
import { writeState } from './stateBytes.js';

/** Large enough to compress well, small enough to be read for the sake of a few pages. */
const PAGES_TOGETHER = 128;

export class CheckpointWriter implements PageNumbers {
  /** How many were stored. */
  count = 0;
  private readonly numbers = new Map<PageRef | Uint8Array, number>();
  private fresh: (PageRef | Uint8Array)[] = [];

  /** States that are stored are in `store` and stay there meanwhile. The recording has no others. */
  constructor(
    private readonly writer: RecordingWriter,
    private readonly store: PageStore,
  ) {}

  add(state: PlayerState): void {
    const bytes = writeState(flattenState(state, this));
    this.writePages();
    if (bytes.length > MAX_PAYLOAD) return;
    this.writer.append(CHUNK.CHECKPOINT, { time: time(state.time) }, bytes);
    this.count++;
  }

  ofPage(ref: PageRef): number {
    return this.numberOf(ref);
  }

  ofBytes(page: Uint8Array): number {
    return this.numberOf(page);
  }

  private numberOf(page: PageRef | Uint8Array): number {
    const known = this.numbers.get(page);
    if (known !== undefined) return known;
    const number = this.numbers.size + 1;
    this.numbers.set(page, number);
    this.fresh.push(page);
    return number;
  }

  private writePages(): void {
    const firstNew = this.numbers.size - this.fresh.length + 1;
    for (let at = 0; at < this.fresh.length; at += PAGES_TOGETHER) {
      const group = this.fresh.slice(at, at + PAGES_TOGETHER);
      const bytes = new Uint8Array(group.length * PAGE_SIZE);
      group.forEach((page, i) => {
        if (typeof page === 'number') this.store.copyTo(page, bytes, i * PAGE_SIZE);
        else bytes.set(page, i * PAGE_SIZE);
      });
      this.writer.append(CHUNK.PAGES, { firstPage: firstNew + at }, bytes);
    }
    this.fresh = [];
  }
}
