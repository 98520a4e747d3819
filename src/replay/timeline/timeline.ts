/** A recorded execution as a whole: its state at any time, and searches through it in both directions. */
import { UserError } from '../../base/errors.js';
import type { GuestAddr } from '../../base/types.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { PageStore } from '../../machine/snapshots/pageStore.js';
import { returnsIn } from '../../x86/returns.js';
import { type EventLog, LOG_START } from '../log/eventLog.js';
import { Player, type PlayerOptions, type PlayerState } from '../play/player.js';
import { at, type Position } from '../log/position.js';
import { releaseWorld } from '../play/worldState.js';
import type { StoredCheckpoints } from '../checkpointStore/storedCheckpoints.js';
import { countedPace, type Pace, timedPace } from './parallel/pace.js';
import { ParallelTimeline } from './parallel/parallelTimeline.js';
import type { Searchers } from './parallel/searchers.js';
import { BlockAddresses, type ShownBlock } from './blockAddresses.js';
import { Checkpoints } from './checkpoints.js';
import { type Condition, type Hit, type HitFilter, type MemoryRange, memoryRange } from './conditions.js';
import type { Execution } from './execution.js';
import { type ExecutionListener, observe, type Observed } from './observing.js';
import type { HitListener } from './scan.js';
import { SearchDriver } from './searchDriver.js';
import { type Help, Searching } from './searching.js';
import { State } from './state.js';
import { withPauses } from './steps.js';
import { Transfers } from './transfers.js';
import { Cancelled, quietly, type Work } from './work.js';

export interface TimelineOptions extends PlayerOptions {
  /** Bytes that checkpoints may take. */
  readonly checkpointMemory?: number | undefined;
  /** Instructions between two checkpoints, as long as there is memory for them. */
  readonly checkpointInterval?: number | undefined;
  /** Where the log begins, if not at time 0: the state there, whose pages are in `store`. */
  readonly start?: { readonly state: PlayerState; readonly store: PageStore };
  /** Checkpoints that the recording has. */
  readonly stored?: StoredCheckpoints | undefined;
  /** Who helps with long searches. */
  readonly searchers?: Searchers | undefined;
  /** When they are asked for help, in instructions; if it is not said, the clock decides (`now`). */
  readonly parallel?: { readonly aloneAtFirst: number; readonly worthIt: number; readonly smallestPiece: number };
}

function plainRange(space: AddressSpace, { start, end }: MemoryRange): MemoryRange {
  return memoryRange(space.plainAddress(start), end - start);
}

export class Timeline implements Execution {
  readonly player: Player;
  readonly store: PageStore;
  readonly checkpoints: Checkpoints;
  readonly start: Position;
  readonly driver: SearchDriver;
  protected readonly searching: Searching;
  readonly transfers: Transfers;
  private readonly blockAddresses: BlockAddresses;

  constructor(private readonly options: TimelineOptions) {
    const { start } = options;
    this.player = new Player(options);
    this.store = start?.store ?? new PageStore();
    const loaded = options.stored?.into(this.store);
    const source = loaded === undefined ? undefined : { times: loaded.times, load: (index: number) => loaded.load(index, this.player.world), trim: () => loaded.trim() };
    this.checkpoints = new Checkpoints(this.store, { budget: options.checkpointMemory, interval: options.checkpointInterval, source });
    if (start === undefined) this.player.advance(LOG_START.time);
    else this.player.restore(start.state, start.store);
    // Where nothing has happened yet that is still to be written.
    this.start = start === undefined ? this.player.position : at(start.state.time, start.state.doneHere);
    this.checkpoints.add(this.player, 'due', this.start);
    this.blockAddresses = new BlockAddresses(options.log);
    this.transfers = new Transfers(options.log);
    this.driver = new SearchDriver(this);
    this.searching = new Searching(this.driver, this.helpFrom(options));
  }

  get log(): EventLog {
    return this.options.log;
  }

  /** Instructions of the whole execution. */
  get endTime(): number {
    return this.log.endTime;
  }

  get position(): Position {
    return this.player.position;
  }

  /** Makes `position` the one whose state can be looked at. */
  async seek(position: Position, work?: Work): Promise<void> {
    this.check(position);
    await this.keepingPlace(work, async () => {
      await this.approach(position, work);
    });
  }

  /** What the program is at `position`, where the timeline then stands. */
  async stateAt(position: Position, work?: Work): Promise<State> {
    await this.seek(position, work);
    return this.state;
  }

  /** What the program is where the timeline stands. */
  get state(): State {
    return new State(this.player.world, this.position);
  }

  /** For searches: where the function at [start, end) returns. (It is entered at its address.) */
  functionExits({ start, end }: MemoryRange): Condition {
    const code = this.player.space?.machine.space.peek(start, end - start);
    return { kind: 'address', addresses: code === undefined || code === null ? [] : returnsIn(code, start) };
  }

  /** Right before the last thing that happened: where the program ended or crashed. */
  async seekEnd(work?: Work): Promise<void> {
    await this.seek(await withPauses(this.driver.findEnd(this.endTime), work), quietly(work));
  }

