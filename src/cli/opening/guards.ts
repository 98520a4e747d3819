/** A recorded program once more, under the shipped rules: what `blame` asks first. */
import type { Guarded } from '../../blame/blame.js';
import { guardedRun } from '../../blame/guards/guardedRun.js';
import { chosenRules } from '../../check/chosenRules.js';
import { parseSuppressions } from '../../check/report/suppressions.js';
import type { RecordedProgram } from '../../check/program/checkRecording.js';
import { NodeHost } from '../../host/nodeHost.js';
import type { Work } from '../../replay/timeline/work.js';
import { shippedRules, shippedSuppressionFile } from '../arguments/shippedRules.js';
import { readTextFile } from '../arguments/textFile.js';
import { NODE_FILES } from './nodeFiles.js';

/** The first ones count: what comes later is mostly what came of them. */
const MOST_FINDINGS = 16;

export function guardOf(recording: RecordedProgram): (work: Work | undefined) => Promise<Guarded> {
  return async (work) => {
    const file = shippedSuppressionFile();
    return guardedRun(recording, { host: new NodeHost(), files: NODE_FILES, chosen: chosenRules(shippedRules()), suppressions: parseSuppressions(readTextFile(file), file), keepsGoing: true, mostFindings: MOST_FINDINGS, work });
  };
}
