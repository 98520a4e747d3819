/** Long work that can be watched and given up. */
export interface Work {
  /** Told now and then how much is done: instructions, of so many. */
  progress?(done: number, total: number): void;
  /** Asked now and then; true ends the work with a Cancelled. */
  isCancelled?(): boolean;
  /** Lets others run, so that somebody can ask for the end. */
  breathe?(): Promise<void>;
}

/** The work was given up, as asked. */
export class Cancelled extends Error {
  override name = 'Cancelled';
  constructor() {
    super('cancelled');
  }
}

export async function breathe(work: Work | undefined, done: number, total: number): Promise<void> {
  if (work === undefined) return;
  work.progress?.(done, total);
  await work.breathe?.();
  if (work.isCancelled?.() === true) throw new Cancelled();
}
