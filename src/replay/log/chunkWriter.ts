/** Puts events into parts of a recording, which are handed over when they are large enough, or old enough. */
import { type EventHead, writeEvent } from './events.js';
import { LogWriter } from './logWriter.js';

/** Where they go. */
interface EventTarget {
  events(payload: Uint8Array<ArrayBuffer>, firstTime: number, lastTime: number, count: number): void;
}

const CHUNK_BYTES = 256 * 1024;
const CHUNK_MILLISECONDS = 200;

export class ChunkWriter {
  private readonly chunk = new LogWriter(CHUNK_BYTES * 2);
  private times = { first: 0, last: 0, count: 0 };
  private lastHandover: number;

  constructor(
    private readonly target: EventTarget,
    /** Milliseconds. */
    private readonly now: () => number,
  ) {
    this.lastHandover = now();
  }

  get isOverdue(): boolean {
    return this.now() - this.lastHandover >= CHUNK_MILLISECONDS;
  }

  append(head: EventHead, known: Uint8Array, inputs: Uint8Array, effects: Uint8Array): void {
    const { chunk, times } = this;
    if (times.count === 0) times.first = times.last = head.time;
    writeEvent(chunk, head, times.last, known, inputs, effects);
    times.last = head.time;
    times.count++;
    if (chunk.length >= CHUNK_BYTES || this.isOverdue) this.handOver();
  }

  handOver(): void {
    const { first, last, count } = this.times;
    if (count > 0) this.target.events(this.chunk.take(), first, last, count);
    this.times = { first: last, last, count: 0 };
    this.lastHandover = this.now();
  }
}
