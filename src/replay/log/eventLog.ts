/** The events of a recording in order, read chunk by chunk as they are wanted. */
import { ChunkEvents, type RecordedEvent } from './events.js';

/** Events that lie together in the recording. */
export interface EventChunk {
  readonly firstTime: number;
  readonly lastTime: number;
  readonly count: number;
  read(): Uint8Array;
}

/** A place between two events. */
export interface LogPlace {
  readonly chunk: number;
  /** Byte in the chunk, and the time of the event before it. */
  readonly at: number;
  readonly time: number;
}

export const LOG_START: LogPlace = { chunk: 0, at: 0, time: 0 };

export class EventLog {
  private cached: { readonly chunk: number; readonly payload: Uint8Array } | undefined;

  /** Of a log that is still being written: nothing happens between its last event and this time. */
  openEnd = 0;

  constructor(readonly chunks: readonly EventChunk[]) {}

  /** The time of the last event. */
  get endTime(): number {
    return Math.max(this.chunks.at(-1)?.lastTime ?? 0, this.openEnd);
  }

  cursor(place: LogPlace = LOG_START): LogCursor {
    return new LogCursor(this, place);
  }

  payload(chunk: number): Uint8Array {
    if (this.cached?.chunk !== chunk) this.cached = { chunk, payload: (this.chunks[chunk] as EventChunk).read() };
    return this.cached.payload;
  }
}

export class LogCursor {
  private chunk: number;
  private events: ChunkEvents | undefined;

  constructor(
    private readonly log: EventLog,
    private start: LogPlace,
  ) {
    this.chunk = start.chunk;
  }

  next(): RecordedEvent | undefined {
    for (;;) {
      const known = this.log.chunks[this.chunk];
      if (known === undefined) return undefined;
      const fresh = this.start.chunk === this.chunk && this.start.at > 0 ? this.start : { at: 0, time: known.firstTime };
      this.events ??= new ChunkEvents(this.log.payload(this.chunk), fresh.time, fresh.at);
      const event = this.events.next();
      if (event !== undefined) return event;
      this.events = undefined;
      this.chunk++;
    }
  }

  /** Where `next` goes on. */
  get place(): LogPlace {
    if (this.events === undefined) return this.chunk === this.start.chunk ? this.start : { chunk: this.chunk, at: 0, time: 0 };
    return { chunk: this.chunk, at: this.events.at, time: this.events.lastTime };
  }
}
