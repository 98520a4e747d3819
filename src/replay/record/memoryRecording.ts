/** A recording that is kept in memory: for tests, and for looking at a run right after it. */
import type { BlobSource } from '../play/playedObject.js';
import { type EventChunk, EventLog } from '../log/eventLog.js';
import type { RecordingTarget } from './recordingTarget.js';

interface BlobPart {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export class MemoryRecording implements RecordingTarget, BlobSource {
  private readonly chunks: EventChunk[] = [];
  private readonly blobs = new Map<number, BlobPart[]>();
  bytes = 0;

  events(payload: Uint8Array<ArrayBuffer>, firstTime: number, lastTime: number, count: number): void {
    this.chunks.push({ firstTime, lastTime, count, read: () => payload });
    this.bytes += payload.length;
  }

  blob(id: number, offset: number, bytes: Uint8Array<ArrayBuffer>): void {
    const parts = this.blobs.get(id);
    if (parts === undefined) this.blobs.set(id, [{ offset, bytes }]);
    else parts.push({ offset, bytes });
  }

  log(): EventLog {
    return new EventLog(this.chunks);
  }

  read(blob: number, offset: number, target: Uint8Array): number {
    let end = 0;
    for (const part of this.blobs.get(blob) ?? []) {
      const from = Math.max(offset, part.offset);
      const to = Math.min(offset + target.length, part.offset + part.bytes.length);
      if (from >= to) continue;
      target.set(part.bytes.subarray(from - part.offset, to - part.offset), from - offset);
      end = Math.max(end, to - offset);
    }
    return end;
  }
}
