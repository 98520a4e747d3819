/**
 * A branch together with what of its recording was before it: one execution from the program's start on, so that what
 * goes back in a branch does not end where the branch begins.
 */
import type { GuestAddr } from '../../base/types.js';
import type { EventLog } from '../log/eventLog.js';
import { comparePositions, type Position } from '../log/position.js';
import type { ShownBlock } from '../timeline/blockAddresses.js';
import type { Condition, Hit, HitFilter, MemoryRange } from '../timeline/conditions.js';
import type { Execution } from '../timeline/execution.js';
import type { ExecutionListener, Observed } from '../timeline/observing.js';
import type { HitListener } from '../timeline/scan.js';
import type { SearchDriver } from '../timeline/searchDriver.js';
import type { State } from '../timeline/state.js';
import type { Work } from '../timeline/work.js';

export class JoinedExecution implements Execution {
  /** The part that it stands in. */
  private standing: Execution;

  constructor(
    private readonly recording: Execution,
    private readonly branch: Execution,
  ) {
    this.standing = branch;
  }

  get start(): Position {
    return this.recording.start;
  }

  get position(): Position {
    return this.standing.position;
  }

  get endTime(): number {
    return this.branch.endTime;
  }

  get state(): State {
    return this.standing.state;
  }

  /** Of the branch. */
  get log(): EventLog {
    return this.branch.log;
  }

  get driver(): SearchDriver {
    return this.standing.driver;
  }

  async seek(position: Position, work?: Work): Promise<void> {
    this.standing = this.partAt(position);
    await this.standing.seek(position, work);
  }

  async seekEnd(work?: Work): Promise<void> {
    this.standing = this.branch;
    await this.branch.seekEnd(work);
  }

  async forward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    if (this.standing === this.recording) {
      const { start } = this.branch;
      const end: Condition = { kind: 'time', time: start.time };
      const isEnd = ({ position }: Hit): boolean => position.time >= start.time;
      const hit = await this.recording.forward([...conditions, end], work, bounded(filter, isEnd));
      if (hit !== undefined && !isEnd(hit)) return hit;
      this.standing = this.branch;
      await this.branch.seek(start, work);
    }
    return this.branch.forward(conditions, work, filter);
  }

  async backward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    if (this.standing === this.branch) {
      const hit = await this.branch.backward(conditions, work, filter);
      if (hit !== undefined) return hit;
      this.standing = this.recording;
      await this.recording.seek(this.branch.start, work);
    }
    return this.recording.backward(conditions, work, filter);
  }

  meaning(ranges: readonly MemoryRange[], thread?: number): readonly MemoryRange[] {
    return this.standing.meaning(ranges, thread);
  }

  blocksAt(addresses: readonly GuestAddr[], before: number): ReadonlyMap<GuestAddr, ShownBlock> {
    const { time } = this.branch.start;
    const old = this.recording.blocksAt(addresses, Math.min(before, time));
    return before <= time ? old : new Map([...old, ...this.branch.blocksAt(addresses, before)]);
  }

  async lastBlock(address: GuestAddr, position = this.position, work?: Work): Promise<Hit | undefined> {
    return this.newest(position, (part, from) => part.lastBlock(address, from, work));
  }

  async lastWrite(ranges: readonly MemoryRange[], position = this.position, work?: Work): Promise<Hit | undefined> {
    return this.newest(position, (part, from) => part.lastWrite(ranges, from, work));
  }

  async nextAccess(ranges: readonly MemoryRange[], position = this.position, work?: Work): Promise<Hit | undefined> {
    const { start } = this.branch;
    if (this.partAt(position) === this.branch) return this.branch.nextAccess(ranges, position, work);
    const hit = await this.recording.nextAccess(ranges, position, work);
    return hit !== undefined && comparePositions(hit.position, start) < 0 ? hit : this.branch.nextAccess(ranges, start, work);
  }

  async observe(what: Observed, listener: ExecutionListener, from = this.start, to?: Position, work?: Work): Promise<void> {
    await this.eachPart(from, to, (part, first, last) => part.observe(what, listener, first, last, work));
  }

  async each(conditions: readonly Condition[], listener: HitListener, from = this.start, to?: Position, work?: Work): Promise<void> {
    let isOver = false;
    const heard: HitListener = (hit) => {
      const answer = listener(hit);
      isOver ||= answer === 'stop';
      return answer;
    };
    await this.eachPart(from, to, async (part, first, last) => {
      if (!isOver) await part.each(conditions, heard, first, last, work);
    });
  }

  private partAt(position: Position): Execution {
    return comparePositions(position, this.branch.start) < 0 ? this.recording : this.branch;
  }

  /** The branch is asked first. */
  private async newest<T>(position: Position, ask: (part: Execution, from: Position) => Promise<T | undefined>): Promise<T | undefined> {
    if (this.partAt(position) === this.recording) return ask(this.recording, position);
    return (await ask(this.branch, position)) ?? ask(this.recording, this.branch.start);
  }

  private async eachPart(from: Position, to: Position | undefined, visit: (part: Execution, from: Position, to: Position | undefined) => Promise<void>): Promise<void> {
    const { start } = this.branch;
    const isBefore = comparePositions(from, start) < 0;
    const endsBefore = to !== undefined && comparePositions(to, start) <= 0;
    if (isBefore) await visit(this.recording, from, endsBefore ? to : start);
    if (!endsBefore) await visit(this.branch, isBefore ? start : from, to);
  }
}

/** A filter that accepts where a part ends, whatever else it accepts. */
function bounded(filter: HitFilter | undefined, isEnd: (hit: Hit) => boolean): HitFilter {
  return {
    ...(filter?.begins === undefined ? {} : { begins: (state: State) => filter.begins?.(state) }),
    accepts: (hit, state) => isEnd(hit) || (filter === undefined ? true : filter.accepts(hit, state)),
  };
}
