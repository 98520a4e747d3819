/** Recordings as the commands use them: opened by name, with what to say if they are not whole. */
import { UserError } from '../../base/errors.js';
import { openRecordingFile, type OpenRecording } from '../../host/nodeRecordingFile.js';
import { writerOf } from '../../host/openWriters.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../machine/engineOptions.js';
import { Player, type PlayerOptions } from '../../replay/play/player.js';
import { isDamaged, soundEnd } from '../../replay/recordingFile/soundEnd.js';
import { openRecording, type Recording } from '../../replay/recordingFile/openRecording.js';
import { Timeline, type TimelineOptions } from '../../replay/timeline/timeline.js';
import type { KnownCode } from '../../machine/knownCode/knownCode.js';
import { openCodeStore } from '../stores/codeStore.js';
import { NodeSearchers, type SearchedFile } from '../threads/nodeSearchers.js';
import { EXIT_INCOMPLETE, type Usable } from './lost.js';
import { count } from '../output/numbers.js';
import { prebuiltCore } from '../stores/prebuilt.js';

export interface OpenedRecording extends Recording, Usable {
  readonly file: SearchedFile;
  /** Of the program's code, from runs and replays before this one. */
  readonly known?: KnownCode | undefined;
}

/** In larger files damage is found where it is met: to read all of them would take too long. */
const LARGEST_READ = 2 ** 30;

/**
 * As far as it is sound. Throws a UserError in one line for whatever is not a recording, or if nothing of it is left.
 * It stays open until we end.
 */
export function openedRecording(path: string): OpenedRecording {
  return soundRecording(openRecordingFile(path), path);
}

export function soundRecording({ reader, fd, size }: OpenRecording, path: string): OpenedRecording {
  const whole = openRecording(reader, path);
  const end = size <= LARGEST_READ && isDamaged(reader) ? soundEnd(playerOptions(whole)) : undefined;
  const recording = end === undefined ? whole : openRecording(reader, path, end);
  const lost = lossOf(recording, path);
  if (lost !== undefined && recording.log.chunks.length === 0) throw new UserError(`${whyIncomplete(recording, path)}; nothing of it can be used`, EXIT_INCOMPLETE);
  return { ...recording, file: { name: path, fd, end }, known: knownCodeOf(recording), lost };
}

/** The same for who looks at damage where he meets it. */
export function openedAsItIs(path: string): OpenedRecording {
  const { reader, fd } = openRecordingFile(path);
  const recording = openRecording(reader, path);
  return { ...recording, file: { name: path, fd }, known: knownCodeOf(recording), lost: lossOf(recording, path) };
}

function lossOf(recording: Recording, path: string): string | undefined {
  return recording.isComplete ? undefined : `${whyIncomplete(recording, path)}; it is used up to time ${count(recording.log.endTime)}`;
}

/** Why there is no more of it, in one line. */
export function whyIncomplete({ damage, summary }: Recording, path: string): string {
  if (damage !== undefined && !/: cut off in the middle/.test(damage)) return damage;
  const writer = summary === undefined ? writerOf(path) : undefined;
  if (writer !== undefined) return `${path}: is still being recorded, by process ${writer}`;
  return damage ?? `${path}: ${summary === undefined ? 'its end is missing' : 'events are missing'}`;
}

/** What becomes known is stored when we end. */
function knownCodeOf({ header }: Recording): KnownCode | undefined {
  const store = header.aslrSeed === undefined ? openCodeStore(header.program) : undefined;
  if (store !== undefined) process.once('exit', () => store.save());
  return store?.known;
}

export function playerOf(recording: Recording): Player {
  return new Player(playerOptions(recording));
}

/** Threads help with long searches; they end with us. */
export function timelineOf(recording: OpenedRecording, options: Partial<TimelineOptions> = {}): Timeline {
  const { stored, file } = recording;
  return new Timeline({ ...playerOptions(recording), stored, searchers: new NodeSearchers(file), ...options });
}

export function playerOptions({ log, blobs, header, known }: Recording & Pick<OpenedRecording, 'known'>): PlayerOptions {
  return { log, blobs, engine: { ...DEFAULT_ENGINE_OPTIONS, coreModule: prebuiltCore(), knownCode: known }, startSeconds: header.startSeconds, now: () => performance.now() };
}

/** Throws a UserError if the recording does not go that far. */
export function checkTime({ log, isComplete }: Recording, time: number): void {
  if (time <= log.endTime) return;
  const end = isComplete ? 'the recording ends' : 'the recording is cut off';
  throw new UserError(`no such time: ${count(time)} (${end} at ${count(log.endTime)})`);
}
