/** From findings to reports: goes through the recording of the run. Leaks from the same place are one. */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import { Reporter, type Report } from '../../check/report/report.js';
import { type Suppression, suppressionOf } from '../../check/report/suppressions.js';
import { type Found, placeKey, suppressible } from './foundPlaces.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { Progress } from '../output/progress.js';

export interface MadeReports {
  readonly reports: readonly Report[];
  /** Leaks that are not to be reported. */
  readonly suppressed: number;
  /** What of the recording could not be looked at. */
  readonly lost?: string | undefined;
}

/** Leaks whose place is looked up. */
const MOST_LEAKS = 1000;

/** `judge`: what else there is to find, by looking back. */
export async function makeReports(path: string, run: { readonly found: readonly Found[]; readonly hasSuspicions: boolean; judge(debug: Debugger, work: Work): Promise<readonly Found[]> }, suppressions: readonly Suppression[]): Promise<MadeReports> {
  if (run.found.length === 0 && !run.hasSuspicions) return { reports: [], suppressed: 0 };
  const progress = new Progress('looking back');
  const work = { progress: (done: number, total: number) => progress.report(done / total), breathe: () => new Promise<void>((done) => setImmediate(done)) };
  const { debug, recording: { lost } } = await openedDebugger(path, work);
  const found = withoutConsequences([...run.found, ...(await run.judge(debug, work))]);
  const reporter = new Reporter(debug, work);
  const { kept, suppressed } = await leaksByPlace(reporter, found.filter(isLeak).slice(0, MOST_LEAKS), suppressions);
  const reports: Report[] = [];
  for (const { finding, again } of found.filter((one) => !isLeak(one))) reports.push(await reporter.report(finding, { count: again, bytes: 0 }));
  for (const [first, ...others] of kept) if (first !== undefined) reports.push(await reporter.report(first.finding, { count: others.length, bytes: bytesOf([first, ...others]) }));
  progress.clear();
  return { reports, suppressed, lost };
}

/** A crash right after what was found is what came of it: a return to an address that was overwritten, for example. */
function withoutConsequences(found: readonly Found[]): Found[] {
  const moments = found.filter(({ finding }) => finding.crash === undefined).map(({ finding }) => finding.moment);
  return found.filter(({ finding: { crash, moment: { time, tid, pid } } }) => crash === undefined || !moments.some((one) => one.tid === tid && one.pid === pid && (one.time === time || one.time === time - 1)));
}

function isLeak({ finding }: Found): boolean {
  return finding.occurrence.kind === 'exit';
}

/** In the order in which they were allocated, so that the recording is gone through once. */
async function leaksByPlace(reporter: Reporter, leaks: readonly Found[], suppressions: readonly Suppression[]): Promise<{ readonly kept: Found[][]; readonly suppressed: number }> {
  const places = new Map<string, Found[]>();
  let suppressed = 0;
  for (const leak of leaks.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const { block, firing } = leak.finding;
    const stack = block === undefined ? [] : await reporter.allocationStack(block);
    if (suppressionOf(suppressions, suppressible(leak.finding, stack)) !== undefined) suppressed++;
    else {
      const key = `${firing.rule} ${placeKey(stack)}`;
      places.set(key, [...(places.get(key) ?? []), leak]);
    }
  }
  return { kept: [...places.values()].toSorted((a, b) => bytesOf(b) - bytesOf(a)), suppressed };
}

function timeOf({ finding }: Found): number {
  return finding.block?.allocated.time ?? finding.moment.time;
}

function bytesOf(leaks: readonly Found[]): number {
  return leaks.reduce((sum, { finding }) => sum + (finding.block?.size ?? 0), 0);
}
