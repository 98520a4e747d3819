/** A recording that can be played, looked at and listed. */
import { StoredCheckpoints } from '../checkpointStore/storedCheckpoints.js';
import type { EventsChunk } from '../format/chunks.js';
import type { RecordingReader } from '../format/recordingReader.js';
import { EventLog } from '../log/eventLog.js';
import { parseHeader, parseSummary, type RecordingHeader, type RecordingSummary } from './recordingHeader.js';
import { logUntil, type SoundEnd } from './soundEnd.js';
import { StoredBlobs } from './storedBlobs.js';

export interface Recording {
  readonly header: RecordingHeader;
  /** Undefined if the recording was cut off. */
  readonly summary: RecordingSummary | undefined;
  readonly log: EventLog;
  readonly blobs: StoredBlobs;
  /** Checkpoints that were added to it: often none. */
  readonly stored: StoredCheckpoints;
  /** In one line: what is wrong with the file, as far as the headers of its chunks tell. */
  readonly damage: string | undefined;
  /** Every event up to the end is there, as far as the headers tell. */
  readonly isComplete: boolean;
}

/**
 * `name` is the file's, for messages; `end`: where it ends that can be used. Throws a UserError if there is nothing
 * that can be used.
 */
export function openRecording(reader: RecordingReader, name: string, end?: SoundEnd): Recording {
  const header = parseHeader(reader.header, name);
  const summary = end === undefined ? parseSummary(reader.end) : undefined;
  const whole = new EventLog(reader.usableEvents.map((chunk) => eventChunk(reader, chunk)));
  const log = end === undefined ? whole : logUntil(whole, end);
  const events = reader.usableEvents.reduce((sum, { count }) => sum + count, 0);
  return { header, summary, log, blobs: new StoredBlobs(reader), stored: new StoredCheckpoints(reader, log), damage: end?.why ?? reader.damage, isComplete: summary !== undefined && summary.events === events };
}

function eventChunk(reader: RecordingReader, chunk: EventsChunk): EventLog['chunks'][number] {
  const { firstTime, lastTime, count } = chunk;
  return { firstTime, lastTime, count, read: () => reader.read(chunk) };
}
