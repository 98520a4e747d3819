/**
 * From the findings of a run to its reports, by going through its recording. Leaks from the same place are one report.
 */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Block } from '../heap/blocks.js';
import type { ReportedFrame } from '../report/frames.js';
import { Reporter, type Report } from '../report/report.js';
import { type Suppression, suppressionOf } from '../report/suppressions.js';
import { type CountedFinding, placeKey, suppressible } from './distinctFindings.js';

/** A run that was checked, now or in the past. */
export interface ReportableRun {
  /** False: there is nothing to look for in the recording. */
  readonly hasAnything: boolean;
  /** Findings that are not to be reported, as far as they are known: all but leaks, when `findings` has been asked. */
  readonly suppressed: number;
  /** All there is to report. Some of it is found only by looking back. */
  findings(debug: Debugger, work?: Work): Promise<readonly CountedFinding[]>;
}

export interface MadeReports {
  readonly reports: readonly Report[];
  /** Findings that are not to be reported, leaks included. */
  readonly suppressed: number;
}

/** Leaks whose place is looked up. */
const MOST_LEAKS = 1000;

/** `open` opens the recording of the run; it is not asked if nothing was found. */
export async function makeReports(run: ReportableRun, open: () => Promise<Debugger>, suppressions: readonly Suppression[], work?: Work): Promise<MadeReports> {
  if (!run.hasAnything) return { reports: [], suppressed: run.suppressed };
  const debug = await open();
  const found = withoutConsequences(await run.findings(debug, work));
  const reporter = new Reporter(debug, work);
  const leaks = found.filter(isLeak).slice(0, MOST_LEAKS);
  const { kept, suppressed } = await leaksByPlace(leaks, suppressions, (block) => reporter.allocationStack(block));
  const reports: Report[] = [];
  for (const { finding, again } of found) if (finding.occurrence.kind !== 'exit') reports.push(await reporter.report(finding, { count: again, bytes: 0 }));
  for (const [first, ...others] of kept) {
    if (first !== undefined) reports.push(await reporter.report(first.finding, { count: others.length, bytes: bytesOf([first, ...others]) }));
  }
  return { reports, suppressed: run.suppressed + suppressed };
}

/** A crash right after what was found is what came of it: a return to an address that was overwritten, for example. */
export function withoutConsequences(found: readonly CountedFinding[]): CountedFinding[] {
  const causes = found.filter(({ finding }) => finding.crash === undefined).map(({ finding }) => finding.moment);
  return found.filter(({ finding: { crash, moment: { time, tid, pid } } }) =>
    crash === undefined || !causes.some((one) => one.tid === tid && one.pid === pid && (one.time === time || one.time === time - 1)));
}

function isLeak({ finding }: CountedFinding): boolean {
  return finding.occurrence.kind === 'exit';
}

/**
 * Looks the places up in the order in which the blocks were allocated, and so goes through the recording once. The
 * largest come first.
 */
export async function leaksByPlace(
  leaks: readonly CountedFinding[],
  suppressions: readonly Suppression[],
  allocationStack: (block: Block) => Promise<readonly ReportedFrame[]>,
): Promise<{ readonly kept: CountedFinding[][]; readonly suppressed: number }> {
  const places = new Map<string, CountedFinding[]>();
  let suppressed = 0;
  for (const leak of leaks.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const { block, firing } = leak.finding;
    const stack = block === undefined ? [] : await allocationStack(block);
    if (suppressionOf(suppressions, suppressible(leak.finding, stack)) !== undefined) suppressed++;
    else {
      const key = `${firing.rule} ${placeKey(stack)}`;
      places.set(key, [...(places.get(key) ?? []), leak]);
    }
  }
  return { kept: [...places.values()].toSorted((a, b) => bytesOf(b) - bytesOf(a)), suppressed };
}

function timeOf({ finding }: CountedFinding): number {
  return finding.block?.allocated.time ?? finding.moment.time;
}

function bytesOf(leaks: readonly CountedFinding[]): number {
  return leaks.reduce((sum, { finding }) => sum + (finding.block?.size ?? 0), 0);
}
