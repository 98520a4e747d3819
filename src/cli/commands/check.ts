/** `culprit check`: runs a program on a heap that is watched to the byte, and reports what it does wrong, before it happens. */
import { resolve } from 'node:path';
import { jsonText, shellWord } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import { parseAllocator } from '../../check/customAllocators.js';
import type { AllocationFunctions } from '../../check/functions.js';
import type { Report } from '../../check/report/report.js';
import { reportJson } from '../../check/report/reportJson.js';
import { reportText } from '../../check/report/reportText.js';
import { sarifLog } from '../../check/report/sarif.js';
import { parseSuppressions, type Suppression, suppressionFor } from '../../check/report/suppressions.js';
import { colourStyle, plainStyle } from '../../check/report/textStyle.js';
import type { WritablePlaces } from '../../host/confinement/landlock.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import { CheckedRun } from '../checking/checkedRun.js';
import { makeReports } from '../checking/checkReports.js';
import { endBySignal, endBySignals } from '../running/endBySignals.js';
import { type RunOptions, runProgram } from '../running/guestRun.js';
import { untilReaderGone, writeFully } from '../output/output.js';
import { OutputFile } from '../output/outputFile.js';
import { RecordedRun } from './record.js';
import { isNameOfRecording } from '../opening/recordingOrProgram.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import type { Choices } from '../checking/judgedSuspicions.js';
import { recheckedRun } from '../checking/recheckedRun.js';
import { complain, reasonOf, wantsColour } from '../output/report.js';
import { type RuleSelection, selectedRules, shippedSuppressionFile } from '../checking/shippedRules.js';
import { readTextFile } from '../arguments/textFile.js';
import { VERSION } from '../stores/version.js';

export interface CheckOptions extends RunOptions, RuleSelection {
  /** Where the recording is to stay. */
  readonly record?: string;
  readonly keepGoing?: boolean;
  readonly errorExitcode?: number;
  /** Where reports go, in place of our own streams. */
  readonly output?: string;
  readonly jsonFile?: string;
  readonly sarif?: string;
  readonly suppressions?: readonly string[];
  /** Those that come with culprit; unless it is false. */
  readonly defaultSuppressions?: boolean;
  readonly genSuppressions?: boolean;
  /** `my_alloc(size)=my_free(ptr)`. */
  readonly allocator?: readonly string[];
}

const EXIT_FOUND = 99;
const STDOUT = 1;

export async function checkCommand(words: readonly string[], options: CheckOptions): Promise<number> {
  // All files are meant from here, before --cwd takes us elsewhere.
  const { rules, switches } = selectedRules(options);
  const suppressions = [...(options.defaultSuppressions === false ? [] : [shippedSuppressionFile()]), ...(options.suppressions ?? [])].flatMap(readSuppressions);
  const outputs = outputsOf(options);
  const choices = { switches, suppressions, keepsGoing: options.keepGoing === true };
  const directory = process.cwd();
  const [first = ''] = words;
  if (isNameOfRecording(first)) return outputs.write(await recheckedReports(words, rules, choices, options), { ...options, record: first }, { words, rules, directory });
  const allocators = Object.assign({}, ...(options.allocator ?? []).map(parseAllocator)) as AllocationFunctions;
  const { json: _json, output: _output, ...others } = options;
  const runOptions = { ...others, keepsStdout: saysOnStdout(options), stillWrites: writtenLater(options) };
  const recorded = new RecordedRun({ ...runOptions, ...(options.record === undefined ? {} : { output: resolve(options.record) }), isQuiet: true, isTemporary: options.record === undefined }, directory);
  const run = new CheckedRun(recorded, { rules, ...choices, allocators, keepsAll: options.record !== undefined, onStarted: () => outputs.open() });
  const { status, endedBy } = await runProgram(words, runOptions, run);
  endBySignals('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT');
  for (const name of run.interceptor.missingAllocators) complain(`culprit: --allocator: there is no function ${name}; is it inline, or has the program no symbols?`);
  const { reports, suppressed } = await makeReports(recorded.path, run, suppressions);
  const end = outputs.write({ reports, suppressed: run.suppressed + suppressed, status }, options, { words, rules, directory });
  return endedBy === undefined || reports.length > 0 ? end : endBySignal(endedBy);
}

/** Reports go to files that are there already. */
function writtenLater({ output, jsonFile, sarif }: CheckOptions): Partial<WritablePlaces> {
  return { files: [output, jsonFile, sarif].filter((file) => file !== undefined).map((file) => resolve(file)) };
}

