/** What code writes down while it runs, for those who observe it (executionLog.ts, spotLog.ts). */
import type { BlockPass } from '../../ir/blockPass.js';

export interface Log {
  /** Makes code that writes it. */
  readonly pass: BlockPass;
  /**
   * The block that was entered last was left before its last `unretired` instructions. `retired`: instructions until
   * then.
   */
  left(unretired: number, retired: number): void;
  /** Tells all that is in it. `retired`: instructions until now. */
  drain(retired: number): void;
  /** From now on the ticks that are left, taken off `time`, are the instructions that were retired. */
  ticksAreOf?(time: number): void;
  /** It is not written any more. */
  close?(): void;
}
