/**
 * A whole check of a program that only a recording has: it is run once more from its start, under rules and with the
 * recorded input, and goes on after what is found. The program itself need not be here.
 */
import { Debugger } from '../../debugger/control/debugger.js';
import { NO_FILES } from '../../debugger/program/debugFiles.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import type { Host } from '../../host/host.js';
import type { ExitStatus } from '../../linux/process.js';
import type { EngineOptions } from '../../machine/engineOptions.js';
import { type RecordedProgram, runAgain, type TimedDeeds } from '../../replay/again/secondRun.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import type { Work } from '../../replay/timeline/work.js';
import { CheckedRun } from '../run/checkedRun.js';
import { type MadeReports, makeReports } from '../run/reports.js';
import type { StoredFindings } from '../storedFindings.js';
import type { CheckSettings } from './checkProgram.js';

export type { RecordedProgram, TimedDeeds } from '../../replay/again/secondRun.js';

export interface RecordingCheckSettings extends Omit<CheckSettings, 'recording' | 'onStarted'> {
  /** Whose files the program sees where the recording has none. */
  readonly host: Host;
  /** Findings after which the run is ended; default: 100. */
  readonly mostFindings?: number;
  /** Instructions after which it is ended; default: some times what the recorded run took. */
  readonly mostInstructions?: number;
  /** What is changed on its way, by times of the checked run. */
  readonly deeds?: readonly TimedDeeds[];
  /** What the engine is given that others have made already. */
  readonly engine?: Partial<EngineOptions>;
}

export interface CheckedRecording extends MadeReports {
  /** How the first process ended; undefined if it was ended, which `remarks` say. */
  readonly status: ExitStatus | undefined;
  /** All that rules said. */
  readonly findings: StoredFindings;
  /** In one line each: what may make the run another than the recorded one. */
  readonly remarks: readonly string[];
  readonly output: readonly { readonly fd: number; readonly bytes: Uint8Array }[];
  readonly instructions: number;
  /** A debugger on the checked run, with branches. Times of reports are times of it. Each call opens another. */
  open(work?: Work): Promise<Debugger>;
}

const MOST_FINDINGS = 100;
/** A checked run takes other ways in allocation functions, and may go on where the recorded one crashed. */
const INSTRUCTIONS = { FACTOR: 3, MORE: 20_000_000 } as const;

export async function checkRecording(recorded: RecordedProgram, settings: RecordingCheckSettings): Promise<CheckedRecording> {
  const { chosen: { rules, switches }, suppressions = [], keepsGoing = true, allocators = {}, files = NO_FILES, work, host, mostFindings = MOST_FINDINGS } = settings;
  const run = new CheckedRun({ rules, switches, suppressions, keepsGoing, allocators, files, keepsAll: true });
  const again = await runAgain(recorded, host, {
    interceptor: run.interceptor,
    onEnd: (process) => run.processEnded(process),
    isEnough: () => run.count >= mostFindings,
    mostInstructions: settings.mostInstructions ?? recorded.log.endTime * INSTRUCTIONS.FACTOR + INSTRUCTIONS.MORE,
    ...(settings.deeds === undefined ? {} : { deeds: settings.deeds }),
    ...(settings.engine === undefined ? {} : { engine: settings.engine }),
    work,
  });
  const { status, output, instructions, recording } = again;
  const remarks = [...again.remarks, ...(run.count >= mostFindings ? [`the run was ended after ${run.count} findings`] : [])];
  const open = async (meanwhile?: Work): Promise<Debugger> => {
    const timeline = new Timeline(recording);
    const ending = status === undefined ? undefined : status.kind === 'exited' ? { how: 'exited', code: status.code } as const : { how: 'signaled', code: status.signal } as const;
    return Debugger.open(timeline, { files, evaluator: new ValueEvaluator(), branches: new TimelineBranches(timeline, recording, host), ...(ending === undefined ? {} : { ending }) }, meanwhile);
  };
  const made = await makeReports(run, () => open(work), suppressions, work);
  return { ...made, status, remarks, output, instructions, findings: run.stored(), open };
}
