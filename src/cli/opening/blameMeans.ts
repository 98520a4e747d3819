/** How `blame` runs a recorded program: under the shipped rules, laid out anew, and without some instances. */
import type { BlameMeans, Guarded } from '../../blame/blame.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { guardedRun } from '../../blame/guards/guardedRun.js';
import { recordedPosition } from '../../blame/guards/recordedTime.js';
import { isMadeOf } from '../../blame/guards/symptom.js';
import { exposedCorruption } from '../../blame/layouts/exposed.js';
import { suppressedRun } from '../../blame/suppression/suppressedRun.js';
import { chosenRules } from '../../check/chosenRules.js';
import { parseSuppressions } from '../../check/report/suppressions.js';
import type { RecordedProgram } from '../../check/program/checkRecording.js';
import { NodeHost } from '../../host/nodeHost.js';
import type { Work } from '../../replay/timeline/work.js';
import { shippedRules, shippedSuppressionFile } from '../arguments/shippedRules.js';
import { readTextFile } from '../arguments/textFile.js';
import { prebuiltCore } from '../stores/prebuilt.js';
import { NODE_FILES } from './nodeFiles.js';

/** The first ones count: what comes later is mostly what came of them. */
const MOST_FINDINGS = 16;
/** Variables that could not be moved. */
const MOST_NAMED = 5;

function guardOf(recording: RecordedProgram): (work: Work | undefined) => Promise<Guarded> {
  return async (work) => {
    const file = shippedSuppressionFile();
    return guardedRun(recording, { host: new NodeHost(), files: NODE_FILES, chosen: chosenRules(shippedRules()), suppressions: parseSuppressions(readTextFile(file), file), keepsGoing: true, mostFindings: MOST_FINDINGS, engine: { coreModule: prebuiltCore() }, work });
  };
}

/** All that `blame` needs of a recording and a debugger on it. */
export function blameMeans(recording: RecordedProgram, debug: Debugger): BlameMeans {
  return {
    guard: guardOf(recording),
    suppress: (points, work, of = debug) => suppressedRun(of, points, { work }),
    isMadeOf,
    expose: async (mostRuns, work) => {
      const { exposing, runs, unmovable, remarks } = await exposedCorruption(recording, { host: new NodeHost(), files: NODE_FILES, engine: { coreModule: prebuiltCore() }, mostRuns, ...(work === undefined ? {} : { work }) });
      const stays = unmovable.slice(0, MOST_NAMED).map(({ name, why }) => `${name} (${why})`).join(', ');
      const debug = await exposing?.run.open(work);
      return { runs, debug, broken: exposing?.by === 'pattern' ? exposing.run.broken : undefined, remarks: [...remarks, ...(unmovable.length === 0 ? [] : [`could not be moved: ${stays}${unmovable.length > MOST_NAMED ? `, and ${unmovable.length - MOST_NAMED} more` : ''}`])] };
    },
    recordedTime: async (guarded, { time, level }, execution, work) => (await recordedPosition(await guarded.open(work), execution, { time, level }, work))?.time,
  };
}
