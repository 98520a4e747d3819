/**
 * A program that runs under the rules: what is found, once for every place, and whether the program may go on. The
 * caller runs it: gives `interceptor` to its world, tells of processes that have ended, and records the run. Reports
 * are made from the recording (reports.ts).
 */
import { type DebugFiles, NO_FILES } from '../../debugger/program/debugFiles.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { Modules } from '../../debugger/program/modules.js';
import type { Process } from '../../linux/process.js';
import { SIG } from '../../base/signalNumbers.js';
import type { Task } from '../../linux/tasks/task.js';
import type { Work } from '../../replay/timeline/work.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { Checker, type Decision } from '../checker.js';
import type { Finding } from '../findings.js';
import type { AllocationFunctions } from '../functions.js';
import { liveStack, liveView } from '../report/liveStack.js';
import type { ReportedFrame } from '../report/frames.js';
import type { StoredFindings } from '../storedFindings.js';
import { isEvidentlyWrong } from '../suspicions/evidence.js';
import { allOn, type Choices } from './choices.js';
import { type CountedFinding, DistinctFindings } from './distinctFindings.js';
import { judgedSuspicions } from './judgedSuspicions.js';
import type { ReportableRun } from './reports.js';

interface CheckedRunOptions extends Choices {
  /** Those that may ever be on. */
  readonly rules: readonly CompiledRule[];
  /** Allocation functions of the program's own. */
  readonly allocators?: AllocationFunctions;
  /** Whether all that rules say is kept (`stored`), also of rules that are off. */
  readonly keepsAll?: boolean;
  /** Sources, and debug information that lies apart. */
  readonly files?: DebugFiles;
}

/** Times at which something was wrong that are kept in the recording. */
const MOST_KEPT = 10_000;

export class CheckedRun implements ReportableRun {
  /** The check has ended the program. */
  hasStopped = false;
  readonly interceptor: Checker;
  private readonly rules: RuleSet;
  private readonly modules: Modules;
  private readonly found: DistinctFindings;
  private readonly kept: (readonly Finding[])[] = [];
  private isCut = false;
  private suppressedLater = 0;

  constructor(private readonly options: CheckedRunOptions) {
    const { rules, suppressions, switches, allocators, keepsAll, files = NO_FILES } = options;
    this.rules = allOn(rules);
    this.modules = new Modules(files);
    this.found = new DistinctFindings(suppressions);
    this.interceptor = new Checker(this.rules, (finding, task) => this.decide(finding, task), allocators, switches, allocatingCalls(options), files);
    if (keepsAll === true) this.interceptor.onFirings = (findings) => this.keep(findings);
    this.interceptor.onStray = (task, from) => this.decideOnStray(task, from);
  }

  get hasAnything(): boolean {
    return this.found.all.length > 0 || this.interceptor.suspicions.noted.length > 0;
  }

  /** Places at which something was found, so far. */
  get count(): number {
    return this.found.all.length;
  }

  /** Of those that were found before the end, and by looking back. */
  get suppressed(): number {
    return this.found.suppressed + this.suppressedLater;
  }

  /** Its memory must still be there. */
  processEnded(process: Process): void {
    if (process.exitStatus !== undefined && !this.hasStopped) this.interceptor.ended(process, process.exitStatus);
  }

  /** All that rules had to say, for the recording. */
  stored(): StoredFindings {
    const { options, kept, isCut, interceptor } = this;
    return {
      rules: options.rules.map(({ rule }) => rule.name),
      allocatingCalls: [...allocatingCalls(options)],
      findings: kept,
      suspicions: interceptor.suspicions.noted,
      isCut,
    };
  }

  async findings(debug: Debugger, work?: Work): Promise<readonly CountedFinding[]> {
    const strange = await judgedSuspicions(this.interceptor.suspicions.noted, debug, this.rules, this.options, work);
    this.suppressedLater = strange.suppressed;
    return [...this.found.all, ...strange.all];
  }

  private decide(finding: Finding, task: Task): Decision {
    return decision(finding, this.found, this.options.keepsGoing, () => liveStack(task, this.modules)) === 'stop' ? this.stop(task) : 'go on';
  }

  /** A return that leads nowhere sensible: the program would do anything at all. */
  private decideOnStray(task: Task, from: number): Decision {
    return this.options.keepsGoing || !isEvidentlyWrong(liveView(task, this.modules), from) ? 'go on' : this.stop(task);
  }

  private stop(task: Task): Decision {
    this.hasStopped = true;
    for (const process of task.process.world.processes) process.killedBy(SIG.KILL);
    return 'stop';
  }

  private keep(findings: readonly Finding[]): void {
    if (this.kept.length < MOST_KEPT) this.kept.push(findings);
    else this.isCut = true;
  }
}

/**
 * Notes a finding, and says whether it ends the run: what is suppressed or known does not, nor does a crash, which has
 * ended by itself.
 */
export function decision(finding: Finding, found: DistinctFindings, keepsGoing: boolean, stack: () => readonly ReportedFrame[]): Decision {
  if (finding.occurrence.kind === 'exit') {
    found.addAtEnd(finding);
    return 'go on';
  }
  const isNew = !found.isDealtWith(finding) && found.add(finding, stack());
  return isNew && !keepsGoing && finding.crash === undefined ? 'stop' : 'go on';
}

/** What has to be known of blocks for suppressions of rules that may be broken. */
function allocatingCalls({ rules, suppressions }: Pick<CheckedRunOptions, 'rules' | 'suppressions'>): ReadonlySet<string> {
  const meant = suppressions.filter(({ matchesRule }) => rules.some(({ rule }) => matchesRule(rule.name)));
  return new Set(meant.flatMap(({ allocatedIn }) => allocatedIn ?? []));
}
