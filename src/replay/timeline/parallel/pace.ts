/**
 * When a search should be helped with. Searchers have to be started and to translate the program's code before they are
 * of use, which takes about a second, and how long a search takes depends on the program and on how much it finds. So
 * we begin alone, and look.
 */
export interface Pace {
  /** So many instructions were searched since the pace was taken up, and so many are left. */
  needsHelp(done: number, left: number): boolean;
}

/** Milliseconds that we search alone in any case, and that it would have to take to its end. */
const ALONE_AT_FIRST = 600;
const LONG = 2500;
/** How long the pace is measured. It is slow at the beginning, when code is translated. */
const SAMPLE = 250;

/** By the clock, from now on. */
export function timedPace(now: () => number): Pace {
  const began = now();
  let [time, instructions, perMillisecond] = [began, 0, Infinity];
  return {
    needsHelp: (done, left) => {
      const [present, elapsed] = [now(), now() - time];
      if (elapsed >= SAMPLE) [time, instructions, perMillisecond] = [present, done, (done - instructions) / elapsed];
      return present - began >= ALONE_AT_FIRST && left / perMillisecond >= LONG;
    },
  };
}

/** By numbers of instructions, where there is no clock. */
export function countedPace(aloneAtFirst = 100_000_000, worthIt = 400_000_000): Pace {
  return { needsHelp: (done, left) => done >= aloneAtFirst && left >= worthIt };
}
