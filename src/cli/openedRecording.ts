/** Recordings as the commands use them: opened by name, with what to say if they are not whole. */
import { UserError } from '../base/errors.js';
import { openRecordingFile } from '../host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../machine/engineOptions.js';
import { Player, type PlayerOptions } from '../replay/play/player.js';
import { openRecording, type Recording } from '../replay/recordingFile/openRecording.js';
import { Timeline, type TimelineOptions } from '../replay/timeline/timeline.js';
import type { KnownCode } from '../machine/knownCode/knownCode.js';
import { openCodeStore } from './codeStore.js';
import { NodeSearchers, type SearchedFile } from './nodeSearchers.js';
import { count } from './numbers.js';
import { prebuiltCore } from './prebuilt.js';

/** What sysexits.h calls EX_DATAERR: what was asked for could be done in part, because the recording is cut off or damaged. */
export const EXIT_INCOMPLETE = 65;

export interface OpenedRecording extends Recording {
  readonly file: SearchedFile;
  /** Of the program's code, from runs and replays before this one. */
  readonly known?: KnownCode | undefined;
}

/** Throws a UserError in one line for whatever is not a recording. It stays open until we end. */
export function openedRecording(path: string): OpenedRecording {
  const { reader, fd } = openRecordingFile(path);
  const recording = openRecording(reader, path);
  return { ...recording, file: { name: path, fd }, known: knownCodeOf(recording) };
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
