/**
 * Corruption that has no consequences, exposed: the recorded program is run in one layout after the other until one of
 * them ends in another way than the recorded run did, or a pattern behind a variable was written over.
 */
import { type LaidOutRun, type LayoutSettings, layoutsFor, type ProgramLayouts, runLayout } from '../../check/program/layoutRuns.js';
import type { RecordedProgram } from '../../check/program/checkRecording.js';

interface ExposingRun {
  readonly layout: ProgramLayouts['layouts'][number];
  readonly run: LaidOutRun;
  /** `crash`: a process ended by a signal that none ended by before; `pattern`: memory between variables changed. */
  readonly by: 'crash' | 'pattern';
}

interface ExposureSettings extends LayoutSettings {
  /** Signals by which processes of the recorded run ended: those expose nothing. */
  readonly known?: readonly number[];
  /** Runs at most; default: all layouts. */
  readonly mostRuns?: number;
}

interface Exposure {
  /** Undefined: no layout shows anything. */
  readonly exposing: ExposingRun | undefined;
  readonly runs: number;
  /** Layouts that were not run. */
  readonly left: number;
  readonly unmovable: ProgramLayouts['unmovable'];
  readonly remarks: readonly string[];
}

export async function exposedCorruption(recorded: RecordedProgram, settings: ExposureSettings): Promise<Exposure> {
  const { known = [], mostRuns = Infinity } = settings;
  const plan = layoutsFor(recorded, settings);
  const remarks = new Set(plan.remarks);
  let runs = 0;
  for (const layout of plan.layouts.slice(0, mostRuns)) {
    const run = await runLayout(recorded, plan, layout, settings);
    runs++;
    for (const line of run.remarks) remarks.add(line);
    const by = run.crashes.some(({ signal }) => !known.includes(signal)) ? 'crash' : run.broken.length > 0 ? 'pattern' : undefined;
    if (by !== undefined) return { exposing: { layout, run, by }, runs, left: plan.layouts.length - runs, unmovable: plan.unmovable, remarks: [...remarks] };
  }
  return { exposing: undefined, runs, left: plan.layouts.length - runs, unmovable: plan.unmovable, remarks: [...remarks] };
}
