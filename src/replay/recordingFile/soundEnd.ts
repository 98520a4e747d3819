/**
 * How far a recording can be used of which a part is damaged or lost. Events are needed one after the other, contents
 * of mapped files when the program touches them: so it is played until something is missing, and what comes after that
 * does not count.
 */
import { UserError } from '../../base/errors.js';
import { CHUNK } from '../format/chunks.js';
import type { RecordingReader } from '../format/recordingReader.js';
import { EventLog, LOG_START, type LogPlace } from '../log/eventLog.js';
import { Divergence } from '../play/divergence.js';
import { Player, type PlayerOptions } from '../play/player.js';

export interface SoundEnd {
  /** Behind the last event that counts. */
  readonly place: LogPlace;
  /** The time of that event. */
  readonly time: number;
  /** What is missing, in one line. */
  readonly why: string;
}

/**
 * Whether something that replay may need is not what was written, or not there. Reads all of it; nothing is unpacked.
 */
export function isDamaged(reader: RecordingReader): boolean {
  const isNeeded = (kind: number): boolean => kind === CHUNK.EVENTS || kind === CHUNK.BLOB;
  return reader.chunks.some((chunk, i) => chunk.where.number !== i || (isNeeded(chunk.kind) && !reader.isIntact(chunk)));
}

/** Undefined: all of it can be used. */
export function soundEnd(options: PlayerOptions): SoundEnd | undefined {
  const player = new Player(options);
  const cursor = options.log.cursor();
  let end: Omit<SoundEnd, 'why'> = { place: LOG_START, time: 0 };
  let here = 0;
  for (;;) {
    const event = unlessMissing(() => cursor.next());
    if (event === undefined) return undefined;
    if ('why' in event) return { ...end, why: event.why };
    here = event.time === end.time ? here + 1 : 1;
    const after = { place: cursor.place, time: event.time };
    const played = unlessMissing(() => player.advance(event.time, here));
    // The player looks at the event after it as well.
    if (played !== undefined && 'why' in played) return { ...(isBroken(options.log, after.place) ? after : end), why: played.why };
    end = after;
  }
}

/** Whether what follows in the log cannot be read. */
function isBroken(log: EventLog, place: LogPlace): boolean {
  const next = unlessMissing(() => log.cursor(place).next());
  return next !== undefined && 'why' in next;
}

function unlessMissing<T>(action: () => T): T | { readonly why: string } {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof Divergence) throw error;
    return { why: error.message };
  }
}

/** The log without what comes after that. */
export function logUntil(log: EventLog, { place, time }: SoundEnd): EventLog {
  const last = log.chunks[place.chunk];
  const whole = log.chunks.slice(0, place.chunk);
  if (last === undefined || place.at === 0) return new EventLog(whole);
  return new EventLog([...whole, { ...last, lastTime: time, read: () => last.read().subarray(0, place.at) }]);
}
