/** Where reports of `culprit check` go: as text to stderr or a file, as JSON, as SARIF. */
import { jsonText, shellWord } from '../../base/visible.js';
import type { Report } from '../../check/report/report.js';
import { reportJson } from '../../check/report/reportJson.js';
import { reportText } from '../../check/report/reportText.js';
import { sarifLog } from '../../check/report/sarif.js';
import { suppressionFor } from '../../check/report/suppressions.js';
import { colourStyle, plainStyle } from '../../check/report/textStyle.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { untilReaderGone, writeFully } from './output.js';
import { OutputFile } from './outputFile.js';
import { complain, wantsColour } from './report.js';

export interface CheckOutputOptions {
  readonly json?: boolean;
  /** Where reports go, in place of our own streams. */
  readonly output?: string;
  readonly jsonFile?: string;
  readonly sarif?: string;
  readonly genSuppressions?: boolean;
}

/** What there is to say of a run. */
export interface CheckOutcome {
  readonly reports: readonly Report[];
  readonly suppressed: number;
  /** How the program ended. */
  readonly status: number;
}

/** What was checked, and how. */
interface CheckedCommand {
  readonly words: readonly string[];
  readonly rules: readonly CheckedRule[];
  /** Files below it are named relative to it. */
  readonly directory: string;
  /** Where the recording is that was kept. */
  readonly recording: string | undefined;
  /** Of culprit. */
  readonly version: string;
}

const STDOUT = 1;

/** JSON is for programs: it has stdout for itself, unless there is a file for it. */
export function saysOnStdout({ json, jsonFile, output }: CheckOutputOptions): boolean {
  return json === true && jsonFile === undefined && output === undefined;
}

/** Files that were named are known to be writable. */
export class CheckOutputs {
  private readonly output: OutputFile | undefined;
  private readonly json: OutputFile | undefined;
  private readonly sarif: OutputFile | undefined;

  /** Throws a UserError if a file cannot be written. */
  constructor(private readonly options: CheckOutputOptions) {
    const { output, jsonFile, sarif } = options;
    if (output !== undefined) this.output = new OutputFile('--output', output);
    if (jsonFile !== undefined) this.json = new OutputFile('--json-file', jsonFile);
    if (sarif !== undefined) this.sarif = new OutputFile('--sarif', sarif);
  }

  /** The program has got its descriptors. */
  open(): void {
    for (const file of [this.output, this.json, this.sarif]) file?.open();
  }

  write(outcome: CheckOutcome, command: CheckedCommand): void {
    const { reports, status } = outcome;
    const { words, rules, directory, version } = command;
    const wantsJson = this.options.json === true;
    const asJson = wantsJson || this.json !== undefined ? `${jsonText(reports.map(reportJson), 2)}\n` : '';
    this.json?.write(asJson);
    this.sarif?.write(`${jsonText(sarifLog(reports, { version, rules, commandLine: words.map(shellWord).join(' '), exitCode: status, directory }), 2)}\n`);
    if (wantsJson) this.output?.write(asJson);
    if (saysOnStdout(this.options)) untilReaderGone(() => (writeFully(STDOUT, Buffer.from(asJson)), 0));
    if (!wantsJson) this.say(this.textOf(outcome, command));
  }

  private textOf({ reports, suppressed }: CheckOutcome, { directory, recording }: CheckedCommand): string[] {
    const style = this.output === undefined && wantsColour(process.stderr) ? colourStyle : plainStyle;
    const command = recording === undefined ? undefined : (time: number): string => `To look around there: culprit debug -ex 'goto ${time}' ${shellWord(recording)}`;
    const said: string[] = [];
    for (const report of reports) {
      said.push(`${reportText(report, { style, directory, command })}\n`);
      if (this.options.genSuppressions === true) said.push(`${suppressionFor(report.rule, report.stack.length > 0 ? report.stack : (report.block?.allocated.stack ?? []))}\n`);
    }
    if (reports.length > 0 && recording === undefined) said.push('To look around there, keep the recording with --record FILE: reports then say how to open it.');
    if (suppressed > 0) said.push(`culprit: ${suppressed} ${suppressed === 1 ? 'finding was' : 'findings were'} suppressed`);
    return said;
  }

  private say(said: readonly string[]): void {
    if (this.output === undefined) for (const text of said) complain(text);
    else this.output.write(said.map((text) => `${text}\n`).join(''));
  }
}
