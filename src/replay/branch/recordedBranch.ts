/**
 * A branch that can be gone through in both directions (branchExecution.ts). It runs with its events being written to a
 * log (branchLog.ts), some way ahead of its reader; everything that is seen of it comes from a timeline over that log.
 *
 * To alter it before the place that it has run to, a second one is run from the start on, with the same alterations at
 * the same times, up to there: a branch is the same whenever it is run.
 */
import { assert } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { type GuestAddr, guestAddr, time } from '../../base/types.js';
import type { EventLog } from '../log/eventLog.js';
import type { PlayedWorld } from '../play/playedWorld.js';
import { at, comparePositions, type Position } from '../log/position.js';
import type { ShownBlock } from '../timeline/blockAddresses.js';
import type { Condition, Hit, HitFilter, MemoryRange } from '../timeline/conditions.js';
import type { ExecutionListener, Observed } from '../timeline/observing.js';
import type { HitListener } from '../timeline/scan.js';
import type { SearchDriver } from '../timeline/searchDriver.js';
import type { State } from '../timeline/state.js';
import type { Work } from '../timeline/work.js';
import type { Alteration } from './alterations.js';
import type { BranchEnd, BranchExecution, BranchOutput, FunctionCall, FunctionResult } from './branchExecution.js';
import type { BranchTimeline } from './branchTimeline.js';
import type { Departure } from './follower.js';
import { callFunction } from './functionCall.js';
import type { LiveBranch } from './liveBranch.js';
import { nextUncertain } from './nextJump.js';

/** A branch that has been run, and what can be seen of it. */
export interface RunBranch {
  readonly live: LiveBranch;
  readonly timeline: BranchTimeline;
}

/** Makes and takes back what branches consist of. */
export interface BranchParts {
  begin(start: Position, work: Work | undefined): Promise<RunBranch>;
  giveBack(run: RunBranch): void;
}

/** Those that can be done as they are. */
export type PlainAlteration = Exclude<Alteration, { kind: 'flip' }>;

interface Done {
  readonly alteration: PlainAlteration;
  /** Where it stood before. */
  readonly before: Position;
}

export class RecordedBranch implements BranchExecution {
  /** In order. */
  private alterations: Done[] = [];
  private dropped = false;

  private constructor(
    private readonly parts: BranchParts,
    readonly start: Position,
    private run: RunBranch,
  ) {}

  static async at(parts: BranchParts, start: Position, work?: Work): Promise<RecordedBranch> {
    return new RecordedBranch(parts, start, await parts.begin(start, work));
  }

  get position(): Position {
    return this.timeline.position;
  }

  get endTime(): number {
    return this.timeline.endTime;
  }

  get state(): State {
    return this.timeline.state;
  }

  get log(): EventLog {
    return this.timeline.log;
  }

  get driver(): SearchDriver {
    return this.timeline.driver;
  }

  get end(): BranchEnd | undefined {
    return this.run.live.end;
  }

  get departure(): Departure | undefined {
    return this.run.live.branch.departure;
  }

  get warnings(): readonly string[] {
    return this.run.live.branch.warnings;
  }

  get output(): readonly BranchOutput[] {
    const { time, done } = this.position;
    return this.run.live.branch.output.filter((one) => one.time < time || (one.time === time && done === Infinity));
  }

  /** Where it stands, to be compared. */
  get world(): PlayedWorld {
    return this.timeline.player.world;
  }

  async seek(position: Position, work?: Work): Promise<void> {
    await this.timeline.seek(position, work);
  }

  async seekEnd(work?: Work): Promise<void> {
    await this.timeline.seekEnd(work);
  }

  /** It is run to its end, which is known then; it stands where it is. */
  async runToEnd(work?: Work): Promise<void> {
    await this.timeline.runToEnd(work);
  }

