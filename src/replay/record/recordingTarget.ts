/** Where a recorder puts what it has: parts of a file, as they come. */
export interface RecordingTarget {
  /** Events that follow each other (log/events.ts). */
  events(payload: Uint8Array<ArrayBuffer>, firstTime: number, lastTime: number, count: number): void;
  /** Part of the contents of a file. */
  blob(id: number, offset: number, bytes: Uint8Array<ArrayBuffer>): void;
}
