/** A recording with a debugger on it: what the front ends begin with. */
import { UserError } from '../base/errors.js';
import { Debugger } from '../debugger/control/debugger.js';
import type { Evaluator } from '../debugger/control/evaluator.js';
import type { HowItEnded } from '../debugger/control/stops.js';
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

const NO_EXPRESSIONS: Evaluator = {
  evaluate: () => {
    throw new UserError('expressions cannot be evaluated yet');
  },
  returned: () => undefined,
};

/** It stands at the end. Throws a UserError for whatever is not a recording. */
export async function openedDebugger(path: string, work?: Work, options: Partial<TimelineOptions> = {}): Promise<OpenedDebugger> {
  const recording = openedRecording(path);
  setPatience('guest code');
  const debug = await Debugger.open(timelineOf(recording, options), { files: NODE_FILES, evaluator: NO_EXPRESSIONS, ending: endingOf(recording.summary) }, work);
  return { debug, recording };
}

function endingOf(summary: RecordingSummary | undefined): HowItEnded {
  const ending = summary?.ending;
  if (ending?.how === 'exited') return { how: 'exited', code: ending.code };
  if (ending?.how === 'signaled') return { how: 'signaled', code: ending.signal };
  return { how: 'unknown', code: 0 };
}
