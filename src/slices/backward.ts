/**
 * The backward walk: from what is wanted at the end of a stretch to the instructions that defined it, and to what those
 * wanted, until the stretch begins. What is still wanted then is for the stretch before it. Here are threads and
 * memories, and what happens between blocks; backward/ has blocks, and what is in them.
 */
import type { MemoryAccess } from '../replay/timeline/conditions.js';
import type { Happening } from '../replay/timeline/observing.js';
import { BlockWalk } from './backward/blockWalk.js';
import { type Question, Standing } from './backward/standing.js';
import { NO_INSTANCE } from './control/callStack.js';
import type { Programs } from './control/programs.js';
import type { SliceGraph } from './graph.js';
import { endOf } from './trace/blockLooks.js';
import { ASKED, SPECIAL, type Stretch, type StretchEvent, type StretchRun, type SystemCall } from './trace/stretch.js';
import { ChannelWants } from './wants/channelWants.js';
import { KernelWants } from './wants/kernelWants.js';
import { linearOf, MemoryWants } from './wants/memoryWants.js';
import { bringShared, putSharedAway } from './wants/sharedWants.js';
import { ThreadWants } from './wants/threadWants.js';
import { NO_WANTERS, type WanterSet, type Wanters } from './wants/wanters.js';
import type { Seeds, WalkOptions } from './walkOptions.js';

export class BackwardWalk {
  /** Instances before the stretch that are wanted for control, or because the kernel wrote for them. */
  readonly earlier = { control: new Map<number, WanterSet>(), data: new Map<number, WanterSet>() };
  /** Of system calls that brought something from outside that is wanted: what it came from. */
  readonly inputNames = new Map<number, string>();
  private readonly channels: ChannelWants;
  private readonly threads = new Map<number, ThreadWants>();
  private readonly spaces = new Map<number, MemoryWants>();
  private readonly changes: KernelWants;
  private readonly at: Standing;
  private readonly blocks: BlockWalk;

  constructor(
    programs: Programs,
    graph: SliceGraph,
    readonly wanters: Wanters,
    readonly options: WalkOptions,
    /** Restores that are known to be none, by time. */
    real: ReadonlySet<number> = new Set(),
    /** It has to be told which restores are mistaken. Otherwise, if there are any, the set has something. */
    isCareful = false,
  ) {
    this.at = new Standing({ programs, graph, wanters, options, real, isCareful, memoryOf: (space) => this.memoryOf(space) });
    this.blocks = new BlockWalk(this.at);
    this.channels = new ChannelWants(wanters);
    this.changes = new KernelWants({
      thread: (id) => this.wantsOf(id), memory: (id) => this.memoryOf(id), channels: this.channels, withoutRestores: (set) => this.at.withoutRestores(set),
      callerOf: (call) => this.callerOf(call), isSeed: (call, thread) => this.isSeedCall(call, thread),
      noteQuestion: (instance, space, linear, bytes) => this.noteQuestion({ space, linear, bytes }, instance),
      noteInput: (instance, name) => void this.inputNames.set(instance, name),
    });
  }

  /** Restores of registers that turned out to be reads of something else: the walk has to be done again. */
  get mistaken(): ReadonlySet<number> {
    return this.at.mistaken;
  }

  /** System calls that are members: their results, or what they stored, are inputs of the slice. */
  get inputs(): ReadonlyMap<number, Happening> {
    return this.at.inputs;
  }

  wantsOf(thread: number): ThreadWants {
    let known = this.threads.get(thread);
    if (known === undefined) this.threads.set(thread, (known = new ThreadWants(this.at.wanters)));
    return known;
  }

  memoryOf(space: number): MemoryWants {
    let known = this.spaces.get(space);
    if (known === undefined) this.spaces.set(space, (known = new MemoryWants(this.at.wanters)));
    return known;
  }

  /** Whether nothing is left to be found. */
  get isDone(): boolean {
    const { control, data } = this.earlier;
    return control.size === 0 && data.size === 0 && this.channels.isEmpty && [...this.threads.values()].every((one) => one.isEmpty) && [...this.spaces.values()].every(({ size }) => size === 0);
  }