  async forward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    return this.timeline.forward(conditions, work, filter);
  }

  async backward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    return this.timeline.backward(conditions, work, filter);
  }

  meaning(ranges: readonly MemoryRange[], thread?: number): readonly MemoryRange[] {
    return this.timeline.meaning(ranges, thread);
  }

  blocksAt(addresses: readonly GuestAddr[], before: number): ReadonlyMap<GuestAddr, ShownBlock> {
    return this.timeline.blocksAt(addresses, before);
  }

  async lastBlock(address: GuestAddr, position?: Position, work?: Work): Promise<Hit | undefined> {
    return this.timeline.lastBlock(address, position, work);
  }

  async lastWrite(ranges: readonly MemoryRange[], position?: Position, work?: Work): Promise<Hit | undefined> {
    return this.timeline.lastWrite(ranges, position, work);
  }

  async nextAccess(ranges: readonly MemoryRange[], position?: Position, work?: Work): Promise<Hit | undefined> {
    return this.timeline.nextAccess(ranges, position, work);
  }

  async observe(what: Observed, listener: ExecutionListener, from?: Position, to?: Position, work?: Work): Promise<void> {
    await this.timeline.observe(what, listener, from, to, work);
  }

  async each(conditions: readonly Condition[], listener: HitListener, from?: Position, to?: Position, work?: Work): Promise<void> {
    await this.timeline.each(conditions, listener, from, to, work);
  }

  async setRegister(thread: number, name: string, value: bigint): Promise<void> {
    await this.alter({ kind: 'register', thread, name, value });
  }

  async writeMemory(thread: number, address: number, bytes: Uint8Array): Promise<void> {
    await this.alter({ kind: 'memory', thread, address, bytes });
  }

  async skip(thread: number): Promise<void> {
    await this.alter({ kind: 'skip', thread });
  }

  async flip(work?: Work): Promise<void> {
    for (;;) {
      const thread = this.state.current?.id;
      if (thread === undefined) throw new UserError('no thread runs here');
      const rip = Number(this.state.register(thread, 'rip'));
      const step = nextUncertain(rip, (address, length) => this.state.read(thread, address, length));
      if (step !== undefined && step.address !== rip) {
        const hit = await this.forward([{ kind: 'address', addresses: [guestAddr(step.address)] }], work, { accepts: ({ task }) => task === thread });
        if (hit === undefined) throw new UserError('the branch ends before the next conditional jump');
      }
      const before = this.position.time;
      await this.forward([{ kind: 'time', time: time(before + 1) }], work);
      if (this.position.time === before) throw new UserError('the branch ends before the next conditional jump');
      if (step?.flow !== 'conditional') continue;
      const taken = this.state.register(thread, 'rip') === BigInt(step.target as number);
      await this.setRegister(thread, 'rip', BigInt(taken ? step.address + step.length : (step.target as number)));
      return;
    }
  }

  async callFunction(call: FunctionCall, work?: Work): Promise<bigint | undefined> {
    return (await this.call(call, work))?.rax;
  }

  async call(call: FunctionCall, work?: Work): Promise<FunctionResult | undefined> {
    return callFunction(this, call, work);
  }

  /** Makes an alteration where it stands. */
  async alter(alteration: PlainAlteration, work?: Work): Promise<void> {
    this.checkAlive();
    const { position } = this;
    if (this.isOverAt(position)) throw new UserError('the branch has ended: there is nothing to alter');
    if (!this.isAtFrontier) {
      const again = await this.runAgain(position, work);
      this.alterations = this.kept(position);
      this.parts.giveBack(this.run);
      this.run = again;
      await this.timeline.goToFrontier(work);
    }
    const before = at(this.timeline.player.time, this.timeline.player.eventsHere);
    await this.run.live.alter(alteration);
    this.alterations.push({ alteration, before });
    await this.timeline.goToFrontier(work);
  }

  async fork(work?: Work): Promise<RecordedBranch> {
    this.checkAlive();
    const { position } = this;
    const copy = new RecordedBranch(this.parts, this.start, await this.runAgain(position, work));
    copy.alterations = this.kept(position);
    await copy.timeline.goToFrontier(work);
    return copy;
  }

  drop(): void {
    if (this.dropped) return;
    this.dropped = true;
    this.parts.giveBack(this.run);
  }

  private get timeline(): BranchTimeline {
    this.checkAlive();
    return this.run.timeline;
  }

  private checkAlive(): void {
    if (this.dropped) throw new UserError('the branch has been dropped');
  }

  private isOverAt({ time }: Position): boolean {
    const { player } = this.timeline;
    return this.end !== undefined && player.next === undefined && time === this.endTime;
  }

  /** It looks at where it has run to: what is altered now is altered there. */
  private get isAtFrontier(): boolean {
    const { live, timeline: { player } } = this.run;
    return !live.isOver && player.time === live.branch.time && player.next === undefined;
  }

  private kept(position: Position): Done[] {
    return this.alterations.filter(({ before }) => comparePositions(before, position) < 0);
  }

  /** Another one that has run up to `position`. */
  private async runAgain(position: Position, work: Work | undefined): Promise<RunBranch> {
    const again = await this.parts.begin(this.start, work);
    for (const { alteration, before } of this.kept(position)) {
      await again.live.runTo(before.time, work);
      await again.live.alter(alteration);
    }
    await again.live.runTo(position.time, work);
    assert(again.live.branch.time === position.time, 'the same branch gets to the same place');
    return again;
  }

}
