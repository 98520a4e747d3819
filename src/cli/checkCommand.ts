/** `culprit check`: runs a program on a heap that is watched to the byte, and reports what it does wrong, before it happens. */
import { jsonText, shellWord } from '../base/visible.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../base/errors.js';
import { parseAllocator } from '../check/customAllocators.js';
import type { AllocationFunctions } from '../check/functions.js';
import type { Report } from '../check/report/report.js';
import { reportJson } from '../check/report/reportJson.js';
import { reportText } from '../check/report/reportText.js';
import { sarifLog } from '../check/report/sarif.js';
import { parseSuppressions, type Suppression, suppressionFor } from '../check/report/suppressions.js';
import { colourStyle, plainStyle } from '../check/report/textStyle.js';
import type { CompiledRule } from '../rules/evaluate/compileRule.js';
import { CheckedRun } from './checkedRun.js';
import { makeReports } from './checkReports.js';
import { type RunOptions, runProgram } from './guestRun.js';
import { RecordedRun } from './recordCommand.js';
import { isNameOfRecording, temporaryDirectory } from './recordingOrProgram.js';
import { statusOn, tellLoss } from './lost.js';
import type { Choices } from './judgedSuspicions.js';
import { recheckedRun } from './recheckedRun.js';
import { complain, wantsColour } from './report.js';
import { type RuleSelection, selectedRules, shippedSuppressionFile } from './shippedRules.js';
import { VERSION } from './version.js';

export interface CheckOptions extends RunOptions, RuleSelection {
  /** Where the recording is to stay. */
  readonly record?: string;
  readonly keepGoing?: boolean;
  readonly errorExitcode?: number;
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
  const path = options.record === undefined ? join(temporaryDirectory(), `${basename(first)}.culprit`) : resolve(options.record);
  const { json: _, ...runOptions } = options;
  const recorded = new RecordedRun({ ...runOptions, output: path, isQuiet: true, isTemporary: options.record === undefined, outlivesProgram: true }, directory);
  const run = new CheckedRun(recorded, { rules, ...choices, allocators, keepsAll: options.record !== undefined });
  const status = await runProgram(words, runOptions, run);
  exitBySignals();
  for (const name of run.interceptor.missingAllocators) complain(`culprit: --allocator: there is no function ${name}; is it inline, or has the program no symbols?`);
  const { reports, suppressed } = await makeReports(path, run, suppressions);
  return outputs.write({ reports, suppressed: run.suppressed + suppressed, status }, options, { words, rules, directory });
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
  /** Returns our exit status. */
  write(outcome: Outcome, options: CheckOptions, about: { readonly words: readonly string[]; readonly rules: readonly CompiledRule[]; readonly directory: string }): number;
}

function outputsOf({ json, jsonFile, sarif, errorExitcode }: CheckOptions): Outputs {
  const writeJson = jsonFile === undefined ? undefined : fileWriter('--json-file', jsonFile);
  const writeSarif = sarif === undefined ? undefined : fileWriter('--sarif', sarif);
  return {
    write({ reports, suppressed, status }, options, { words, rules, directory }) {
      writeJson?.(`${jsonText(reports.map(reportJson), 2)}\n`);
      writeSarif?.(`${jsonText(sarifLog(reports, { version: VERSION, rules: rules.map(({ rule }) => rule), commandLine: words.map(shellWord).join(' '), exitCode: status, directory }), 2)}\n`);
      if (json !== true) say(reports, suppressed, options, directory);
      else if (writeJson === undefined) complain(jsonText(reports.map(reportJson), 2));
      return reports.length === 0 ? status : (errorExitcode ?? EXIT_FOUND);
    },
  };
}

function say(reports: readonly Report[], suppressed: number, options: CheckOptions, directory: string): void {
  const { record } = options;
  const style = wantsColour(process.stderr) ? colourStyle : plainStyle;
  const command = record === undefined ? undefined : (time: number): string => `To look around there: culprit debug -ex 'goto ${time}' ${shellWord(record)}`;
  for (const report of reports) {
    complain(`${reportText(report, { style, directory, command })}\n`);
    if (options.genSuppressions === true) complain(`${suppressionFor(report.rule, report.stack.length > 0 ? report.stack : (report.block?.allocated.stack ?? []))}\n`);
  }
  if (reports.length > 0 && record === undefined) complain('To look around there, keep the recording with --record FILE: reports then say how to open it.');
  if (suppressed > 0) complain(`culprit: ${suppressed} ${suppressed === 1 ? 'finding was' : 'findings were'} suppressed`);
}

/** Exiting removes what is temporary. */
function exitBySignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

function readSuppressions(path: string): Suppression[] {
  try {
    return parseSuppressions(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`--suppressions ${path}: ${reasonOf(error)}`);
  }
}

/** Whether it can be written is known before the program runs. */
function fileWriter(option: string, name: string): (text: string) => void {
  const path = resolve(name);
  const write = (text: string): void => {
    try {
      writeFileSync(path, text);
    } catch (error) {
      throw new UserError(`${option} ${name}: ${reasonOf(error)}`);
    }
  };
  write('');
  return write;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'No such file or directory' : code === 'EACCES' ? 'Permission denied' : code === 'EISDIR' ? 'Is a directory' : String(code);
}
