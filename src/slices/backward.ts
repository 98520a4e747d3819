/**
 * The backward walk: from what is wanted at the end of a stretch to the instructions that defined it, and to what those
 * wanted, until the stretch begins. What is still wanted then is for the stretch before it.
 *
 * Most blocks define nothing that is wanted. They cost a look at a few words for their registers, and one for the page
 * of each store.
 */
import { RBP } from '../layout/cpuState.js';
import type { LoggedAccess } from '../ir/loggedBlocks.js';
import { questionSlots } from '../replay/branch/callArguments.js';
import type { MemoryAccess } from '../replay/timeline/conditions.js';
import type { Happening } from '../replay/timeline/observing.js';
import { NO_INSTANCE } from './control/callStack.js';
import type { FollowedBlock, Programs } from './control/programs.js';
import { MEMORY, type SliceGraph } from './graph.js';
import { rangeOf, sourceOf } from './trace/accesses.js';
import type { CodeInstruction } from './trace/codeTable.js';
import { type Recipe, Recipes } from './trace/recipes.js';
import type { Layout, Stretch, StretchEvent, StretchRun } from './trace/stretch.js';
import { KernelWants } from './wants/kernelWants.js';
import { linearOf, MemoryWants } from './wants/memoryWants.js';
import { Restores } from './wants/restores.js';
import { ThreadWants } from './wants/threadWants.js';
import { NO_WANTERS, type WanterSet, type Wanters } from './wants/wanters.js';

export interface WalkOptions {
  readonly data: boolean;
  readonly control: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames: boolean;
  /** The node of an instance; calls of libraries are one node each unless this says otherwise. */
  readonly nodeOf: (instruction: CodeInstruction, site: number, time: number) => number;
  /** Whether an instance belongs to what is asked for, with all that it uses. */
  readonly isSeed?: (time: number, instruction: CodeInstruction, thread: number) => boolean;
  /** Only instructions for which this holds are looked at; what others define is theirs alone. */
  readonly isWatched?: (instruction: CodeInstruction) => boolean;
}

/** The block that is gone through. */
interface Standing {
  readonly stretch: Stretch;
  readonly block: number;
  readonly code: FollowedBlock;
  readonly thread: ThreadWants;
  readonly memory: MemoryWants;
  readonly threadId: number;
  /** Where its addresses begin. */
  readonly addresses: number;
}

interface Times {
  readonly from: number;
  readonly to: number;
}

/** Bytes of a store that fit in a key of recipes. */
const MOST_BYTES = 30;

export class BackwardWalk {
  /** Instances before the stretch that are wanted for control, or because the kernel wrote for them. */
  readonly earlier = { control: new Map<number, WanterSet>(), data: new Map<number, WanterSet>() };
  /** Restores of registers that turned out to be reads of something else: the walk has to be done again. */
  readonly mistaken = new Set<number>();
  /** System calls that are members: their results, or what they stored, are inputs of the slice. */
  readonly inputs = new Map<number, Happening>();
  private readonly threads = new Map<number, ThreadWants>();
  private readonly spaces = new Map<number, MemoryWants>();
  private readonly restores: Restores;
  private readonly changes: KernelWants;
  private readonly recipes: (Recipes | undefined)[] = [];
  private readonly recipesByTop = new Map<number, Recipes>();
  /** Of each block: whether its last instruction is wanted for control; and who wants what the kernel did there. */
  private control = new Uint8Array(0);
  private calls = new Int32Array(0);
  /** Of control from stretches after this one. */
  private laterControl = new Map<number, WanterSet>();
  /** Of blocks that end with a system call. */
  private readonly systemCalls = new Map<number, Happening>();
  private to = Infinity;
  /** What is found of an instruction: who wants an output, and the first such output. */
  private found: WanterSet = NO_WANTERS;
  private place = 0;
  private readonly storeKeys = new Int32Array(16);
  private readonly sources: number[] = [];

  constructor(
    private readonly programs: Programs,
    private readonly graph: SliceGraph,
    readonly wanters: Wanters,
    private readonly options: WalkOptions,
    /** Restores that are known to be none, by time. */
    private readonly real: ReadonlySet<number> = new Set(),
  ) {
    this.restores = new Restores(wanters);
    this.changes = new KernelWants({ thread: (id) => this.wantsOf(id), memory: (id) => this.memoryOf(id), withoutRestores: (set) => this.withoutRestores(set) });
  }

