/** Long work that can be watched and given up. */
export interface Work {
  /** Told now and then how much is done: instructions, of so many; 0 if that is not known. */
  progress?(done: number, total: number): void;
  /** Asked now and then; true ends the work with a Cancelled. */
  isCancelled?(): boolean;
  /** Lets others run, so that the user can ask for the end. */
  breathe?(): Promise<void>;
}

/** The work was given up, as asked. */
export class Cancelled extends Error {
  override name = 'Cancelled';
  constructor() {
    super('cancelled');
  }
}

/** Without `done` nothing is told. */
export async function breathe(work: Work | undefined, done?: number, total = 0): Promise<void> {
  if (work === undefined) return;
  if (done !== undefined) work.progress?.(done, total);
  await work.breathe?.();
  if (work.isCancelled?.() === true) throw new Cancelled();
}

/** Work that is a part of some other: what it does counts from `begin` on, and `length` of it, of a `total`. */
export function partOf(work: Work | undefined, begin: number, length: number, total: number): Work | undefined {
  if (work?.progress === undefined) return work;
  return { ...quietly(work), progress: (done, all) => work.progress?.(begin + (all === 0 ? 0 : Math.min(1, done / all) * length), total) };
}

/** Work of which nothing is told: it is done on the way to something else. It can be given up all the same. */
export function quietly(work: Work | undefined): Work | undefined {
  if (work === undefined) return undefined;
  return {
    ...(work.isCancelled === undefined ? {} : { isCancelled: () => work.isCancelled?.() === true }),
    ...(work.breathe === undefined ? {} : { breathe: async () => work.breathe?.() }),
  };
}
