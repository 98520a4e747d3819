/** A program that runs under the rules, and is recorded while it does: what was found, once for every place, and whether it may go on. */
import { Checker, type Decision } from '../check/checker.js';
import type { AllocationFunctions } from '../check/functions.js';
import type { Finding } from '../check/findings.js';
import { judged } from '../check/suspicions/judge.js';
import { isEvidentlyWrong } from '../check/suspicions/evidence.js';
import type { RuleSwitches } from '../check/ruleSwitches.js';
import { frameName, type ReportedFrame, shownFrames } from '../check/report/frames.js';
import { liveStack, liveView } from '../check/report/liveStack.js';
import { type Suppression, suppressionOf } from '../check/report/suppressions.js';
import { Modules } from '../debugger/program/modules.js';
import { SourceText } from '../debugger/program/sourceText.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { Guest } from '../linux/guest.js';
import type { ExitStatus } from '../linux/kernel.js';
import type { Process } from '../linux/process.js';
import { SIG } from '../linux/signals/signalNumbers.js';
import type { Task } from '../linux/tasks/task.js';
import type { Work } from '../replay/timeline/work.js';
import type { CompiledRule } from '../rules/evaluate/compileRule.js';
import { RuleSet } from '../rules/evaluate/ruleSet.js';
import type { RunObserver, StartedRun } from './guestRun.js';
import { NODE_FILES } from './nodeFiles.js';
import type { RecordedRun } from './recordCommand.js';

export interface CheckedRunOptions {
  /** Those that may ever be on. */
  readonly rules: readonly CompiledRule[];
  readonly switches: RuleSwitches;
  readonly suppressions: readonly Suppression[];
  readonly keepsGoing: boolean;
  readonly allocators: AllocationFunctions;
}

/** A finding, and how often there was more of the same. */
export interface Found {
  readonly finding: Finding;
  again: number;
}

/** How often one instruction is looked at; what comes after that is taken for more of the same. */
const MOST_LOOKS = 1000;

export class CheckedRun implements RunObserver {
  /** In the order of time. */
  readonly found: Found[] = [];
  /** Of those that were found before the end. */
  suppressed = 0;
  /** We have ended the program. */
  hasStopped = false;
  readonly interceptor: Checker;
  readonly witness;
  private readonly rules: RuleSet;
  private readonly modules = new Modules(NODE_FILES);
  private readonly places = new Map<string, Found>();
  private readonly looks = new Map<string, { count: number; last: Found | undefined }>();

  constructor(
    private readonly recorded: RecordedRun,
    private readonly options: CheckedRunOptions,
  ) {
    this.witness = recorded.witness;
    this.rules = allOn(options.rules);
    const sources = new SourceText(NODE_FILES);
    const linesOf = (path: string): readonly string[] | undefined => sources.lines(path);
    this.interceptor = new Checker(this.rules, (finding, task) => this.decide(finding, task), options.allocators, options.switches, linesOf);
    this.interceptor.onStray = (task, from) => (options.keepsGoing || !isEvidentlyWrong(liveView(task, this.modules), from) ? 'go on' : this.stop(task));
  }

  started(run: StartedRun): void {
    this.recorded.started(run);
  }

  processEnded(process: Process): void {
    if (process.exitStatus !== undefined && !this.hasStopped) this.interceptor.ended(process, process.exitStatus);
  }

  ended(guest: Guest, status: ExitStatus): Promise<void> {
    return this.recorded.ended(guest, status);
  }

  failed(): Promise<void> {
    return this.recorded.failed();
  }

  get hasSuspicions(): boolean {
    return this.interceptor.suspicions.noted.length > 0;
  }

  /** What of all that looked strange was wrong: once for every place, and unless we go on, the first only. */
  async judge(debug: Debugger, work: Work): Promise<readonly Found[]> {
    const { suppressions, keepsGoing, switches } = this.options;
    const found = new Map<string, Found>();
    for await (const { finding, stack } of judged(this.interceptor.suspicions.noted, debug, this.rules, work)) {
      if (!switches.isOn(finding.firing.rule, finding.moment.time)) continue;
      const key = `${finding.firing.rule} ${placeKey(stack)}`;
      const known = found.get(key);
      if (suppressionOf(suppressions, finding.firing.rule, stack) !== undefined) this.suppressed++;
      else if (known !== undefined) known.again++;
      else found.set(key, { finding, again: 0 });
      if (found.size > 0 && !keepsGoing) break;
    }
    return [...found.values()];
  }

  private decide(finding: Finding, task: Task): Decision {
    if (finding.occurrence.kind === 'exit') {
      // Stacks of allocations are in the recording.
      this.found.push({ finding, again: 0 });
      return 'go on';
    }
    if (!this.isToBeReported(finding, task) || this.options.keepsGoing) return 'go on';
    return this.stop(task);
  }

  private stop(task: Task): Decision {
    this.hasStopped = true;
    for (const process of task.process.world.processes) process.killedBy(SIG.KILL);
    return 'stop';
  }

  private isToBeReported(finding: Finding, task: Task): boolean {
    const { firing, rip } = finding;
    const look = this.lookAt(`${firing.rule} ${rip}`);
    if (++look.count > MOST_LOOKS && look.last !== undefined) look.last.again++;
    if (look.count > MOST_LOOKS) return false;
    const stack = liveStack(task, this.modules);
    if (suppressionOf(this.options.suppressions, firing.rule, stack) !== undefined) {
      this.suppressed++;
      return false;
    }
    const place = `${firing.rule} ${placeKey(atEntry(finding) && stack[0]?.isUsers === true ? stack.slice(1) : stack)}`;
    const known = this.places.get(place);
    const found = known ?? { finding, again: 0 };
    look.last = found;
    if (known !== undefined) {
      known.again++;
      return false;
    }
    this.places.set(place, found);
    this.found.push(found);
    return true;
  }

  private lookAt(key: string): { count: number; last: Found | undefined } {
    const known = this.looks.get(key);
    if (known !== undefined) return known;
    const made = { count: 0, last: undefined };
    this.looks.set(key, made);
    return made;
  }
}

function allOn(rules: readonly CompiledRule[]): RuleSet {
  const set = new RuleSet(rules);
  if (rules.length > 0) set.select('all');
  return set;
}

/** A function is about to be executed: what counts is who calls it. */
function atEntry({ occurrence: { kind } }: Finding): boolean {
  return kind === 'call' || kind === 'free';
}

/** The same for the same line of the user's code, and the same function that it calls. */
export function placeKey(stack: readonly ReportedFrame[]): string {
  const shown = shownFrames(stack);
  const own = shown.findIndex((frame) => frame.isUsers);
  return shown.slice(0, own + 1).map((frame) => `${frameName(frame)} ${frame.calledAs !== undefined ? '' : frame.line > 0 ? `${frame.file}:${frame.line}` : frame.address}`).join(' ');
}
