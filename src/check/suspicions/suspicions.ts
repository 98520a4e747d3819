/**
 * What looked strange while the program ran, but may be right: whether it is can only be seen by looking back, which is
 * done afterwards, in the recording (judge.ts). Until then the program goes on.
 */
import type { GuestAddr } from '../../base/types.js';

/** A `ret` that led to where no call comes from. Its thread was about to execute it at that time. */
export interface SuspiciousReturn {
  readonly kind: 'return';
  readonly time: number;
  readonly tid: number;
  readonly pid: number;
  /** Where the `ret` is, and where it takes the address from. */
  readonly rip: number;
  readonly slot: GuestAddr;
}

export type Suspicion = SuspiciousReturn;

/** Of one instruction, and altogether. */
const MOST_ALIKE = 4;
const MOST = 256;

/** Notes the first few of each kind and place. */
export class Suspicions {
  readonly noted: Suspicion[] = [];
  private readonly alike = new Map<string, number>();

  note(suspicion: Suspicion): void {
    const key = `${suspicion.kind} ${suspicion.rip}`;
    const before = this.alike.get(key) ?? 0;
    if (before >= MOST_ALIKE || this.noted.length >= MOST) return;
    this.alike.set(key, before + 1);
    this.noted.push(suspicion);
  }
}
