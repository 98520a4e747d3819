/** A recording with a debugger on it: what the front ends begin with. */
import { Debugger } from '../debugger/control/debugger.js';
import type { Evaluator } from '../debugger/control/evaluator.js';
import type { HowItEnded } from '../debugger/control/stops.js';
import { ValueEvaluator } from '../debugger/values/valueEvaluator.js';
import type { RecordingSummary } from '../replay/recordingFile/recordingHeader.js';
import type { TimelineOptions } from '../replay/timeline/timeline.js';
import type { Work } from '../replay/timeline/work.js';
import { NODE_FILES } from './nodeFiles.js';
import { type OpenedRecording, openedRecording, timelineOf } from './openedRecording.js';
import { setPatience } from './tiering.js';

export interface OpenedDebugger {
  readonly debug: Debugger;
  readonly recording: OpenedRecording;
}

/** It stands at the end. Throws a UserError for whatever is not a recording. */
export async function openedDebugger(path: string, work?: Work, options: Partial<TimelineOptions> = {}, evaluator: Evaluator = new ValueEvaluator()): Promise<OpenedDebugger> {
  const recording = openedRecording(path);
  setPatience('guest code');
  const debug = await Debugger.open(timelineOf(recording, options), { files: NODE_FILES, evaluator, ending: endingOf(recording.summary) }, work);
  return { debug, recording };
}

function endingOf(summary: RecordingSummary | undefined): HowItEnded {
  const ending = summary?.ending;
  if (ending?.how === 'exited') return { how: 'exited', code: ending.code };
  if (ending?.how === 'signaled') return { how: 'signaled', code: ending.signal };
  return { how: 'unknown', code: 0 };
}
