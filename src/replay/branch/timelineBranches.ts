/** Branches of a recording that are looked at through a timeline. */
import type { Host } from '../../host/host.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { machineOf } from '../../linux/processes/forkProcess.js';
import type { GuestEngine } from '../../linux/tasks/machine.js';
import type { World } from '../../linux/world.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Engine } from '../../machine/engine.js';
import type { EngineOptions } from '../../machine/engineOptions.js';
import { type Machine, MachinePool } from '../../machine/machinePool.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import { LOG_START } from '../log/eventLog.js';
import type { PlayerOptions, PlayerState } from '../play/player.js';
import type { Position } from '../log/position.js';
import { releaseWorld } from '../play/worldState.js';
import type { Timeline } from '../timeline/timeline.js';
import type { Work } from '../timeline/work.js';
import { Branch, type BranchOrigin } from './branch.js';
import type { BranchMaker, SuppressedBranch, SuppressionRequest } from './branchExecution.js';
import { BranchLog } from './branchLog.js';
import { BranchTimeline } from './branchTimeline.js';
import { FileChanges } from './fileChanges.js';
import { Follower } from './follower.js';
import { LiveBranch } from './liveBranch.js';
import { type BranchParts, RecordedBranch, type RunBranch } from './recordedBranch.js';
import { Suppression } from './suppression/suppression.js';

/** What checkpoints of a branch may take beside those of the recording. */
const BRANCH_MEMORY = 128 * 1024 * 1024;

export class TimelineBranches implements BranchOrigin, BranchMaker, BranchParts {
  readonly log: PlayerOptions['log'];
  /** Making an address space takes long: those of dropped branches serve again. */
  private readonly machines = new MachinePool();
  /** Of some branch: it has translations that others can use. */
  private engine: Engine | undefined;
  private changes: FileChanges | undefined;
  private coreModule: Uint8Array<ArrayBuffer> | undefined;
  /** Branches begin one after the other: the timeline goes to where they do. */
  private lastBegun: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly timeline: Timeline,
    /** Those that the timeline was made with. */
    private readonly options: PlayerOptions,
    readonly host: Host,
  ) {
    this.log = options.log;
  }

  /** A branch that starts there. The timeline stays where it is. */
  async at(position: Position): Promise<Branch> {
    return Branch.at(this, position);
  }

  async trialAt(position: Position): Promise<Branch> {
    return this.at(position);
  }

  async branchAt(position: Position, work?: Work): Promise<RecordedBranch> {
    return RecordedBranch.at(this, position, work);
  }

  /** A branch whose log can be replayed, and the timeline of it. */
  async begin(start: Position, work: Work | undefined): Promise<RunBranch> {
    const begun = this.lastBegun.then(() => this.beginNow(start, work));
    this.lastBegun = begun.catch(() => undefined);
    return begun;
  }

  async suppressedAt({ start, points, guide, limit }: SuppressionRequest, work?: Work): Promise<SuppressedBranch> {
    let suppression: Suppression | undefined;
    const parts: BranchParts = {
      begin: async (from) => {
        const prepare = (branch: Branch): void => {
          suppression = new Suppression(guide, () => branch.time);
          branch.suppress(suppression, points);
        };
        const begun = this.lastBegun.then(() => this.beginNow(from, work, { prepare, limit }));
        this.lastBegun = begun.catch(() => undefined);
        return begun;
      },
      giveBack: (run) => this.giveBack(run),
    };
    const branch = await RecordedBranch.at(parts, start, work);
    guide.begin(branch.state);
    await branch.runToEnd(work);
    return { branch, leftOut: suppression?.leftOut ?? [], remarks: [...(suppression?.remarks ?? [])] };
  }

  private async beginNow(start: Position, work: Work | undefined, suppressed?: { readonly prepare: (branch: Branch) => void; readonly limit: number }): Promise<RunBranch> {
    const { options, timeline: { store } } = this;
    const state = await this.timeline.save(start, work);
    const branchLog = new BranchLog(options.blobs);
    const follower = this.newFollower(state);
    // What it has looked at of the recording by now belongs to the beginning.
    const begun: PlayerState = { ...follower.save(store), place: LOG_START, expected: false };
    follower.world.forgetHistory();
    releaseWorld(state.world);
    const branch = Branch.recorded(this, start, follower, branchLog);
    const live = new LiveBranch(branch, suppressed?.limit);
    suppressed?.prepare(branch);
    const timeline = new BranchTimeline({
      ...options, log: branchLog.log, blobs: branchLog, engine: this.engineOptions(), machines: this.machines, engineLike: this.engine,
      start: { state: begun, store }, checkpointMemory: store.bytes + BRANCH_MEMORY, stored: undefined, searchers: undefined,
    }, live);
    releaseWorld(begun.world);
    return { live, timeline };
  }

  giveBack({ live, timeline }: RunBranch): void {
    live.branch.drop();
    timeline.dispose();
    this.takeBack([...timeline.player.world.spaces.values()], undefined);
  }

  fileChanges(): FileChanges {
    this.changes ??= new FileChanges(this.log);
    return this.changes;
  }

  async followerAt(position: Position): Promise<Follower> {
    const state = await this.timeline.save(position);
    const follower = this.newFollower(state);
    follower.world.forgetHistory();
    releaseWorld(state.world);
    return follower;
  }

  private newFollower(state: PlayerState): Follower {
    const follower = new Follower({ ...this.options, engine: this.engineOptions(), machines: this.machines, engineLike: this.engine });
    follower.restore(state, this.timeline.store);
    this.engine ??= follower.space?.engine;
    return follower;
  }

  takeBack(spaces: readonly PlayedSpace[], world: World | undefined): void {
    const { machines } = this;
    const used = new Set<AddressSpace>();
    const give = (machine: Machine, engine: GuestEngine): void => {
      if (used.has(machine.space)) return;
      used.add(machine.space);
      machine.space.witness = undefined;
      machines.give(machine, engine);
    };
    for (const machine of world?.machines.drain() ?? []) {
      used.add(machine.space);
      machine.space.witness = undefined;
      machines.add(machine);
    }
    for (const { machine } of world?.processes ?? []) give(machineOf(machine), machine.engine);
    for (const { machine, engine } of spaces) give(machine, engine);
  }

  /** It takes a while to build. */
  private engineOptions(): EngineOptions {
    const { engine } = this.options;
    if (engine.coreModule !== undefined) return engine;
    this.coreModule ??= buildCoreModule();
    return { ...engine, coreModule: this.coreModule };
  }
}
