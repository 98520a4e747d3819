/**
 * `culprit check`: runs a program on a heap that is watched to the byte, and reports what it does wrong, before it
 * happens.
 */
import { resolve } from 'node:path';
import { UserError } from '../../base/errors.js';
import type { ChosenRules } from '../../check/chosenRules.js';
import { parseAllocator } from '../../check/customAllocators.js';
import type { AllocationFunctions } from '../../check/functions.js';
import type { Report } from '../../check/report/report.js';
import { parseSuppressions, type Suppression } from '../../check/report/suppressions.js';
import { CheckedRun } from '../../check/run/checkedRun.js';
import type { Choices } from '../../check/run/choices.js';
import { RecheckedRun } from '../../check/run/recheckedRun.js';
import { type MadeReports, makeReports, type ReportableRun } from '../../check/run/reports.js';
import { packFindings, type StoredFindings, unpackFindings } from '../../check/storedFindings.js';
import type { WritablePlaces } from '../../host/confinement/landlock.js';
import { openRecordingFile } from '../../host/nodeRecordingFile.js';
import { openRecording } from '../../replay/recordingFile/openRecording.js';
import { type RuleSelection, selectedRules, shippedSuppressionFile } from '../arguments/shippedRules.js';
import { readTextFile } from '../arguments/textFile.js';
import { EXIT_INCOMPLETE, statusOn, tellLoss } from '../opening/lost.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { whyIncomplete } from '../opening/openedRecording.js';
import { isNameOfRecording } from '../opening/recordingOrProgram.js';
import { type CheckOutcome, type CheckOutputOptions, CheckOutputs, saysOnStdout } from '../output/checkOutputs.js';
import { Progress } from '../output/progress.js';
import { complain, reasonOf } from '../output/report.js';
import { endBySignal, endBySignals } from '../running/endBySignals.js';
import { type RunObserver, type RunOptions, runProgram } from '../running/guestRun.js';
import { VERSION } from '../stores/version.js';
import { RecordedRun } from './record.js';

export interface CheckOptions extends RunOptions, RuleSelection, CheckOutputOptions {
  /** Where the recording is to stay. */
  readonly record?: string;
  readonly keepGoing?: boolean;
  readonly errorExitcode?: number;
  readonly suppressions?: readonly string[];
  /** Those that come with culprit; unless it is false. */
  readonly defaultSuppressions?: boolean;
  /** `my_alloc(size)=my_free(ptr)`. */
  readonly allocator?: readonly string[];
}

const EXIT_FOUND = 99;

export async function checkCommand(words: readonly string[], options: CheckOptions): Promise<number> {
  // All files are meant from here, before --cwd takes us elsewhere.
  const chosen = selectedRules(options);
  const suppressions = [...(options.defaultSuppressions === false ? [] : [shippedSuppressionFile()]), ...(options.suppressions ?? [])].flatMap(readSuppressions);
  const outputs = new CheckOutputs(options);
  const choices = { switches: chosen.switches, suppressions, keepsGoing: options.keepGoing === true };
  const command = { words, rules: chosen.rules.map(({ rule }) => rule), directory: process.cwd(), version: VERSION };
  const [first = ''] = words;
  if (isNameOfRecording(first)) {
    const outcome = await recheckedReports(words, chosen, choices, options);
    outputs.write(outcome, { ...command, recording: first });
    return exitStatus(outcome, options);
  }
  const { endedBy, ...outcome } = await checkedReports(words, chosen, choices, options, outputs);
  outputs.write(outcome, { ...command, recording: options.record });
  return endedBy === undefined || outcome.reports.length > 0 ? exitStatus(outcome, options) : endBySignal(endedBy);
}

/** A crash is the program's own end, with its own status. */
function exitStatus({ reports, status }: CheckOutcome, { errorExitcode }: CheckOptions): number {
  return reports.every(({ crash }: Report) => crash !== undefined) ? status : (errorExitcode ?? EXIT_FOUND);
}