  /**
   * Goes through a stretch from `to`, or its end, to its beginning. `seeds`: times between which there are instances
   * that are asked for.
   */
  walk(stretch: Stretch, to: number, seeds?: Seeds): void {
    this.begin(stretch, to);
    this.at.seeds = seeds;
    [this.at.firstSeed, this.at.lastSeed] = seeds === undefined ? [0, -1] : stretch.blocksBetween(seeds.from, seeds.to);
    const { events, runs } = stretch;
    const beyond = to >= stretch.end ? stretch.count : stretch.blockAt(to - 1) + 1;
    for (const { shared, space } of new Map(runs.map((run) => [run.space, run])).values()) if (shared.length > 0) putSharedAway(shared, this.memoryOf(space), this.channels);
    let event = events.findLastIndex((one) => (one.happening === undefined ? one.time <= to : one.happening.position.time < to));
    for (let r = runs.length - 1; r >= 0; r--) {
      const run = runs[r] as StretchRun;
      const end = Math.min(beyond, runs[r + 1]?.first ?? stretch.count);
      if (end <= run.first) continue;
      const { shared } = run;
      this.at.thread = this.wantsOf(run.thread);
      this.at.memory = this.memoryOf(run.space);
      this.at.threadId = run.thread;
      const { memory } = this.at;
      if (shared.length > 0) bringShared(shared, memory, this.channels);
      [this.at.addresses, this.at.part] = endOf(stretch, r, end);
      for (let last = end; last > run.first; ) {
        if (event >= 0 && (events[event] as StretchEvent).after >= last) {
          if (shared.length > 0) putSharedAway(shared, memory, this.channels);
          while (event >= 0 && (events[event] as StretchEvent).after >= last) this.happened(events[event--] as StretchEvent, stretch);
          if (shared.length > 0) bringShared(shared, memory, this.channels);
        }
        const first = Math.max(run.first, event < 0 ? 0 : (events[event] as StretchEvent).after);
        this.blocks.walk(first, last);
        last = first;
      }
      if (shared.length > 0) putSharedAway(shared, memory, this.channels);
    }
    while (event >= 0) this.happened(events[event--] as StretchEvent, stretch);
    this.end(stretch);
  }

  private begin(stretch: Stretch, to: number): void {
    this.at.stretch = stretch;
    this.at.control = new Uint8Array(stretch.count);
    this.at.calls = new Map();
    this.at.laterControl = new Map();
    this.at.outerSets = new Int32Array(stretch.outer.length);
    this.blocks.begin();
    this.at.to = to;
    this.at.systemCalls.clear();
    this.at.questions.clear();
    const cut = to >= stretch.end ? -1 : stretch.blockAt(to - 1);
    if (cut >= 0) this.at.control[cut] = SPECIAL;
    const { control, data } = this.earlier;
    for (const [instance, set] of control) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.at.control[block] = ASKED | SPECIAL;
      this.at.laterControl.set(block, set);
      control.delete(instance);
    }
    for (const [instance, set] of data) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.at.control[block] = (this.at.control[block] as number) | SPECIAL;
      this.at.calls.set(block, set);
      data.delete(instance);
    }
  }

  private end({ outer }: Stretch): void {
    const { earlier: { control } } = this;
    const { outerSets, wanters } = this.at;
    outerSets.forEach((set, i) => {
      const instance = outer[i] as number;
      if (set !== NO_WANTERS) control.set(instance, wanters.union(control.get(instance) ?? NO_WANTERS, set));
    });
    this.at.outerCount += outer.length;
    this.blocks.takeRepeated();
  }

  private happened(event: StretchEvent, stretch: Stretch): void {
    if (event.happening === undefined) {
      this.changes.undo(event, (instance, set) => this.wantCall(stretch, instance, set));
      return;
    }
    const { happening, space } = event;
    const { kind, position, access, alsoAccessed = [] } = happening;
    if (kind === 'syscall') this.at.systemCalls.set(stretch.blockAt(position.time), happening);
    if (access !== undefined) for (const one of [access, ...alsoAccessed]) if (one.write) this.written(one, space, position.time, stretch);
  }

  /** By a string instruction that was interrupted: the instruction is what defines it. */
  private written({ address, bytes }: MemoryAccess, space: number, instance: number, stretch: Stretch): void {
    this.memoryOf(space).take(linearOf(address), bytes, (_, set) => this.wantCall(stretch, instance, this.at.withoutRestores(set)));
  }

  /** As options are asked for an instruction (filters.ts): its node, whether its control is followed, and its data. */
  private callerOf({ instance, instruction, site }: SystemCall): WanterSet {
    const { options, wanters } = this.at;
    if (options.isWatched?.(instruction) === false) return NO_WANTERS;
    const node = options.nodeOf(instruction, site, instance);
    void options.control;
    return options.data ? wanters.of(node) : NO_WANTERS;
  }

  private noteQuestion(question: Question, instance: number): void {
    const known = this.at.questions.get(instance);
    if (known === undefined) this.at.questions.set(instance, [question]);
    else known.push(question);
  }

  private isSeedCall({ instance, instruction }: SystemCall, thread: number): boolean {
    const { seeds } = this.at;
    return seeds !== undefined && instance >= seeds.from && instance < seeds.to && seeds.isSeed(instance, instruction, thread);
  }

  private wantCall(stretch: Stretch, instance: number, wanters: WanterSet): void {
    if (instance === NO_INSTANCE || wanters === NO_WANTERS) return;
    const block = stretch.blockAt(instance);
    if (block >= 0) {
      this.at.control[block] = (this.at.control[block] as number) | SPECIAL;
      this.at.calls.set(block, this.at.wanters.union(this.at.calls.get(block) ?? NO_WANTERS, wanters));
    } else this.earlier.data.set(instance, this.at.wanters.union(this.earlier.data.get(instance) ?? NO_WANTERS, wanters));
  }
}
