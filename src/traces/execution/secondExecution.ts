/**
 * Another replay of the same execution, for what takes long and lets others run meanwhile: searches of traces are done
 * at once, and would move it away in the middle of such work. One task at a time; opened when the first one needs it.
 */
import type { Execution } from '../../replay/timeline/execution.js';

export class SecondExecution {
  /** Once it has been used. */
  opened: Execution | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly open: () => Execution | Promise<Execution>) {}

  /** When those before are done. */
  async use<T>(action: (execution: Execution) => Promise<T>): Promise<T> {
    const done = this.last.then(async () => {
      this.opened ??= await this.open();
      return action(this.opened);
    });
    this.last = done.catch(() => undefined);
    return done;
  }
}
