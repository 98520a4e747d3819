/**
 * A checked run of the past, from what its recording keeps: what rules said then, by today's choice of rules, times and
 * suppressions. The program does not run.
 */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import type { Finding } from '../findings.js';
import { Reporter } from '../report/report.js';
import type { ReportedFrame } from '../report/frames.js';
import type { Suppression } from '../report/suppressions.js';
import type { StoredFindings } from '../storedFindings.js';
import { allOn, type Choices } from './choices.js';
import { type CountedFinding, DistinctFindings } from './distinctFindings.js';
import { judgedSuspicions } from './judgedSuspicions.js';
import type { ReportableRun } from './reports.js';

/** What is asked for today and was not when the program ran: the recording has no answer. */
export interface Unasked {
  /** Names of rules. */
  readonly rules: readonly string[];
  /** Suppressions by functions whose calls were not watched: they suppress nothing. */
  readonly suppressions: readonly Suppression[];
}

export class RecheckedRun implements ReportableRun {
  suppressed = 0;
  readonly unasked: Unasked;
  private readonly set: RuleSet;

  constructor(
    private readonly stored: StoredFindings,
    rules: readonly CompiledRule[],
    private readonly choices: Choices,
  ) {
    this.set = allOn(rules);
    this.unasked = {
      rules: rules.map(({ rule }) => rule.name).filter((name) => !stored.rules.includes(name)),
      suppressions: choices.suppressions.filter(({ allocatedIn }) => allocatedIn !== undefined && !stored.allocatingCalls.includes(allocatedIn)),
    };
  }

  get hasAnything(): boolean {
    return this.stored.findings.length + this.stored.suspicions.length > 0;
  }

  async findings(debug: Debugger, work?: Work): Promise<readonly CountedFinding[]> {
    const reporter = new Reporter(debug, work);
    const { endTime } = debug.execution;
    const { found, until } = await findingsAgain(this.stored.findings, this.choices, endTime, (finding) => reporter.stackAt(finding));
    const suspicions = this.stored.suspicions.filter(({ time }) => time <= until);
    const strange = await judgedSuspicions(suspicions, debug, this.set, this.choices, work);
    this.suppressed = found.suppressed + strange.suppressed;
    return [...found.all, ...strange.all];
  }
}

interface FoundAgain {
  readonly found: DistinctFindings;
  /** The time that the run would have reached. */
  readonly until: number;
}

/** What a run with these choices would have found. Of findings at the same time, the first whose rule is on counts. */
export async function findingsAgain(
  findings: StoredFindings['findings'],
  choices: Choices,
  endTime: number,
  stackAt: (finding: Finding) => Promise<readonly ReportedFrame[]>,
): Promise<FoundAgain> {
  const found = new DistinctFindings(choices.suppressions);
  for (const together of findings) {
    if ((together[0]?.moment.time ?? 0) > endTime) break;
    const finding = together.find((one) => isOn(one, choices));
    if (finding === undefined) continue;
    if (finding.occurrence.kind === 'exit') found.addAtEnd(finding);
    else if (!found.isDealtWith(finding) && found.add(finding, await stackAt(finding)) && !choices.keepsGoing) {
      return { found, until: Math.min(finding.moment.time, endTime) };
    }
  }
  return { found, until: endTime };
}

/** The check knows of a return when it has happened. */
function isOn({ firing, moment, occurrence, crash }: Finding, { switches }: Choices): boolean {
  return crash !== undefined || switches.isOn(firing.rule, occurrence.kind === 'ret' ? moment.time + 1 : moment.time);
}
