/**
 * `culprit checkpoint`: plays a recording once and stores checkpoints in it, so that its readers are anywhere at once.
 */
import fs from 'node:fs';
import { UserError } from '../../base/errors.js';
import { openRecordingFile, type OpenRecording } from '../../host/nodeRecordingFile.js';
import { continueRecordingFile } from '../../host/nodeRecordingSink.js';
import { writerOf } from '../../host/openWriters.js';
import { CheckpointWriter } from '../../replay/checkpointStore/storeCheckpoints.js';
import { RecordingWriter } from '../../replay/format/recordingWriter.js';
import { Divergence } from '../../replay/play/divergence.js';
import type { Recording } from '../../replay/recordingFile/openRecording.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import { count, plural } from '../output/numbers.js';
import { EXIT_INCOMPLETE } from '../opening/lost.js';
import { playerOptions, soundRecording, whyIncomplete } from '../opening/openedRecording.js';
import { Progress } from '../output/progress.js';
import { complain } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export interface CheckpointOptions {
  /** Instructions between two. */
  readonly every?: number;
  /** Bytes that they may take before they are compressed. */
  readonly memory?: number;
}

/** Unless the user says otherwise: so many, but not so close together that it makes no difference. */
const MOST_USUAL = 100;
const SMALLEST_USUAL = 16_000_000;

export async function checkpointCommand(path: string, options: CheckpointOptions): Promise<number> {
  const opened = openRecordingFile(path);
  const recording = soundRecording(opened, path);
  const writer = writerOf(path);
  if (writer !== undefined) throw new UserError(`${path}: process ${writer} is still writing to it; try again when that has ended`);
  setPatience('guest code');
  const checkpointInterval = options.every ?? Math.max(SMALLEST_USUAL, Math.ceil(recording.log.endTime / MOST_USUAL));
  const timeline = new Timeline({ ...playerOptions(recording), checkpointMemory: options.memory, checkpointInterval });
  const failure = await play(timeline);
  return store(path, opened, recording, timeline, failure);
}

/** Undefined: to the end. Otherwise what is wrong with the recording. */
async function play(timeline: Timeline): Promise<UserError | undefined> {
  const progress = new Progress('replaying');
  try {
    await timeline.seekEnd({ progress: (done, total) => progress.report(done / total) });
    return undefined;
  } catch (error) {
    if (error instanceof UserError && !(error instanceof Divergence)) return error;
    throw error;
  } finally {
    progress.clear();
  }
}

async function store(path: string, { reader, size }: OpenRecording, recording: Recording, timeline: Timeline, failure: UserError | undefined): Promise<number> {
  const { continuation } = reader;
  const sink = continueRecordingFile(path, continuation, size);
  const writer = new CheckpointWriter(new RecordingWriter(sink, continuation.chunks), timeline.store);
  for (const { position, state } of timeline.checkpoints.all) if (position.time > 0 && position.done === Infinity) writer.add(state);
  await sink.close();
  if (sink.failure !== undefined) throw new UserError(`${path}: ${sink.failure}; the recording is as it was, but not all checkpoints are stored`);
  const added = fs.statSync(path).size - continuation.offset;
  complain(`culprit: ${plural(writer.count, 'checkpoint')} stored in ${path} (${plural(added, 'byte')}${replacing(recording)})`);
  if (failure === undefined && recording.isComplete) return 0;
  complain(`culprit: ${failure?.message ?? whyIncomplete(recording, path)}; there are none after time ${count(timeline.position.time)}`);
  return EXIT_INCOMPLETE;
}

function replacing({ stored: { times } }: Recording): string {
  return times.length === 0 ? '' : `, in place of ${count(times.length)} others`;
}
