/** Branches of a recording that somebody looks at through a timeline. */
import type { Host } from '../../host/host.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { machineOf } from '../../linux/processes/forkProcess.js';
import type { GuestEngine } from '../../linux/tasks/machine.js';
import type { World } from '../../linux/world.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Engine, EngineOptions } from '../../machine/engine.js';
import { type Machine, MachinePool } from '../../machine/machinePool.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import type { PlayerOptions } from '../play/player.js';
import type { Position } from '../play/position.js';
import { releaseWorld } from '../play/worldState.js';
import type { Timeline } from '../timeline/timeline.js';
import { Branch, type BranchOrigin } from './branch.js';
import { FileChanges } from './fileChanges.js';
import { Follower } from './follower.js';

export class TimelineBranches implements BranchOrigin {
  readonly log: PlayerOptions['log'];
  /** Making an address space takes long: those of dropped branches serve again. */
  private readonly machines = new MachinePool();
  /** Of some branch: it has translations that others can use. */
  private engine: Engine | undefined;
  private changes: FileChanges | undefined;
  private coreModule: Uint8Array<ArrayBuffer> | undefined;

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

  fileChanges(): FileChanges {
    this.changes ??= new FileChanges(this.log);
    return this.changes;
  }

  async followerAt(position: Position): Promise<Follower> {
    const { timeline } = this;
    const state = await timeline.save(position);
    const follower = new Follower({ ...this.options, engine: this.engineOptions(), machines: this.machines, engineLike: this.engine });
    follower.restore(state, timeline.store);
    this.engine ??= follower.space?.engine;
    follower.world.forgetHistory();
    releaseWorld(state.world);
    return follower;
  }

  takeBack(spaces: readonly PlayedSpace[], world: World | undefined): void {
    const { machines } = this;
    const used = new Set<AddressSpace>();
    const give = (machine: Machine, engine: GuestEngine): void => {
      if (used.has(machine.space)) return;
      used.add(machine.space);
      machines.give(machine, engine);
    };
    for (const machine of world?.machines.drain() ?? []) {
      used.add(machine.space);
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
