/** Where a run crashed: the first of its processes that a signal of its own making ended. */
import { signalName, signalMessage } from '../../base/signalNames.js';
import { SIG } from '../../base/signalNumbers.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import type { BlamedFailure } from '../blameReport.js';
import { placeOf } from '../frames.js';
import { type BlamedRun, viewAt } from '../run.js';

export interface FoundCrash {
  readonly signal: number;
  /** Right before the signal takes effect: of a fault, before the instruction that could not be executed. */
  readonly position: Position;
  readonly thread: number;
  readonly isFault: boolean;
  readonly said: BlamedFailure;
}

const CRASHES: ReadonlySet<number> = new Set([SIG.ILL, SIG.TRAP, SIG.ABRT, SIG.BUS, SIG.FPE, SIG.SEGV, SIG.SYS]);

/** Undefined if no process crashed. The execution moves. */
export async function crashIn(run: BlamedRun, work?: Work): Promise<FoundCrash | undefined> {
  const { execution } = run;
  const end = firstCrash(execution);
  if (end === undefined) return undefined;
  await execution.seek(at(end.time), work);
  const hit = await execution.backward([{ kind: 'signal', signals: [end.signal] }], work);
  if (hit === undefined) return undefined;
  const { position, task: thread, isFault = false } = hit;
  const view = await viewAt(run, position, thread, work);
  if (view === undefined) return undefined;
  const { signal } = end;
  const said: BlamedFailure = {
    kind: signal === SIG.ABRT ? 'abort' : 'crash', name: signalName(signal), message: signalMessage(signal), place: placeOf(view), time: position.time,
  };
  return { signal, position, thread, isFault, said };
}

function firstCrash({ log }: Execution): { readonly time: number; readonly signal: number } | undefined {
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const effect of event.effects) {
      if (effect.op === 'processEnd' && CRASHES.has(effect.signal)) return { time: event.time, signal: effect.signal };
    }
  }
  return undefined;
}
