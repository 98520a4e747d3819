/**
 * Puts what the recorder has into a recording's file. The file comes to be only when the program has
 * been loaded: a program that cannot be run leaves none behind, and the header knows all about the run.
 */
import { assert } from '../../base/assert.js';
import { type Time, time } from '../../base/types.js';
import { CHUNK } from '../format/chunks.js';
import { type JsonObject, RecordingWriter, type ChunkSink } from '../format/recordingWriter.js';
import type { RecordingTarget } from '../record/recordingTarget.js';
import type { RecordingHeader, RecordingSummary } from './recordingHeader.js';

export class FileTarget implements RecordingTarget {
  /** Undefined before the file is there. */
  private writer: RecordingWriter | undefined;
  private sink: ChunkSink | undefined;
  private waiting: (() => void)[] = [];
  private told = false;

  /** `onFailure` is told once, in a few words, if something could not be stored; nothing more will be then. */
  constructor(private readonly onFailure: (reason: string) => void) {}

  /** What has come until now, and all that comes, goes there. */
  open(sink: ChunkSink, header: RecordingHeader): void {
    assert(this.sink === undefined, 'a recording has one file');
    this.sink = sink;
    this.writer = new RecordingWriter(sink);
    this.writer.appendJson(CHUNK.HEADER, { ...header });
    for (const write of this.waiting) write();
    this.waiting = [];
  }

  events(payload: Uint8Array<ArrayBuffer>, first: number, last: number, count: number): void {
    const [firstTime, lastTime]: [Time, Time] = [time(first), time(last)];
    this.write((writer) => writer.append(CHUNK.EVENTS, { firstTime, lastTime, count }, payload));
  }

  blob(blobId: number, offset: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.write((writer) => writer.append(CHUNK.BLOB, { blobId, offset }, bytes));
  }

  /** What a check of the run found. */
  found(value: JsonObject): void {
    this.write((writer) => writer.appendJson(CHUNK.FOUND, value));
  }

  /** The run is over. Without a summary the recording will count as cut off. */
  async close(summary: RecordingSummary | undefined): Promise<void> {
    if (summary !== undefined) this.write((writer) => writer.appendJson(CHUNK.END, { ...summary }));
    await this.sink?.close();
    this.tell();
  }

  private write(action: (writer: RecordingWriter) => void): void {
    const { writer } = this;
    if (writer === undefined) this.waiting.push(() => this.write(action));
    else action(writer);
    this.tell();
  }

  private tell(): void {
    const failure = this.sink?.failure;
    if (failure === undefined || this.told) return;
    this.told = true;
    this.onFailure(failure);
  }
}