  wantsOf(thread: number): ThreadWants {
    let known = this.threads.get(thread);
    if (known === undefined) this.threads.set(thread, (known = new ThreadWants(this.wanters)));
    return known;
  }

  memoryOf(space: number): MemoryWants {
    let known = this.spaces.get(space);
    if (known === undefined) this.spaces.set(space, (known = new MemoryWants(this.wanters)));
    return known;
  }

  /** Whether nothing is left to be found. */
  get isDone(): boolean {
    const { control, data } = this.earlier;
    return control.size === 0 && data.size === 0 && [...this.threads.values()].every((one) => one.isEmpty) && [...this.spaces.values()].every(({ size }) => size === 0);
  }

  /**
   * Goes through a stretch from `to`, or its end, to its beginning. `seeds`: times between which there are instances
   * that are asked for.
   */
  walk(stretch: Stretch, to: number, seeds?: Times): void {
    this.begin(stretch, to);
    const { events, runs, blocks } = stretch;
    const { control, calls } = this;
    const beyond = to >= stretch.end ? stretch.count : stretch.blockAt(to - 1) + 1;
    let event = events.findLastIndex((one) => (one.happening === undefined ? one.time <= to : one.happening.position.time < to));
    for (let r = runs.length - 1; r >= 0; r--) {
      const run = runs[r] as StretchRun;
      const [thread, memory] = [this.wantsOf(run.thread), this.memoryOf(run.space)];
      for (let block = Math.min(beyond, runs[r + 1]?.first ?? stretch.count) - 1; block >= run.first; block--) {
        while (event >= 0 && (events[event] as StretchEvent).after > block) this.happened(events[event--] as StretchEvent, stretch);
        const code = this.programs.blocks[blocks[block] as number] as FollowedBlock;
        const isAsked = control[block] !== 0 || calls[block] !== 0 || (seeds !== undefined && mayBeSeed(stretch, block, code, seeds));
        if (isAsked || thread.meets(code.writtenWords, code.writtenBits) || (memory.size > 0 && storesMeet(stretch, block, code, memory))) {
          this.goThrough({ stretch, block, code, thread, memory, threadId: run.thread, addresses: stretch.addressStarts[block] as number });
        }
      }
    }
    while (event >= 0) this.happened(events[event--] as StretchEvent, stretch);
  }

