/** `culprit check`: runs a program on a heap that is watched to the byte, and reports what it does wrong, before it happens. */
import { basename, join, resolve } from 'node:path';
import { Checker } from '../check/checker.js';
import type { Finding } from '../check/findings.js';
import type { Guest } from '../linux/guest.js';
import type { ExitStatus } from '../linux/kernel.js';
import { SIG } from '../linux/signals/signalNumbers.js';
import type { Task } from '../linux/tasks/task.js';
import { type RunObserver, type RunOptions, runProgram, type StartedRun } from './guestRun.js';
import { RecordedRun } from './recordCommand.js';
import { temporaryDirectory } from './recordingOrProgram.js';

export interface CheckOptions extends RunOptions {
  /** Where the recording is to stay. */
  readonly record?: string;
  readonly keepGoing?: boolean;
  readonly errorExitcode?: number;
}

const EXIT_FOUND = 99;

export async function checkCommand(words: readonly string[], options: CheckOptions): Promise<number> {
  const path = options.record === undefined ? join(temporaryDirectory(), `${basename(words[0] ?? '')}.culprit`) : resolve(options.record);
  const run = new CheckedRun(new RecordedRun({ ...options, output: path, isQuiet: true }, process.cwd()), options);
  const status = await runProgram(words, options, run);
  for (const finding of run.findings) process.stderr.write(`${JSON.stringify(finding)}\n`);
  return run.findings.length === 0 ? status : (options.errorExitcode ?? EXIT_FOUND);
}

class CheckedRun implements RunObserver {
  readonly findings: Finding[] = [];
  readonly interceptor = new Checker((finding, task) => this.found(finding, task));
  readonly witness;

  constructor(
    private readonly recorded: RecordedRun,
    private readonly options: CheckOptions,
  ) {
    this.witness = recorded.witness;
  }

  started(run: StartedRun): void {
    this.recorded.started(run);
  }

  ended(guest: Guest, status: ExitStatus): Promise<void> {
    return this.recorded.ended(guest, status);
  }

  failed(): Promise<void> {
    return this.recorded.failed();
  }

  private found(finding: Finding, task: Task): 'stop' | 'go on' {
    this.findings.push(finding);
    if (this.options.keepGoing === true) return 'go on';
    for (const process of task.process.world.processes) process.killedBy(SIG.KILL);
    return 'stop';
  }
}
