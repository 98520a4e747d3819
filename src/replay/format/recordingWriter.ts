/** Numbers the chunks of a recording and hands them to a sink, which compresses and stores them. */
import { assertNever } from '../../base/assert.js';
import {
  type BlobFields, blobFields, CHUNK, type CheckpointFields, checkpointFields, type ChunkKind, type EventsFields, type JsonChunk, eventsFields,
  type FieldsOf, noFields, type PagesFields, pagesFields, type RawFields,
} from './chunks.js';
import type { ChunkToWrite } from './encoding.js';

export type { ChunkToWrite } from './encoding.js';

/** Where chunks go. Nothing here throws: a recording that cannot be written must not harm what is recorded. */
export interface ChunkSink {
  /** May take the payload away (another thread has it then), and may wait if there is too much to do. */
  write(chunk: ChunkToWrite): void;
  /** Done when everything written so far is in the file, or nothing more will be (see `failure`). */
  flush(): Promise<void>;
  /** Flushes, then ends. Nothing may be written afterwards. */
  close(): Promise<void>;
  /** Why nothing more is stored; what was stored before stays a sound recording. */
  readonly failure: string | undefined;
}

export type JsonObject = { readonly [name: string]: unknown };

export class RecordingWriter {
  private eventChunks = 0;

  /** `chunks`: how many the file has already. No EVENTS may be added to them then. */
  constructor(
    private readonly sink: ChunkSink,
    private chunks = 0,
  ) {}

  /** Takes the payload over: the caller must not use it, or the buffer it is in, any more. */
  append<K extends ChunkKind>(kind: K, fields: FieldsOf[K], payload: Uint8Array): void {
    this.sink.write({ kind, number: this.chunks++, ...this.rawFields(kind, fields), payload });
  }

  /** For HEADER, END and FOUND. */
  appendJson(kind: JsonChunk['kind'], value: JsonObject): void {
    this.append(kind, {}, new TextEncoder().encode(JSON.stringify(value)));
  }

  private rawFields(kind: ChunkKind, fields: FieldsOf[ChunkKind]): RawFields {
    switch (kind) {
      case CHUNK.EVENTS:
        return eventsFields(fields as EventsFields, this.eventChunks++);
      case CHUNK.BLOB:
        return blobFields(fields as BlobFields);
      case CHUNK.CHECKPOINT:
        return checkpointFields(fields as CheckpointFields);
      case CHUNK.PAGES:
        return pagesFields(fields as PagesFields);
      case CHUNK.HEADER:
      case CHUNK.END:
      case CHUNK.FOUND:
        return noFields();
      default:
        return assertNever(kind);
    }
  }
}