  private begin(stretch: Stretch, to: number): void {
    this.control = new Uint8Array(stretch.count);
    this.calls = new Int32Array(stretch.count);
    this.laterControl = new Map();
    this.to = to;
    this.systemCalls.clear();
    const { control, data } = this.earlier;
    for (const [instance, set] of control) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.control[block] = 1;
      this.laterControl.set(block, set);
      control.delete(instance);
    }
    for (const [instance, set] of data) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.calls[block] = set;
      data.delete(instance);
    }
  }

  // ---- the instructions of a block

  private goThrough(standing: Standing): void {
    const { stretch, block, code, thread, memory } = standing;
    const { instructions, accesses } = code;
    const start = stretch.timeOf(block);
    const last = instructions.length - 1;
    const tops = code.usesX87 ? this.topsOf(code, stretch.tops.get(block) ?? 0) : undefined;
    const isLastAsked = this.control[block] !== 0 || this.calls[block] !== 0;
    for (let i = last; i >= 0; i--) {
      if (start + i >= this.to) continue;
      const instruction = instructions[i] as CodeInstruction;
      const recipes = this.recipesOf(instruction, tops === undefined ? 0 : (tops[i] as number));
      const isAsked = i === last && isLastAsked;
      const isSeed = this.options.isSeed?.(start + i, instruction, standing.threadId) === true;
      const mayStore = memory.size > 0 && (accesses[i] as readonly LoggedAccess[]).length > 0;
      if (isAsked || isSeed || mayStore || thread.meets(recipes.words, recipes.bits)) this.look(standing, i, instruction, recipes, start + i, isAsked, isSeed);
    }
  }

  private topsOf({ instructions }: FollowedBlock, before: number): number[] {
    let top = before;
    return instructions.map((one) => {
      const own = top;
      if (one.usesX87) top = this.programs.table.dependencesAt(one, own).top ?? own;
      return own;
    });
  }

  private recipesOf(instruction: CodeInstruction, top: number): Recipes {
    const { id } = instruction;
    if (top === 0) return (this.recipes[id] ??= new Recipes(instruction.dependences, this.options.frames));
    const key = id * 8 + top;
    let known = this.recipesByTop.get(key);
    if (known === undefined) this.recipesByTop.set(key, (known = new Recipes(this.programs.table.dependencesAt(instruction, top), this.options.frames)));
    return known;
  }

  private look(standing: Standing, i: number, instruction: CodeInstruction, recipes: Recipes, time: number, isAsked: boolean, isSeed: boolean): void {
    const { options } = this;
    if (!options.frames && !isSeed && instruction.frame.kind !== 'none' && this.passFrameWork(standing, i, instruction, time)) return;
    this.found = NO_WANTERS;
    this.sources.length = 0;
    const key = this.takeCells(standing.thread, recipes);
    const hasStored = this.takeStores(standing, i, recipes);
    const { found } = this;
    if (!isSeed && !isAsked && found === NO_WANTERS) return;
    if (options.isWatched?.(instruction) === false) return;
    const node = options.nodeOf(instruction, standing.stretch.sites[standing.block] as number, time);
    this.graph.add(node, time, node === instruction.id);
    if (found !== NO_WANTERS) this.graph.addData(found, node, this.place, time);
    const own = this.wanters.of(node);
    if (options.control) this.wantControl(standing, i, node);
    if (isAsked) this.answer(standing, node, time);
    if (!options.data) return;
    if (isSeed) this.want(standing, i, recipes.everything, own);
    if (isAsked) this.want(standing, i, recipes.decision, own);
    if (key !== 0) this.wantForCells(standing, i, recipes, key, own);
    if (hasStored) this.wantForStores(standing, i, recipes, own);
    if (standing.code.logged.end === 'syscall' && i === standing.code.instructions.length - 1) this.ask(standing, time, own);
  }

  /** Notes who wants what the instruction leaves in cells, which they want no more from before it. Returns which. */
  private takeCells(thread: ThreadWants, { words, bits, cells, isSmall }: Recipes): number {
    if (!thread.meets(words, bits)) return 0;
    let key = 0;
    this.bigKey.length = 0;
    for (let k = 0; k < cells.length; k++) {
      const cell = cells[k] as number;
      const set = thread.cells[cell] as number;
      if (set === NO_WANTERS) continue;
      thread.clear(cell);
      this.note(set, cell);
      if (isSmall) key |= 1 << k;
      else this.bigKey.push(k);
    }
    return isSmall ? key : -1;
  }

  private readonly bigKey: number[] = [];

  private note(set: WanterSet, place: number): void {
    if (this.found === NO_WANTERS) this.place = place;
    this.found = this.wanters.union(this.found, set);
  }

  private wantForCells(standing: Standing, i: number, recipes: Recipes, key: number, own: WanterSet): void {
    if (recipes.isSmall) this.want(standing, i, recipes.forCells(key), own);
    else for (const index of this.bigKey) this.want(standing, i, recipes.forCell(index), own);
  }

  /** The last instruction of the block is asked for by itself: as a branch or call, or because the kernel wrote. */
  private answer({ block }: Standing, node: number, time: number): void {
    const calls = this.calls[block] as number;
    if (calls !== NO_WANTERS) this.graph.addData(calls, node, MEMORY, time);
    for (const from of this.wanters.nodes(this.laterControl.get(block) ?? NO_WANTERS)) this.graph.addControl(from, node, time);
  }

  /** What a system call does depends on what it was asked. */
  private ask({ block, thread }: Standing, time: number, own: WanterSet): void {
    const made = this.systemCalls.get(block);
    if (made?.syscall === undefined) return;
    this.inputs.set(time, made);
    for (const { offset } of questionSlots(made.syscall)) for (let i = 0; i < 8; i++) thread.add(offset + i, own);
  }

  private want({ stretch, addresses, code, thread, memory }: Standing, i: number, { cells, loads }: Recipe, own: WanterSet): void {
    for (let k = 0; k < cells.length; k++) thread.add(cells[k] as number, own);
    for (let k = 0; k < loads.length; k += 3) {
      const { entry, bytes, count } = (code.accesses[i] as readonly LoggedAccess[])[loads[k] as number] as LoggedAccess;
      const address = stretch.addresses[addresses + entry] as number;
      if (count === undefined) memory.add(linearOf(address + (loads[k + 1] as number)), loads[k + 2] as number, own);
      else {
        const range = rangeOf(address, stretch.addresses[addresses + count] as number, bytes);
        memory.add(linearOf(range.address), range.bytes, own);
      }
    }
  }

  private wantControl({ stretch, block }: Standing, i: number, node: number): void {
    const { starts } = stretch.layoutList[stretch.layouts[block] as number] as Layout;
    let part = starts.length - 1;
    while (part > 0 && (starts[part] as number) > i) part--;
    const parent = stretch.parents[(stretch.partStarts[block] as number) + part] as number;
    if (parent === NO_INSTANCE) return;
    const of = stretch.blockAt(parent);
    if (of < 0) {
      this.earlier.control.set(parent, this.wanters.union(this.earlier.control.get(parent) ?? NO_WANTERS, this.wanters.of(node)));
      return;
    }
    this.control[of] = 1;
    const { last } = this.programs.blocks[stretch.blocks[of] as number] as FollowedBlock;
    this.graph.addControl(node, this.options.nodeOf(last, stretch.sites[of] as number, parent), parent);
  }

  // ---- stores

  /** As `takeCells`, of what the instruction stores. */
  private takeStores(standing: Standing, i: number, { dependences }: Recipes): boolean {
    const { stretch, addresses, code, memory } = standing;
    const logged = code.accesses[i] as readonly LoggedAccess[];
    if (memory.size === 0) return false;
    let isAny = false;
    for (let k = 0; k < logged.length; k++) {
      const { isWrite, entry, bytes, count } = logged[k] as LoggedAccess;
      this.storeKeys[k] = 0;
      if (!isWrite) continue;
      const address = stretch.addresses[addresses + entry] as number;
      if (count !== undefined || bytes > MOST_BYTES) {
        if (this.takeMany(standing, i, dependences.repeats, k)) isAny = true;
        continue;
      }
      const linear = linearOf(address);
      if (!memory.meets(linear, bytes)) continue;
      isAny = true;
      let key = 0;
      for (let byte = 0; byte < bytes; byte++) {
        const set = memory.at(linear + byte);
        if (set === NO_WANTERS) continue;
        memory.set(linear + byte, NO_WANTERS);
        this.note(this.withoutRestores(set), MEMORY + address + byte);
        key |= 1 << byte;
      }
      this.storeKeys[k] = key;
    }
    return isAny;
  }

  /** Of a repeated store, or one of a whole image: bytes are put away, and in pairs of access and byte. */
  private takeMany({ stretch, addresses, code, memory }: Standing, i: number, repeats: string | undefined, access: number): boolean {
    const logged = code.accesses[i] as readonly LoggedAccess[];
    const { entry, bytes, count } = logged[access] as LoggedAccess;
    const address = stretch.addresses[addresses + entry] as number;
    const elements = count === undefined ? 1 : (stretch.addresses[addresses + count] as number);
    const range = rangeOf(address, elements, bytes);
    if (range.bytes === 0 || !memory.meets(linearOf(range.address), range.bytes)) return false;
    const source = repeats === 'rep.movs' ? (stretch.addresses[addresses + (logged[0] as LoggedAccess).entry] as number) : undefined;
    for (let byte = 0; byte < range.bytes; byte++) {
      const linear = linearOf(range.address + byte);
      const set = memory.at(linear);
      if (set === NO_WANTERS) continue;
      memory.set(linear, NO_WANTERS);
      this.note(this.withoutRestores(set), MEMORY + range.address + byte);
      const from = source === undefined ? -1 : linearOf(sourceOf(range.address + byte, source, address, elements, bytes));
      this.sources.push(access, byte, from);
    }
    return true;
  }

  private wantForStores(standing: Standing, i: number, recipes: Recipes, own: WanterSet): void {
    const { length } = standing.code.accesses[i] as readonly LoggedAccess[];
    for (let k = 0; k < length; k++) if (this.storeKeys[k] !== 0) this.want(standing, i, recipes.forStored(k, this.storeKeys[k] as number), own);
    const { sources } = this;
    for (let k = 0; k < sources.length; k += 3) {
      this.want(standing, i, recipes.forStoredByte(sources[k] as number, sources[k + 1] as number), own);
      if ((sources[k + 2] as number) >= 0) standing.memory.add(sources[k + 2] as number, 1, own);
    }
  }

  // ---- frames

  /** Whether the instruction is only the work of a function on its own frame. */
  private passFrameWork({ stretch, addresses, code, thread, memory }: Standing, i: number, { frame }: CodeInstruction, time: number): boolean {
    if (frame.kind === 'none') return false;
    if (frame.kind === 'point') {
      for (let k = 0; k < 8; k++) thread.clear(RBP.offset + k);
      return true;
    }
    const { entry } = (code.accesses[i] as readonly LoggedAccess[])[0] as LoggedAccess;
    const slot = linearOf(stretch.addresses[addresses + entry] as number);
    return frame.kind === 'save' ? this.passSave(thread, memory, slot, frame.register) : !this.real.has(time) && this.passRestore(thread, memory, slot, frame.register, time);
  }

  private passRestore(thread: ThreadWants, memory: MemoryWants, slot: number, register: number, time: number): boolean {
    const wanted = Array.from({ length: 8 }, (_, k) => thread.cells[register + k] as number);
    const left = wanted.filter((set) => set !== NO_WANTERS).length;
    if (left === 0) return true;
    const tag = this.restores.add({ time, register, wanters: wanted, left });
    wanted.forEach((set, k) => {
      if (set === NO_WANTERS) return;
      thread.clear(register + k);
      memory.add(slot + k, 1, tag);
    });
    return true;
  }

  /** Of those who want the saved bytes, the restores of the same register want the register. */
  private passSave(thread: ThreadWants, memory: MemoryWants, slot: number, register: number): boolean {
    let isWanted = false;
    for (let k = 0; k < 8; k++) {
      const set = memory.at(slot + k);
      if (set === NO_WANTERS) continue;
      const own = this.restores.tagsIn(set).filter((tag) => this.restores.get(tag).register === register);
      for (const tag of own) {
        thread.add(register + k, this.restores.get(tag).wanters[k] as number);
        this.restores.found(tag);
      }
      const rest = own.length === 0 ? set : this.wanters.without(set, own);
      memory.set(slot + k, rest);
      if (rest !== NO_WANTERS) isWanted = true;
    }
    return !isWanted;
  }

  /** Something else has defined what a function took for a saved register. */
  private withoutRestores(set: WanterSet): WanterSet {
    const tags = this.restores.tagsIn(set);
    if (tags.length === 0) return set;
    for (const tag of tags) {
      this.mistaken.add(this.restores.get(tag).time);
      this.restores.found(tag);
    }
    return this.wanters.without(set, tags);
  }

  // ---- what happens between instructions

  private happened(event: StretchEvent, stretch: Stretch): void {
    if (event.happening === undefined) {
      this.changes.undo(event, (instance, set) => this.wantCall(stretch, instance, set));
      return;
    }
    const { happening, space } = event;
    const { kind, position, access, alsoAccessed = [] } = happening;
    if (kind === 'syscall') this.systemCalls.set(stretch.blockAt(position.time), happening);
    if (access !== undefined) for (const one of [access, ...alsoAccessed]) if (one.write) this.written(one, space, position.time, stretch);
  }

  /** By a string instruction that was interrupted: the instruction is what defines it. */
  private written({ address, bytes }: MemoryAccess, space: number, instance: number, stretch: Stretch): void {
    this.memoryOf(space).take(linearOf(address), bytes, (_, set) => this.wantCall(stretch, instance, this.withoutRestores(set)));
  }

  private wantCall(stretch: Stretch, instance: number, wanters: WanterSet): void {
    if (instance === NO_INSTANCE || wanters === NO_WANTERS) return;
    const block = stretch.blockAt(instance);
    if (block >= 0) this.calls[block] = this.wanters.union(this.calls[block] as number, wanters);
    else this.earlier.data.set(instance, this.wanters.union(this.earlier.data.get(instance) ?? NO_WANTERS, wanters));
  }
}

function mayBeSeed(stretch: Stretch, block: number, { logged }: FollowedBlock, { from, to }: Times): boolean {
  const start = stretch.timeOf(block);
  return start < to && start + logged.lengths.length > from;
}

function storesMeet({ addressStarts, addresses }: Stretch, block: number, { stores }: FollowedBlock, memory: MemoryWants): boolean {
  const first = addressStarts[block] as number;
  for (let i = 0; i < stores.length; i++) {
    const { entry, bytes, count } = stores[i] as LoggedAccess;
    const address = addresses[first + entry] as number;
    if (count === undefined) {
      if (memory.meets(linearOf(address), bytes)) return true;
    } else {
      const range = rangeOf(address, addresses[first + count] as number, bytes);
      if (range.bytes > 0 && memory.meets(linearOf(range.address), range.bytes)) return true;
    }
  }
  return false;
}
