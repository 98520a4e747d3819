/** A program that runs under the rules, and is recorded while it does: what was found, once for every place, and whether it may go on. */
import { Checker, type Decision } from '../../check/checker.js';
import type { AllocationFunctions } from '../../check/functions.js';
import type { Finding } from '../../check/findings.js';
import { packFindings } from '../../check/storedFindings.js';
import { isEvidentlyWrong } from '../../check/suspicions/evidence.js';
import type { RuleSwitches } from '../../check/ruleSwitches.js';
import { liveStack, liveView } from '../../check/report/liveStack.js';
import type { Suppression } from '../../check/report/suppressions.js';
import { Modules } from '../../debugger/program/modules.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Guest } from '../../linux/guest.js';
import type { ExitStatus } from '../../linux/kernel.js';
import type { Process } from '../../linux/process.js';
import { SIG } from '../../base/signalNumbers.js';
import type { Task } from '../../linux/tasks/task.js';
import type { Work } from '../../replay/timeline/work.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { type Found, FoundPlaces } from './foundPlaces.js';
import type { RunObserver, StartedRun } from '../running/guestRun.js';
import { judgedSuspicions } from './judgedSuspicions.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import type { RecordedRun } from '../commands/record.js';

export interface CheckedRunOptions {
  /** Those that may ever be on. */
  readonly rules: readonly CompiledRule[];
  readonly switches: RuleSwitches;
  readonly suppressions: readonly Suppression[];
  readonly keepsGoing: boolean;
  readonly allocators: AllocationFunctions;
  /** The recording is to have all that rules say, whether they are on or not. */
  readonly keepsAll: boolean;
  /** The program is loaded, and has got its descriptors. */
  readonly onStarted?: () => void;
}

/** Times at which something was wrong that are kept in the recording. */
const MOST_KEPT = 10_000;

export class CheckedRun implements RunObserver {
  /** We have ended the program. */
  hasStopped = false;
  readonly interceptor: Checker;
  readonly witness;
  private readonly rules: RuleSet;
  private readonly modules = new Modules(NODE_FILES);
  private readonly places: FoundPlaces;
  private readonly kept: (readonly Finding[])[] = [];
  private isCut = false;
  private suppressedLater = 0;

  constructor(
    private readonly recorded: RecordedRun,
    private readonly options: CheckedRunOptions,
  ) {
    this.witness = recorded.witness;
    this.rules = allOn(options.rules);
    this.places = new FoundPlaces(options.suppressions);
    this.interceptor = new Checker(this.rules, (finding, task) => this.decide(finding, task), options.allocators, options.switches, allocatingCalls(options), NODE_FILES);
    if (options.keepsAll) this.interceptor.onFirings = (findings) => this.keep(findings);
    this.interceptor.onStray = (task, from) => (options.keepsGoing || !isEvidentlyWrong(liveView(task, this.modules), from) ? 'go on' : this.stop(task));
  }

  /** In the order of time. */
  get found(): readonly Found[] {
    return this.places.found;
  }

  /** Of those that were found before the end, and by looking back. */
  get suppressed(): number {
    return this.places.suppressed + this.suppressedLater;
  }

  started(run: StartedRun): void {
    this.options.onStarted?.();
    this.recorded.started(run);
  }

  processEnded(process: Process): void {
    if (process.exitStatus !== undefined && !this.hasStopped) this.interceptor.ended(process, process.exitStatus);
  }

  ended(guest: Guest, status: ExitStatus): Promise<void> {
    const { rules, keepsAll } = this.options;
    const { kept: findings, isCut, interceptor } = this;
    const stored = { rules: rules.map(({ rule }) => rule.name), allocatingCalls: [...allocatingCalls(this.options)], findings, suspicions: interceptor.suspicions.noted, isCut };
    if (keepsAll) this.recorded.keepFindings(packFindings(stored));
    return this.recorded.ended(guest, status);
  }

  failed(): Promise<void> {
    return this.recorded.failed();
  }

  get hasSuspicions(): boolean {
    return this.interceptor.suspicions.noted.length > 0;
  }

  /** What of all that looked strange was wrong. */
  async judge(debug: Debugger, work: Work): Promise<readonly Found[]> {
    const { found, suppressed } = await judgedSuspicions(this.interceptor.suspicions.noted, debug, this.rules, this.options, work);
    this.suppressedLater += suppressed;
    return found;
  }

  private decide(finding: Finding, task: Task): Decision {
    if (finding.occurrence.kind === 'exit') {
      // Stacks of allocations are in the recording.
      this.places.found.push({ finding, again: 0 });
      return 'go on';
    }
    // What has crashed has ended by itself.
    if (!this.isToBeReported(finding, task) || this.options.keepsGoing || finding.crash !== undefined) return 'go on';
    return this.stop(task);
  }

  private stop(task: Task): Decision {
    this.hasStopped = true;
    for (const process of task.process.world.processes) process.killedBy(SIG.KILL);
    return 'stop';
  }

  private isToBeReported(finding: Finding, task: Task): boolean {
    return !this.places.isDealtWith(finding) && this.places.add(finding, liveStack(task, this.modules));
  }

  private keep(findings: readonly Finding[]): void {
    if (this.kept.length < MOST_KEPT) this.kept.push(findings);
    else this.isCut = true;
  }
}

/** What has to be known of blocks for suppressions of rules that may be broken. */
function allocatingCalls({ rules, suppressions }: CheckedRunOptions): ReadonlySet<string> {
  return new Set(suppressions.filter(({ matchesRule }) => rules.some(({ rule }) => matchesRule(rule.name))).flatMap(({ allocatedIn }) => allocatedIn ?? []));
}

export function allOn(rules: readonly CompiledRule[]): RuleSet {
  const set = new RuleSet(rules);
  if (rules.length > 0) set.select('all');
  return set;
}
