/** A recording with a debugger on it: what the front ends begin with. */
import fs from 'node:fs';
import { Debugger } from '../../debugger/control/debugger.js';
import { recordingEnding } from '../../debugger/control/endings.js';
import type { FrameEvaluator } from '../../debugger/values/frameEvaluator.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import { NodeHost } from '../../host/nodeHost.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import type { TimelineOptions } from '../../replay/timeline/timeline.js';
import type { Work } from '../../replay/timeline/work.js';
import { NODE_FILES } from './nodeFiles.js';
import { NodeSearchers } from '../threads/nodeSearchers.js';
import { type OpenedRecording, openedRecording, playerOptions, timelineOf } from './openedRecording.js';
import { setPatience } from '../v8/tiering.js';

interface OpenedDebugger {
  readonly debug: Debugger;
  readonly recording: OpenedRecording;
  /** The session has ended: its file and its threads go. */
  close(): void;
}

/** It stands at the end. Throws a UserError for whatever is not a recording. */
export async function openedDebugger(path: string, work?: Work, options: Partial<TimelineOptions> = {}, evaluator: FrameEvaluator = new ValueEvaluator()): Promise<OpenedDebugger> {
  const recording = openedRecording(path);
  setPatience('guest code');
  const searchers = new NodeSearchers(recording.file);
  const timeline = timelineOf(recording, { searchers, ...options });
  const branches = new TimelineBranches(timeline, playerOptions(recording), new NodeHost());
  const debug = await Debugger.open(timeline, { files: NODE_FILES, evaluator, ending: recordingEnding(recording.summary), branches }, work);
  return { debug, recording, close: () => void searchers.close().then(() => fs.closeSync(recording.file.fd)) };
}
