/** Recordings of which a part is lost: what commands say of that, and what they exit with. */
import { complain } from '../output/report.js';

/**
 * What sysexits.h calls EX_DATAERR: what was asked for could be done in part, because the recording is cut off or
 * damaged.
 */
export const EXIT_INCOMPLETE = 65;

export interface Usable {
  /** What of it cannot be used, and why, in one line; undefined if it is whole. */
  readonly lost: string | undefined;
}

/** Says it: once, before anything else. */
export function tellLoss({ lost }: Usable): void {
  if (lost !== undefined) complain(`culprit: ${lost}`);
}

/** What a command exits with that has done what it could. */
export function statusOn({ lost }: Usable, status: number): number {
  return lost !== undefined && status === 0 ? EXIT_INCOMPLETE : status;
}