/** Of a program that runs now. */
async function checkedReports(words: readonly string[], { rules }: ChosenRules, choices: Choices, options: CheckOptions, outputs: CheckOutputs): Promise<CheckOutcome & { readonly endedBy: number | undefined }> {
  const allocators = Object.assign({}, ...(options.allocator ?? []).map(parseAllocator)) as AllocationFunctions;
  const { json: _json, output: _output, ...others } = options;
  const runOptions = { ...others, keepsStdout: saysOnStdout(options), stillWrites: writtenLater(options) };
  const keepsAll = options.record !== undefined;
  const recorded = new RecordedRun({ ...runOptions, ...(options.record === undefined ? {} : { output: resolve(options.record) }), isQuiet: true, isTemporary: !keepsAll }, process.cwd());
  const run = new CheckedRun({ rules, ...choices, allocators, keepsAll, files: NODE_FILES });
  const { status, endedBy } = await runProgram(words, runOptions, checkedAndRecorded(run, recorded, keepsAll, () => outputs.open()));
  endBySignals('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT');
  for (const name of run.interceptor.missingAllocators) complain(`culprit: --allocator: there is no function ${name}; is it inline, or has the program no symbols?`);
  const { reports, suppressed } = await lookBack(recorded.path, run, choices);
  return { reports, suppressed, status, endedBy };
}

/** The check decides, and the recording hears of everything. */
function checkedAndRecorded(run: CheckedRun, recorded: RecordedRun, keepsAll: boolean, onStarted: () => void): RunObserver {
  return {
    witness: recorded.witness,
    interceptor: run.interceptor,
    get hasStopped() {
      return run.hasStopped;
    },
    started(started) {
      onStarted();
      recorded.started(started);
    },
    processEnded: (process) => run.processEnded(process),
    ended(guest, status) {
      if (keepsAll) recorded.keepFindings(packFindings(run.stored()));
      return recorded.ended(guest, status);
    },
    failed: () => recorded.failed(),
  };
}

/** Reports go to files that are there already. */
function writtenLater({ output, jsonFile, sarif }: CheckOptions): Partial<WritablePlaces> {
  return { files: [output, jsonFile, sarif].filter((file) => file !== undefined).map((file) => resolve(file)) };
}

/** Of a run of the past. */
async function recheckedReports(words: readonly string[], { rules }: ChosenRules, choices: Choices, options: CheckOptions): Promise<CheckOutcome> {
  const [path = '', ...rest] = words;
  if (rest.length > 0) throw new UserError(`${path} is a recording and takes no arguments: ${rest.join(' ')}`);
  for (const name of ['record', 'allocator', 'functions'] as const) if (options[name] !== undefined) throw new UserError(`--${name} is for programs; ${path} is a recording, and was made with what was said then`);
  const [called] = choices.switches.functions;
  if (called !== undefined) throw new UserError(`--switch ${called}=...: in a recording rules are switched at times`);
  const stored = storedFindings(path);
  const run = new RecheckedRun(stored, rules, choices);
  const { unasked } = run;
  if (unasked.rules.length > 0) complain(`culprit: nobody asked these rules when ${path} was made: ${unasked.rules.join(', ')}`);
  for (const { place, allocatedIn } of unasked.suppressions) complain(`culprit: ${place}: alloc:${allocatedIn}: nobody asked for it when ${path} was made, so that it suppresses nothing`);
  if (stored.isCut) complain(`culprit: there was more to find than is kept in ${path}`);
  const { reports, suppressed, lost } = await lookBack(path, run, choices);
  tellLoss({ lost });
  return { reports, suppressed, status: statusOn({ lost }, 0) };
}

/** Throws a UserError if the program was not checked when it was recorded. */
function storedFindings(path: string): StoredFindings {
  const { reader } = openRecordingFile(path);
  const found = reader.found();
  const stored = found && unpackFindings(found);
  if (stored !== undefined) return stored;
  if (reader.end === undefined) throw new UserError(`${whyIncomplete(openRecording(reader, path), path)}, and with it what was found when it was made`, EXIT_INCOMPLETE);
  throw new UserError(`${path} was not made by culprit check --record: what is wrong in it was not looked for when it was made`);
}

/** `lost`: what of the recording could not be looked at. */
async function lookBack(path: string, run: ReportableRun, { suppressions }: Choices): Promise<MadeReports & { readonly lost: string | undefined }> {
  const progress = new Progress('looking back');
  const work = { progress: (done: number, total: number) => progress.report(done / total), breathe: () => new Promise<void>((done) => setImmediate(done)) };
  let lost: string | undefined;
  const made = await makeReports(run, async () => {
    const { debug, recording } = await openedDebugger(path, work);
    lost = recording.lost;
    return debug;
  }, suppressions, work);
  progress.clear();
  return { ...made, lost };
}

function readSuppressions(path: string): Suppression[] {
  try {
    return parseSuppressions(readTextFile(path), path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`--suppressions ${path}: ${reasonOf(error)}`);
  }
}
