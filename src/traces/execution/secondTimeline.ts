/**
 * Another timeline of the same recording, for what takes long and lets others run meanwhile: searches of traces are done at once, and would move the
 * first one away under somebody's feet. One at a time; opened when somebody needs it.
 */
import type { Timeline } from '../../replay/timeline/timeline.js';

export class SecondTimeline {
  private timeline: Timeline | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly open: () => Timeline) {}

  /** When those before are done. */
  async use<T>(action: (timeline: Timeline) => Promise<T>): Promise<T> {
    const done = this.last.then(() => {
      this.timeline ??= this.open();
      return action(this.timeline);
    });
    this.last = done.catch(() => undefined);
    return done;
  }
}