/** What there is to say of a run, and how the program ended. */
interface Outcome {
  readonly reports: readonly Report[];
  readonly suppressed: number;
  readonly status: number;
}

/** Of a run of the past. */
async function recheckedReports(words: readonly string[], rules: readonly CompiledRule[], choices: Choices, options: CheckOptions): Promise<Outcome> {
  const [path = '', ...rest] = words;
  if (rest.length > 0) throw new UserError(`${path} is a recording and takes no arguments: ${rest.join(' ')}`);
  for (const name of ['record', 'allocator', 'functions'] as const) if (options[name] !== undefined) throw new UserError(`--${name} is for programs; ${path} is a recording, and was made with what was said then`);
  const [called] = choices.switches.functions;
  if (called !== undefined) throw new UserError(`--switch ${called}=...: in a recording rules are switched at times`);
  const run = recheckedRun(path, rules, choices);
  const { reports, suppressed, lost } = await makeReports(path, run, choices.suppressions);
  tellLoss({ lost });
  return { reports, suppressed: run.suppressed + suppressed, status: statusOn({ lost }, 0) };
}

interface Outputs {
  /** The program has got its descriptors. */
  open(): void;
  /** Returns our exit status. */
  write(outcome: Outcome, options: CheckOptions, about: { readonly words: readonly string[]; readonly rules: readonly CompiledRule[]; readonly directory: string }): number;
}

/** JSON is for programs: it has stdout for itself, unless there is a file for it. */
function saysOnStdout({ json, jsonFile, output }: CheckOptions): boolean {
  return json === true && jsonFile === undefined && output === undefined;
}

function outputsOf(options: CheckOptions): Outputs {
  const { json, jsonFile, output, sarif, errorExitcode } = options;
  const outputFile = output === undefined ? undefined : new OutputFile('--output', output);
  const jsonTo = jsonFile === undefined ? undefined : new OutputFile('--json-file', jsonFile);
  const sarifTo = sarif === undefined ? undefined : new OutputFile('--sarif', sarif);
  return {
    open() {
      for (const file of [outputFile, jsonTo, sarifTo]) file?.open();
    },
    write({ reports, suppressed, status }, given, { words, rules, directory }) {
      const asJson = json === true || jsonTo !== undefined ? `${jsonText(reports.map(reportJson), 2)}\n` : '';
      jsonTo?.write(asJson);
      sarifTo?.write(`${jsonText(sarifLog(reports, { version: VERSION, rules: rules.map(({ rule }) => rule), commandLine: words.map(shellWord).join(' '), exitCode: status, directory }), 2)}\n`);
      if (json === true) outputFile?.write(asJson);
      if (saysOnStdout(options)) untilReaderGone(() => (writeFully(STDOUT, Buffer.from(asJson)), 0));
      if (json !== true) say(reports, suppressed, given, directory, outputFile);
      // A crash is the program's own end, with its own status.
      return reports.every(({ crash }) => crash !== undefined) ? status : (errorExitcode ?? EXIT_FOUND);
    },
  };
}

/** As text: to stderr, or to a file. */
function say(reports: readonly Report[], suppressed: number, options: CheckOptions, directory: string, outputFile: OutputFile | undefined): void {
  const { record } = options;
  const style = outputFile === undefined && wantsColour(process.stderr) ? colourStyle : plainStyle;
  const command = record === undefined ? undefined : (time: number): string => `To look around there: culprit debug -ex 'goto ${time}' ${shellWord(record)}`;
  const said: string[] = [];
  for (const report of reports) {
    said.push(`${reportText(report, { style, directory, command })}\n`);
    if (options.genSuppressions === true) said.push(`${suppressionFor(report.rule, report.stack.length > 0 ? report.stack : (report.block?.allocated.stack ?? []))}\n`);
  }
  if (reports.length > 0 && record === undefined) said.push('To look around there, keep the recording with --record FILE: reports then say how to open it.');
  if (suppressed > 0) said.push(`culprit: ${suppressed} ${suppressed === 1 ? 'finding was' : 'findings were'} suppressed`);
  if (outputFile === undefined) for (const text of said) complain(text);
  else outputFile.write(said.map((text) => `${text}\n`).join(''));
}

function readSuppressions(path: string): Suppression[] {
  try {
    return parseSuppressions(readTextFile(path), path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`--suppressions ${path}: ${reasonOf(error)}`);
  }
}
