/** `culprit check`: runs a program on a heap that is watched to the byte, and reports what it does wrong, before it happens. */
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Checker } from '../check/checker.js';
import type { Finding } from '../check/findings.js';
import { type Report, Reporter } from '../check/report/report.js';
import { reportJson } from '../check/report/reportJson.js';
import { reportText } from '../check/report/reportText.js';
import type { Guest } from '../linux/guest.js';
import type { ExitStatus } from '../linux/kernel.js';
import type { Process } from '../linux/process.js';
import { SIG } from '../linux/signals/signalNumbers.js';
import type { Task } from '../linux/tasks/task.js';
import type { CompiledRule } from '../rules/evaluate/compileRule.js';
import { type RunObserver, type RunOptions, runProgram, type StartedRun } from './guestRun.js';
import { openedDebugger } from './openedDebugger.js';
import { Progress } from './progress.js';
import { RecordedRun } from './recordCommand.js';
import { temporaryDirectory } from './recordingOrProgram.js';
import { complain } from './report.js';
import { type RuleSelection, selectedRules } from './shippedRules.js';

export interface CheckOptions extends RunOptions, RuleSelection {
  /** Where the recording is to stay. */
  readonly record?: string;
  readonly keepGoing?: boolean;
  readonly errorExitcode?: number;
  readonly jsonFile?: string;
}

const EXIT_FOUND = 99;

export async function checkCommand(words: readonly string[], options: CheckOptions): Promise<number> {
  const rules = selectedRules(options);
  const path = options.record === undefined ? join(temporaryDirectory(), `${basename(words[0] ?? '')}.culprit`) : resolve(options.record);
  const jsonFile = options.jsonFile === undefined ? undefined : resolve(options.jsonFile);
  const { json, ...runOptions } = options;
  const run = new CheckedRun(new RecordedRun({ ...runOptions, output: path, isQuiet: true }, process.cwd()), rules, options.keepGoing === true);
  const status = await runProgram(words, runOptions, run);
  const reports = run.findings.length === 0 ? [] : await reportsOf(path, run.findings);
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(reports.map(reportJson), null, 2)}\n`);
  else if (json === true) complain(JSON.stringify(reports.map(reportJson), null, 2));
  if (json !== true) for (const report of reports) complain(`${reportText(report, (time) => debugCommand(options, words, time))}\n`);
  return reports.length === 0 ? status : (options.errorExitcode ?? EXIT_FOUND);
}

function debugCommand({ record }: CheckOptions, words: readonly string[], time: number): string {
  const goto = `-ex 'goto ${time}'`;
  return record === undefined ? `culprit check --record bug.culprit -- ${words.join(' ')}; culprit debug ${goto} bug.culprit` : `culprit debug ${goto} ${record}`;
}

async function reportsOf(path: string, findings: readonly Finding[]): Promise<Report[]> {
  const progress = new Progress('looking back', true);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  const { debug } = await openedDebugger(path, work);
  const reporter = new Reporter(debug, work);
  const reports: Report[] = [];
  for (const finding of findings) reports.push(await reporter.report(finding));
  progress.clear();
  return reports;
}

class CheckedRun implements RunObserver {
  readonly findings: Finding[] = [];
  readonly interceptor: Checker;
  readonly witness;
  private readonly seen = new Set<string>();

  constructor(
    private readonly recorded: RecordedRun,
    rules: readonly CompiledRule[],
    private readonly keepsGoing: boolean,
  ) {
    this.witness = recorded.witness;
    this.interceptor = new Checker(rules, (finding, task) => this.found(finding, task));
  }

  started(run: StartedRun): void {
    this.recorded.started(run);
  }

  processEnded(process: Process): void {
    if (process.exitStatus !== undefined) this.interceptor.ended(process, process.exitStatus);
  }

  ended(guest: Guest, status: ExitStatus): Promise<void> {
    return this.recorded.ended(guest, status);
  }

  failed(): Promise<void> {
    return this.recorded.failed();
  }

  private found(finding: Finding, task: Task): 'stop' | 'go on' {
    const { firing, rip, block, occurrence } = finding;
    // The same at the same place is said once.
    const key = [firing.rule, rip, occurrence.kind === 'exit' ? block?.id : ''].join();
    if (!this.seen.has(key)) this.findings.push(finding);
    this.seen.add(key);
    if (this.keepsGoing || occurrence.kind === 'exit') return 'go on';
    for (const process of task.process.world.processes) process.killedBy(SIG.KILL);
    return 'stop';
  }
}
