/** Reports once more on a checked run of the past, from what its recording keeps. The program does not run. */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import type { ChosenRules } from '../chosenRules.js';
import type { Suppression } from '../report/suppressions.js';
import type { StoredFindings } from '../storedFindings.js';
import { RecheckedRun, type Unasked } from './recheckedRun.js';
import { type MadeReports, makeReports } from './reports.js';

/** What to report of a run, now or in the past. */
export interface ReportSettings {
  /** As `chosenRules` chooses them. They know which time it is in the run: every check needs its own. */
  readonly chosen: ChosenRules;
  /** As `parseSuppressions` reads them; default: none. */
  readonly suppressions?: readonly Suppression[];
  /** False, the default: the first finding that is not suppressed is the last. */
  readonly keepsGoing?: boolean;
  /** Told how far looking back is, and asked whether to give up. */
  readonly work?: Work;
}

export interface CheckedAgain extends MadeReports {
  readonly unasked: Unasked;
}

/** With other rules, times and suppressions. `debug` is on the recording. */
export async function checkAgain(debug: Debugger, findings: StoredFindings, settings: ReportSettings): Promise<CheckedAgain> {
  const { chosen: { rules, switches }, suppressions = [], keepsGoing = false, work } = settings;
  const run = new RecheckedRun(findings, rules, { switches, suppressions, keepsGoing });
  return { ...(await makeReports(run, async () => debug, suppressions, work)), unasked: run.unasked };
}