  /** The first hit after the position, where it stands then. Undefined: none, and it stands at the end. */
  async forward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    const wanted = this.meant(conditions);
    return this.keepingPlace(work, async () => {
      const hit = await this.firstAfter(this.position, wanted, work, filter);
      await this.approach(hit?.position ?? at(this.endTime), quietly(work));
      return hit;
    });
  }

  /** The last hit before the position, where it stands then. Undefined: none, and it stands at the start. */
  async backward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined> {
    const wanted = this.meant(conditions);
    return this.keepingPlace(work, async () => {
      const hit = await this.searching.last(wanted, { from: this.start, to: this.position }, work, filter);
      await this.approach(hit?.position ?? this.start, quietly(work));
      return hit;
    });
  }

  meaning(ranges: readonly MemoryRange[], thread?: number): readonly MemoryRange[] {
    const space = (thread === undefined ? undefined : this.state.space(thread)) ?? this.player.space?.machine.space;
    return this.blockAddresses.withEarlier(space === undefined ? ranges : ranges.map((range) => plainRange(space, range)));
  }

  blocksAt(addresses: readonly GuestAddr[], before: number): ReadonlyMap<GuestAddr, ShownBlock> {
    return this.blockAddresses.lastAt(addresses, before);
  }

  async lastBlock(address: GuestAddr, position: Position = this.position, work?: Work): Promise<Hit | undefined> {
    return this.lastBefore(position, { kind: 'block', addresses: [address] }, work);
  }

  /** Who wrote last to one of the bytes before `position` (default: where it stands). The position stays. */
  async lastWrite(ranges: readonly MemoryRange[], position: Position = this.position, work?: Work): Promise<Hit | undefined> {
    return this.lastBefore(position, { kind: 'memory', access: 'write', ranges }, work);
  }

  /** Who accesses one of the bytes next after `position`. The position stays. */
  async nextAccess(ranges: readonly MemoryRange[], position: Position = this.position, work?: Work): Promise<Hit | undefined> {
    const wanted = this.meant([{ kind: 'memory', access: 'access', ranges }]);
    return this.visiting(work, () => this.firstAfter(position, wanted, work));
  }

  /** Everything that meets the conditions between two positions, in order. The position stays. */
  async all(conditions: readonly Condition[], from: Position = this.start, to: Position = at(this.endTime), work?: Work): Promise<Hit[]> {
    const hits: Hit[] = [];
    await this.each(conditions, (hit) => (hits.push(hit), 'go on'), from, to, work);
    return hits;
  }

  /** The same one by one, until `listener` has seen enough: there may be millions. */
  async each(conditions: readonly Condition[], listener: HitListener, from: Position = this.start, to: Position = at(this.endTime), work?: Work): Promise<void> {
    const wanted = this.meant(conditions);
    await this.visiting(work, () => this.searching.each(wanted, listener, { from, to }, work));
  }

  async observe(what: Observed, listener: ExecutionListener, from: Position = this.start, to: Position = at(this.endTime), work?: Work): Promise<void> {
    await this.visiting(work, () => withPauses(observe(this, what, listener, { from, to }), work));
  }

  /** Everything at `position`, for another player with the same store. To be released. The position stays. */
  async save(position: Position, work?: Work): Promise<PlayerState> {
    this.check(position);
    return this.visiting(work, async () => {
      await this.approach(position, work);
      return this.player.save(this.store);
    });
  }

  private check({ time }: Position): void {
    const { start, endTime } = this;
    if (time < start.time || time > endTime || !Number.isInteger(time)) throw new UserError(`no such time: ${time}; there are times from ${start.time} to ${endTime}`);
  }

  /** Searches forward from `position`, as far as there is something. */
  protected async firstAfter(position: Position, conditions: readonly Condition[], work: Work | undefined, filter?: HitFilter): Promise<Hit | undefined> {
    return this.searching.first(conditions, { from: position, to: at(this.endTime) }, work, filter);
  }

  private async lastBefore(position: Position, condition: Condition, work: Work | undefined): Promise<Hit | undefined> {
    const wanted = this.meant([condition]);
    return this.visiting(work, () => this.searching.last(wanted, { from: this.start, to: position }, work));
  }

  /** Conditions with addresses that are good at all times, however they are asked for where it stands. */
  private meant(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.map((condition) => (condition.kind === 'memory' ? { ...condition, ranges: this.meaning(condition.ranges, condition.thread) } : condition));
  }

  /** If it is given up it stands somewhere. */
  protected async approach(position: Position, work: Work | undefined): Promise<void> {
    await withPauses(this.driver.approach(position), work);
  }

  private helpFrom({ searchers, parallel, now }: TimelineOptions): Help | undefined {
    if (searchers === undefined) return undefined;
    const pace = (): Pace => (parallel === undefined && now !== undefined ? timedPace(now) : countedPace(parallel?.aloneAtFirst, parallel?.worthIt));
    return { parallel: new ParallelTimeline(this, searchers, parallel?.smallestPiece), pace };
  }

  /** If the work is given up, everything is as before. */
  protected async keepingPlace<T>(work: Work | undefined, action: () => Promise<T>): Promise<T> {
    if (work?.isCancelled === undefined) return action();
    const home = this.player.save(this.store);
    try {
      return await action();
    } catch (error) {
      if (error instanceof Cancelled) this.player.restore(home, this.store);
      throw error;
    } finally {
      releaseWorld(home.world);
    }
  }

  /** Goes elsewhere and comes back. */
  protected async visiting<T>(_work: Work | undefined, action: () => Promise<T>): Promise<T> {
    const home = this.player.save(this.store);
    try {
      return await action();
    } finally {
      this.player.restore(home, this.store);
      releaseWorld(home.world);
    }
  }
}
