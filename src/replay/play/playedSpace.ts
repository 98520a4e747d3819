/** An address space during replay, with the engine that runs code in it and the task whose registers are loaded. */
import { STATE_BASE } from '../../layout/memoryMap.js';
import { SharedFiles } from '../../linux/memory/sharedFiles.js';
import type { SharedObjects } from '../../linux/memory/sharedObjects.js';
import type { Engine } from '../../machine/engine.js';
import { type Machine, wipe } from '../../machine/machinePool.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import { SpaceHistory } from '../../machine/snapshots/spaceHistory.js';
import { STOP_REGISTER_BYTES } from '../log/events.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { SpaceState } from './worldState.js';

export class PlayedTask {
  /** Its CPU state while another task of the same space is loaded. */
  readonly words = new Uint32Array(RUN_WORDS);
  space = 0;

  constructor(readonly id: number) {}
}

export class PlayedSpace {
  shared: SharedFiles;
  private owner: PlayedTask | undefined;
  private history: SpaceHistory | undefined;
  private readonly words: Uint32Array;
  /** General registers and rip, in place; views are dear to make. */
  readonly stopRegisters: Uint8Array;

  constructor(
    readonly id: number,
    readonly machine: Machine,
    public engine: Engine,
    private readonly objects: SharedObjects,
  ) {
    this.shared = new SharedFiles(machine.space, objects);
    this.stopRegisters = machine.linear.u8.subarray(STATE_BASE, STATE_BASE + STOP_REGISTER_BYTES);
    this.words = machine.linear.u32.subarray(STATE_BASE >>> 2, (STATE_BASE >>> 2) + RUN_WORDS);
  }

  get loaded(): PlayedTask | undefined {
    return this.owner;
  }

  /** Makes the registers those of `task`. */
  load(task: PlayedTask): void {
    if (this.owner === task) return;
    this.unload();
    this.words.set(task.words);
    this.owner = task;
  }

  /** The registers belong to no task; the task that had them keeps its copy. */
  unload(): void {
    this.owner?.words.set(this.words);
    this.owner = undefined;
  }

  /** The registers that `task` has now, in place. */
  wordsOf(task: PlayedTask): Uint32Array {
    return this.owner === task ? this.words : task.words;
  }

  /** Empty again. */
  clear(): void {
    this.unload();
    this.shared.close();
    this.engine.retire();
    wipe(this.machine);
    this.engine.restart();
    this.shared = new SharedFiles(this.machine.space, this.objects);
  }

  save(store: PageStore): SpaceState {
    this.history ??= new SpaceHistory(this.machine.space, store);
    return { snapshot: this.history.capture(), unpublished: this.shared.unpublished };
  }

  /** The registers belong to no task afterwards. */
  restore(state: SpaceState, store: PageStore): void {
    this.owner = undefined;
    this.history ??= new SpaceHistory(this.machine.space, store);
    this.history.restore(state.snapshot);
  }

  /** It will not be saved or restored any more. */
  forgetHistory(): void {
    this.history?.dispose();
    this.history = undefined;
  }

  /** Has become a copy of another space: with its shared mappings too. */
  adoptMappings(): void {
    for (const m of this.machine.space.mappings()) if (m.shared) this.shared.note(m);
  }
}
