/** The timeline of a branch: its log grows while its reader wants to see more of it. */
import { at, type Position } from '../log/position.js';
import type { Condition, Hit, HitFilter, MemoryRange } from '../timeline/conditions.js';
import type { ExecutionListener, Observed } from '../timeline/observing.js';
import { Timeline, type TimelineOptions } from '../timeline/timeline.js';
import type { Work } from '../timeline/work.js';

/** Who writes the log. */
export interface LogSource {
  /** Nothing comes any more. */
  readonly isOver: boolean;
  /** Writes some more. */
  runOn(work: Work | undefined): Promise<void>;
}

export class BranchTimeline extends Timeline {
  constructor(
    private readonly timelineOptions: TimelineOptions,
    private readonly source: LogSource,
  ) {
    super(timelineOptions);
  }

  /** All that happens up to this time is in the log: what happens at the very end of it may not be. */
  override get endTime(): number {
    const { endTime } = this.timelineOptions.log;
    return this.source.isOver ? endTime : Math.max(this.start.time, endTime - 1);
  }

  override async seek(position: Position, work?: Work): Promise<void> {
    await this.runAhead(position.time, work);
    await super.seek(position, work);
  }

  override async seekEnd(work?: Work): Promise<void> {
    await this.runAhead(Infinity, work);
    await super.seekEnd(work);
  }

  /** All that happens gets into the log; the place stays. */
  async runToEnd(work?: Work): Promise<void> {
    await this.runAhead(Infinity, work);
  }

  override async forward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    await this.runAhead(this.player.time, work);
    return super.forward(conditions, work, filter);
  }

  override async nextAccess(ranges: readonly MemoryRange[], position: Position = this.position, work?: Work): Promise<Hit | undefined> {
    await this.runAhead(position.time, work);
    return super.nextAccess(ranges, position, work);
  }

  override async observe(what: Observed, listener: ExecutionListener, from?: Position, to?: Position, work?: Work): Promise<void> {
    if (to !== undefined) await this.runAhead(to.time, work);
    await super.observe(what, listener, from, to, work);
  }

  /** Where the log ends, whether or not all is known that happens there. */
  async goToFrontier(work?: Work): Promise<void> {
    await this.approach(at(this.timelineOptions.log.endTime), work);
  }

  /** Its checkpoints are given back; it cannot be used any more. */
  dispose(): void {
    this.checkpoints.dispose();
    this.player.world.forgetHistory();
  }

  protected override async firstAfter(after: Position, conditions: readonly Condition[], work: Work | undefined, filter?: HitFilter): Promise<Hit | undefined> {
    for (let from = after; ; ) {
      const to = at(this.endTime);
      const hit = await this.searching.first(conditions, { from, to }, work, filter, after);
      if (hit !== undefined || this.source.isOver) return hit;
      await this.source.runOn(work);
      from = to;
    }
  }

  /** Until all is known that happens at `time`. */
  private async runAhead(time: number, work: Work | undefined): Promise<void> {
    while (!this.source.isOver && this.timelineOptions.log.endTime <= time) await this.source.runOn(work);
  }
}
