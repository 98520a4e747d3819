/**
 * Work that is written once and driven in two ways. It is a generator that yields wherever it may pause, and says how
 * much is done. `atOnce` drives it without promises, for scripts that ask in the middle of an expression; `withPauses`
 * lets others run at each pause.
 */
import { breathe, Cancelled, type Work } from './work.js';

/** Instructions that are done, of so many. Undefined: done on the way to something else, which tells nothing. */
type Pause = { readonly done: number; readonly total: number } | undefined;
export type Steps<T> = Generator<Pause, T, void>;
/** Work that cannot pause. */
export type WorkAtOnce = Pick<Work, 'progress' | 'isCancelled'>;

export function atOnce<T>(steps: Steps<T>, work: WorkAtOnce = {}): T {
  let step = steps.next();
  while (step.done !== true) {
    if (step.value !== undefined) work.progress?.(step.value.done, step.value.total);
    step = work.isCancelled?.() === true ? steps.throw(new Cancelled()) : steps.next();
  }
  return step.value;
}

export async function withPauses<T>(steps: Steps<T>, work: Work | undefined): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    try {
      await breathe(work, step.value?.done, step.value?.total);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next();
  }
  return step.value;
}

/** The same work, of which nothing is told. */
export function untold<T>(steps: Steps<T>): Steps<T> {
  return told(steps, () => undefined);
}

/** The same work as a part of some other: what it does counts from `begin` on, and `length` of it, of a `total`. */
export function asPart<T>(steps: Steps<T>, begin: number, length: number, total: number): Steps<T> {
  return told(steps, (pause) => pause && { done: begin + Math.min(1, pause.done / pause.total) * length, total });
}

function* told<T>(steps: Steps<T>, change: (pause: Pause) => Pause): Steps<T> {
  try {
    let step = steps.next();
    while (step.done !== true) {
      yield change(step.value);
      step = steps.next();
    }
    return step.value;
  } finally {
    // Nothing happens if it is done. Work that was given up tidies up.
    steps.return(undefined as never);
  }
}
