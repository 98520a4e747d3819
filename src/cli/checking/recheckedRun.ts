/** A checked run of the past, from its recording: what rules said then, by today's choice of rules, times and suppressions. */
import { UserError } from '../../base/errors.js';
import type { Finding } from '../../check/findings.js';
import { Reporter } from '../../check/report/report.js';
import { type StoredFindings, unpackFindings } from '../../check/storedFindings.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { openRecordingFile } from '../../host/nodeRecordingFile.js';
import type { Work } from '../../replay/timeline/work.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { openRecording } from '../../replay/recordingFile/openRecording.js';
import { EXIT_INCOMPLETE } from '../opening/lost.js';
import { whyIncomplete } from '../opening/openedRecording.js';
import { allOn } from './checkedRun.js';
import { type Found, FoundPlaces } from './foundPlaces.js';
import { type Choices, judgedSuspicions } from './judgedSuspicions.js';
import { complain } from '../output/report.js';

/** Throws a UserError if nobody checked the program when it was recorded. */
export function recheckedRun(path: string, rules: readonly CompiledRule[], choices: Choices): RecheckedRun {
  const { reader } = openRecordingFile(path);
  const found = reader.found();
  const stored = found && unpackFindings(found);
  if (stored === undefined && reader.end === undefined) throw new UserError(`${whyIncomplete(openRecording(reader, path), path)}, and with it what was found when it was made`, EXIT_INCOMPLETE);
  if (stored === undefined) throw new UserError(`${path} was not made by culprit check --record: what is wrong in it was not looked for when it was made`);
  const unknown = rules.map(({ rule }) => rule.name).filter((name) => !stored.rules.includes(name));
  if (unknown.length > 0) complain(`culprit: nobody asked these rules when ${path} was made: ${unknown.join(', ')}`);
  const unasked = choices.suppressions.flatMap(({ allocatedIn, place }) => (allocatedIn === undefined || stored.allocatingCalls.includes(allocatedIn) ? [] : [`${place}: alloc:${allocatedIn}`]));
  for (const one of unasked) complain(`culprit: ${one}: nobody asked for it when ${path} was made, so that it suppresses nothing`);
  if (stored.isCut) complain(`culprit: there was more to find than is kept in ${path}`);
  return new RecheckedRun(stored, allOn(rules), choices);
}

export class RecheckedRun {
  /** All of it is found by looking. */
  readonly found: readonly Found[] = [];
  suppressed = 0;

  constructor(
    private readonly stored: StoredFindings,
    private readonly rules: RuleSet,
    private readonly choices: Choices,
  ) {}

  get hasSuspicions(): boolean {
    return this.stored.findings.length + this.stored.suspicions.length > 0;
  }

  async judge(debug: Debugger, work: Work): Promise<readonly Found[]> {
    const places = new FoundPlaces(this.choices.suppressions);
    const reporter = new Reporter(debug, work);
    const atEnd: Found[] = [];
    let end = Infinity;
    const { endTime } = debug.execution;
    for (const together of this.stored.findings) {
      if ((together[0]?.moment.time ?? 0) > endTime) break;
      const finding = together.find((one) => this.isOn(one));
      if (finding === undefined) continue;
      if (finding.occurrence.kind === 'exit') atEnd.push({ finding, again: 0 });
      else if (!places.isDealtWith(finding) && places.add(finding, await reporter.stackAt(finding)) && !this.choices.keepsGoing) {
        end = finding.moment.time;
        break;
      }
    }
    const strange = await judgedSuspicions(this.stored.suspicions.filter(({ time }) => time <= Math.min(end, endTime)), debug, this.rules, this.choices, work);
    this.suppressed = places.suppressed + strange.suppressed;
    return [...places.found, ...atEnd, ...strange.found];
  }

  /** Of a return we know when it has happened. */
  private isOn({ firing, moment, occurrence, crash }: Finding): boolean {
    return crash !== undefined || this.choices.switches.isOn(firing.rule, occurrence.kind === 'ret' ? moment.time + 1 : moment.time);
  }
}
