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
import type { Programs } from './control/programs.js';
import { MEMORY, type SliceGraph } from './graph.js';
import { rangeOf, sourceOf } from './trace/accesses.js';
import { endOf, storesMeet } from './trace/blockLooks.js';
import { BLOCK, BLOCK_NUMBERS, BlockTable } from './trace/blockTable.js';
import { type CodeBlock, type CodeInstruction, ENDS } from './trace/codeTable.js';
import { PassageRecorder } from './trace/passageRecorder.js';
import { PassageRepeater } from './trace/passageRepeater.js';
import { type Combination, FRAME, type Recipe, Recipes } from './trace/recipes.js';
import { INSIDE, PASSAGE, Passages } from './trace/passages.js';
import type { StretchPaths } from './trace/paths.js';
import { ASKED, type Layout, NO_REF, SPECIAL, Stretch, type StretchEvent, type StretchRun, type SystemCall } from './trace/stretch.js';
import { FIRST_CELL, UNIT_OF, UNIT_WORDS } from './trace/units.js';
import { ChannelWants } from './wants/channelWants.js';
import { KernelWants } from './wants/kernelWants.js';
import { linearOf, MemoryWants } from './wants/memoryWants.js';
import { Restores } from './wants/restores.js';
import { bringShared, putSharedAway } from './wants/sharedWants.js';
import { ThreadWants } from './wants/threadWants.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from './wants/wanters.js';

export interface WalkOptions {
  readonly data: boolean;
  readonly control: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames: boolean;
  /**
   * The node of an instance; calls of libraries are one node each unless this says otherwise. A function that looks at
   * the time must name it as its third parameter: where there are only two, walks do again what they have done before.
   */
  readonly nodeOf: (instruction: CodeInstruction, site: number, time: number) => number;
  /** Only instructions for which this holds are looked at; what others define is theirs alone. */
  readonly isWatched?: (instruction: CodeInstruction) => boolean;
}

/** Instances that are asked for: between two times, those for which `isSeed` holds. */
export interface Seeds {
  readonly from: number;
  readonly to: number;
  readonly isSeed: (time: number, instruction: CodeInstruction, thread: number) => boolean;
}

/** Memory that a system call has looked at. */
interface Question {
  readonly space: number;
  readonly linear: number;
  readonly bytes: number;
}

/** Bytes of a store that fit in a key of recipes. */
const MOST_BYTES = 30;
const NOT_WANTED: Combination = { units: new Int32Array(0), cells: new Int32Array(0), loads: new Int32Array(0), wanted: new Int32Array(0), lastFound: 0, lastNode: -1, lastGraph: undefined };
const NO_PATHS: StretchPaths = { lasts: new Int32Array(0), numbers: new Int32Array(0) };
const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];

export class BackwardWalk {
  /** Instances before the stretch that are wanted for control, or because the kernel wrote for them. */
  readonly earlier = { control: new Map<number, WanterSet>(), data: new Map<number, WanterSet>() };
  /** Restores of registers that turned out to be reads of something else: the walk has to be done again. */
  readonly mistaken = new Set<number>();
  /** System calls that are members: their results, or what they stored, are inputs of the slice. */
  readonly inputs = new Map<number, Happening>();
  /** Of system calls that brought something from outside that is wanted: what it came from. */
  readonly inputNames = new Map<number, string>();
  private readonly channels: ChannelWants;
  private readonly threads = new Map<number, ThreadWants>();
  private readonly spaces = new Map<number, MemoryWants>();
  private readonly restores: Restores;
  private readonly changes: KernelWants;
  private readonly recipesByTop = new Map<number, Recipes>();
  /** Of each block: whether its last instruction is wanted for control; and who wants what the kernel did there. */
  private control = new Uint8Array(0);
  private calls = new Int32Array(0);
  /** Of control from stretches after this one. */
  private laterControl = new Map<number, WanterSet>();
  /** Who wants the instances before the stretch, for control. */
  private outerSets = new Int32Array(0);
  /** Outer instances of all stretches so far. */
  private outerCount = 0;
  /** What system calls of the stretch looked at in memory, by instance. */
  private readonly questions = new Map<number, Question[]>();
  /** Of blocks that end with a system call. */
  private readonly systemCalls = new Map<number, Happening>();
  private to = Infinity;
  /** Blocks that may have instances that are asked for. */
  private firstSeed = 0;
  private lastSeed = -1;
  private seeds: Seeds | undefined;
  /** What is found of an instruction: who wants an output, and the first such output. */
  private found: WanterSet = NO_WANTERS;
  private place = 0;
  private readonly storeKeys = new Int32Array(16);
  private readonly sources: number[] = [];
  private sourceCount = 0;
  private readonly bigKey: number[] = [];
  private bigCount = 0;
  /** The block that is gone through: its thread and memory, where its addresses and parts begin. */
  private stretch: Stretch;
  private block = 0;
  private code: CodeBlock | undefined;
  private thread: ThreadWants;
  private memory: MemoryWants;
  private threadId = 0;
  private addresses = 0;
  private part = 0;
  private site = 0;
  private readonly blocks = new BlockTable();
  private readonly pathTable = new BlockTable();
  private paths: StretchPaths = NO_PATHS;
  /** The last of the paths that the walk has not come to. */
  private path = -1;
  private readonly passages = new Passages();
  private readonly recorder: PassageRecorder;
  private readonly repeater: PassageRepeater;
  private readonly mayRepeat: boolean;
  /** Of the block, or of its path. */
  private firstPart = 0;
  private firstBlock = 0;
  private mayHaveSeed = false;
  /** The part of the block whose parent is known, and what that is: its node, or a number below 0 of one before. */
  private parentPart = -1;
  private parentRef = NO_REF;
  private parentNode = 0;
  private parentTime = 0;

  constructor(
    private readonly programs: Programs,
    private readonly graph: SliceGraph,
    readonly wanters: Wanters,
    readonly options: WalkOptions,
    /** Restores that are known to be none, by time. */
    private readonly real: ReadonlySet<number> = new Set(),
    /** It has to be told which restores are mistaken. Otherwise, if there are any, the set has something. */
    private readonly isCareful = false,
  ) {
    this.restores = new Restores(wanters);
    this.channels = new ChannelWants(wanters);
    this.changes = new KernelWants({
      thread: (id) => this.wantsOf(id), memory: (id) => this.memoryOf(id), channels: this.channels, withoutRestores: (set) => this.withoutRestores(set),
      callerOf: (call) => this.callerOf(call), isSeed: (call, thread) => this.isSeedCall(call, thread),
      noteQuestion: (instance, space, linear, bytes) => this.noteQuestion({ space, linear, bytes }, instance),
      noteInput: (instance, name) => void this.inputNames.set(instance, name),
    });
    this.stretch = new Stretch(0, []);
    // Nodes that stand for single instances are never the same again.
    this.mayRepeat = options.nodeOf.length < 3 && options.isWatched === undefined;
    this.recorder = new PassageRecorder(wanters);
    this.repeater = new PassageRepeater({
      graph, wanters, restores: this.restores, passages: this.passages,
      endNode: ({ code }, site) => options.nodeOf(code.instructions[code.length - 1] as CodeInstruction, site, 0),
      wantOuter: (place, node) => void (this.outerSets[place] = wanters.union(this.outerSets[place] as number, wanters.of(node))),
    });
    this.thread = new ThreadWants(wanters);
    this.memory = new MemoryWants(wanters);
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
    return control.size === 0 && data.size === 0 && this.channels.isEmpty && [...this.threads.values()].every((one) => one.isEmpty) && [...this.spaces.values()].every(({ size }) => size === 0);
  }

  /**
   * Goes through a stretch from `to`, or its end, to its beginning. `seeds`: times between which there are instances
   * that are asked for.
   */
  walk(stretch: Stretch, to: number, seeds?: Seeds): void {
    this.begin(stretch, to);
    this.seeds = seeds;
    [this.firstSeed, this.lastSeed] = seeds === undefined ? [0, -1] : stretch.blocksBetween(seeds.from, seeds.to);
    const { events, runs } = stretch;
    const beyond = to >= stretch.end ? stretch.count : stretch.blockAt(to - 1) + 1;
    for (const { shared, space } of new Map(runs.map((run) => [run.space, run])).values()) if (shared.length > 0) putSharedAway(shared, this.memoryOf(space), this.channels);
    let event = events.findLastIndex((one) => (one.happening === undefined ? one.time <= to : one.happening.position.time < to));
    for (let r = runs.length - 1; r >= 0; r--) {
      const run = runs[r] as StretchRun;
      const end = Math.min(beyond, runs[r + 1]?.first ?? stretch.count);
      if (end <= run.first) continue;
      const { shared } = run;
      this.thread = this.wantsOf(run.thread);
      this.memory = this.memoryOf(run.space);
      this.threadId = run.thread;
      const { memory } = this;
      if (shared.length > 0) bringShared(shared, memory, this.channels);
      [this.addresses, this.part] = endOf(stretch, r, end);
      for (let last = end; last > run.first; ) {
        if (event >= 0 && (events[event] as StretchEvent).after >= last) {
          if (shared.length > 0) putSharedAway(shared, memory, this.channels);
          while (event >= 0 && (events[event] as StretchEvent).after >= last) this.happened(events[event--] as StretchEvent, stretch);
          if (shared.length > 0) bringShared(shared, memory, this.channels);
        }
        const first = Math.max(run.first, event < 0 ? 0 : (events[event] as StretchEvent).after);
        this.walkBlocks(first, last);
        last = first;
      }
      if (shared.length > 0) putSharedAway(shared, memory, this.channels);
    }
    while (event >= 0) this.happened(events[event--] as StretchEvent, stretch);
    this.end(stretch);
  }

  /** From the last of some blocks to the first; nothing happens between them. The inner loop of slices. */
  private walkBlocks(first: number, end: number): void {
    const { mayRepeat, pathTable, paths: { lasts, numbers } } = this;
    let block = end - 1;
    while (mayRepeat && block >= first) {
      let { path } = this;
      while (path >= 0 && (lasts[path] as number) > block) path--;
      this.path = path;
      const last = path < 0 ? -1 : (lasts[path] as number);
      if (last < block) {
        // Those between two paths.
        const next = Math.max(first, last + 1);
        this.walkSingly(next, block);
        block = next - 1;
        continue;
      }
      const number = numbers[path] as number;
      const blocks = this.programs.paths.lengths[number] as number;
      const from = Math.max(first, block - blocks + 1);
      if (from > block - blocks + 1 || !this.walkPath(pathTable, number, from, blocks)) this.walkSingly(from, block);
      block = from - 1;
    }
    if (block >= first) this.walkSingly(first, block);
  }

  /** All blocks of a path at once, if it is known what they do. */
  private walkPath(table: BlockTable, number: number, first: number, blocks: number): boolean {
    const { stretch, thread, memory, control } = this;
    const at = number * BLOCK_NUMBERS;
    if (at >= table.numbers.length || table.numbers[at] === 0) table.learnPath(number, stretch, first, blocks);
    const { numbers } = table;
    let [asked, flags] = [0, 0];
    for (let i = 0; i < blocks; i++) {
      const own = control[first + i] as number;
      flags |= own;
      asked |= (own & ASKED) << i;
    }
    if ((flags & SPECIAL) !== 0 || (first <= this.lastSeed && first + blocks > this.firstSeed)) return false;
    const addresses = this.addresses - (numbers[at + BLOCK.entries] as number);
    const part = this.part - (numbers[at + BLOCK.parts] as number);
    const { bits } = thread;
    const isPassed = asked === 0
      && (((bits[0] as number) & (numbers[at + BLOCK.written] as number)) | ((bits[1] as number) & (numbers[at + BLOCK.written + 1] as number))) === 0
      && numbers[at + BLOCK.writesMore] === 0
      && (numbers[at + BLOCK.hasStores] === 0 || memory.size === 0 || !storesMeet(stretch, addresses, table.stores[number] as Int32Array, memory));
    if (isPassed || this.repeat(table, at, first, asked, addresses, part)) {
      this.addresses = addresses;
      this.part = part;
      return true;
    }
    if (!table.isWorthwhile(at)) return false;
    this.recordPath(at, first, blocks, asked, addresses, part);
    return true;
  }

  /** Does a passage again, if there is one that fits. */
  private repeat({ numbers }: BlockTable, at: number, block: number, asked: number, addresses: number, part: number): boolean {
    const { passages, repeater, thread, memory, stretch: { sites, times } } = this;
    const all = passages.numbers;
    const site = sites[block] as number;
    let before = 0;
    let passage = numbers[at + BLOCK.passage] as number;
    while (passage !== 0 && !(all[passage + PASSAGE.site] === site && all[passage + PASSAGE.asked] === asked && repeater.repeat(passage, block, addresses, part, thread, memory))) {
      before = passage;
      passage = all[passage + PASSAGE.next] as number;
    }
    if (passage === 0) return false;
    const hits = all[passage + PASSAGE.hits] as number;
    if (hits === 0) passages.repeated.push(passage);
    all[passage + PASSAGE.hits] = hits + 1;
    all[passage + PASSAGE.time] = times[block] as number;
    numbers[at + BLOCK.hits] = (numbers[at + BLOCK.hits] as number) + 1;
    if (before !== 0) {
      all[before + PASSAGE.next] = all[passage + PASSAGE.next] as number;
      all[passage + PASSAGE.next] = numbers[at + BLOCK.passage] as number;
      numbers[at + BLOCK.passage] = passage;
    }
    return true;
  }

  /** Goes through the blocks of a path, to do it again later. */
  private recordPath(at: number, first: number, blocks: number, asked: number, firstAddress: number, firstPart: number): void {
    const { recorder, stretch: { layouts, layoutList, times, sites }, pathTable } = this;
    const defined = new Int32Array(UNIT_WORDS);
    for (let block = first; block < first + blocks; block++) this.definedBy((layoutList[layouts[block] as number] as Layout).code).forEach((word, i) => void (defined[i] = (defined[i] as number) | word));
    recorder.begin(defined, this.thread);
    this.firstPart = firstPart;
    this.firstBlock = first;
    this.mayHaveSeed = false;
    this.site = sites[first] as number;
    for (let block = first + blocks - 1; block >= first; block--) {
      const layout = layoutList[layouts[block] as number] as Layout;
      this.block = block;
      this.code = layout.code;
      this.addresses -= layout.code.entries;
      this.part -= layout.parts;
      recorder.entryBase = this.addresses - firstAddress;
      recorder.indexBase = (times[block] as number) - (times[first] as number);
      this.goThrough(layout.code, layout, this.part);
    }
    this.keepPassage(pathTable, at, asked);
  }

  private walkSingly(first: number, last: number): void {
    const { stretch, thread, memory, control, blocks } = this;
    const { layouts, layoutList, sites } = stretch;
    const { bits } = thread;
    let { numbers } = blocks;
    for (let block = last; block >= first; block--) {
      const number = layouts[block] as number;
      const at = number * BLOCK_NUMBERS;
      if (at >= numbers.length || numbers[at] === 0) {
        blocks.learn(layoutList[number] as Layout);
        ({ numbers } = blocks);
      }
      const addresses = (this.addresses -= numbers[at + BLOCK.entries] as number);
      const part = (this.part -= numbers[at + BLOCK.parts] as number);
      const flags = control[block] as number;
      const mayHaveSeed = block >= this.firstSeed && block <= this.lastSeed;
      if (flags === 0 && !mayHaveSeed
        && (((bits[0] as number) & (numbers[at + BLOCK.written] as number)) | ((bits[1] as number) & (numbers[at + BLOCK.written + 1] as number))) === 0
        && (numbers[at + BLOCK.writesMore] === 0 || !thread.meets((layoutList[number] as Layout).code.written as Int32Array))
        && (numbers[at + BLOCK.hasStores] === 0 || memory.size === 0 || !storesMeet(stretch, addresses, (layoutList[number] as Layout).code.stores, memory))) continue;
      const mayRepeat = this.mayRepeat && numbers[at + BLOCK.mayRepeat] !== 0 && !mayHaveSeed && (flags & SPECIAL) === 0;
      if (mayRepeat && this.repeat(blocks, at, block, flags, addresses, part)) continue;
      this.block = block;
      this.site = sites[block] as number;
      this.mayHaveSeed = mayHaveSeed;
      this.pass(layoutList[number] as Layout, part, mayRepeat);
    }
  }

  private begin(stretch: Stretch, to: number): void {
    this.stretch = stretch;
    this.control = new Uint8Array(stretch.count);
    this.calls = new Int32Array(stretch.count);
    this.laterControl = new Map();
    this.outerSets = new Int32Array(stretch.outer.length);
    this.repeater.begin(stretch, this.control, this.outerCount);
    if (this.mayRepeat) this.paths = this.programs.paths.of(stretch);
    this.path = this.paths.lasts.length - 1;
    this.to = to;
    this.systemCalls.clear();
    this.questions.clear();
    const cut = to >= stretch.end ? -1 : stretch.blockAt(to - 1);
    if (cut >= 0) this.control[cut] = SPECIAL;
    const { control, data } = this.earlier;
    for (const [instance, set] of control) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.control[block] = ASKED | SPECIAL;
      this.laterControl.set(block, set);
      control.delete(instance);
    }
    for (const [instance, set] of data) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      this.control[block] = (this.control[block] as number) | SPECIAL;
      this.calls[block] = set;
      data.delete(instance);
    }
  }

  private end({ outer }: Stretch): void {
    const { earlier: { control }, outerSets, wanters } = this;
    outerSets.forEach((set, i) => {
      const instance = outer[i] as number;
      if (set !== NO_WANTERS) control.set(instance, wanters.union(control.get(instance) ?? NO_WANTERS, set));
    });
    this.outerCount += outer.length;
    this.takeRepeated();
  }

  private keepPassage(table: BlockTable, at: number, asked: number): void {
    const { passages, recorder, blocks, pathTable } = this;
    if (passages.isFull) {
      this.takeRepeated();
      passages.clear();
      blocks.forgetPassages();
      pathTable.forgetPassages();
    }
    const made = recorder.end(this.site, asked, passages);
    if (made !== 0) table.addPassage(at, made, passages);
  }

  private takeRepeated(): void {
    this.passages.takeRepeated(this.stretch.time, (node, time, count) => this.graph.addMany(node, time, count));
  }

  /** Instruction by instruction; to do it again later. */
  private pass(layout: Layout, part: number, mayRepeat: boolean): void {
    const { code, number } = layout;
    const { recorder, blocks } = this;
    const at = number * BLOCK_NUMBERS;
    this.code = code;
    if (!mayRepeat || !blocks.isWorthwhile(at)) {
      this.goThrough(code, layout, part);
      return;
    }
    const asked = (this.control[this.block] as number) & ASKED;
    recorder.begin(this.definedBy(code), this.thread);
    recorder.entryBase = recorder.indexBase = 0;
    this.firstPart = part;
    this.firstBlock = this.block;
    this.goThrough(code, layout, part);
    this.keepPassage(blocks, at, asked);
  }

  /** Of what is before the stretch: a number below 0 that it has in no other stretch. */
  private outerNumber(ref: number): number {
    return ref === NO_REF ? NO_REF : ref - this.outerCount;
  }

  /** Units that a block's instructions define. */
  private definedBy(code: CodeBlock): Int32Array {
    if (code.defined !== undefined) return code.defined;
    const defined = new Int32Array(UNIT_WORDS);
    for (const one of code.instructions) this.recipesOf(one, 0).masks.forEach((mask, i) => void (defined[i] = (defined[i] as number) | mask));
    code.defined = defined;
    return defined;
  }

  // ---- the instructions of a block

  private goThrough(code: CodeBlock, layout: Layout, parts: number): void {
    const { stretch, block, thread, memory, to, recorder, seeds, options: { frames } } = this;
    const { instructions } = code;
    const { bits } = thread;
    const start = stretch.timeOf(block);
    const last = instructions.length - 1;
    const tops = code.usesX87 ? this.topsOf(code, stretch.tops.get(block) ?? 0) : undefined;
    const isLastAsked = ((this.control[block] as number) & ASKED) !== 0 || this.calls[block] !== 0;
    const { starts } = layout;
    let part = layout.parts - 1;
    this.parentPart = -1;
    for (let i = last; i >= 0; i--) {
      while (part > 0 && (starts[part] as number) > i) part--;
      const time = start + i;
      if (time >= to) continue;
      const instruction = instructions[i] as CodeInstruction;
      const recipes = tops === undefined ? ((frames ? instruction.framedRecipes : instruction.recipes) ?? this.recipesOf(instruction, 0)) : this.recipesOf(instruction, tops[i] as number);
      if (recorder.isGood) recorder.meet(recipes.masks);
      const isAsked = isLastAsked && i === last;
      const isOwnSeed = seeds !== undefined && this.mayHaveSeed && seeds.isSeed(time, instruction, this.threadId);
      const isWanted = (((bits[recipes.wordA] as number) & recipes.maskA) | ((bits[recipes.wordB] as number) & recipes.maskB)) !== 0;
      if (isAsked || isOwnSeed || isWanted || (recipes.hasStores && (memory.size > 0 || recorder.isGood)) || (!recipes.isPlain && thread.meets(recipes.masks))) {
        this.look(i, recipes, time, isAsked, isOwnSeed, parts + part);
      }
    }
  }

  private topsOf({ instructions }: CodeBlock, before: number): number[] {
    let top = before;
    return instructions.map((one) => {
      const own = top;
      if (one.usesX87) top = this.programs.table.dependencesAt(one, own).top ?? own;
      return own;
    });
  }

  private recipesOf(instruction: CodeInstruction, top: number): Recipes {
    const { frames } = this.options;
    if (top === 0) {
      return frames
        ? (instruction.framedRecipes ??= new Recipes(instruction, instruction.dependences, true))
        : (instruction.recipes ??= new Recipes(instruction, instruction.dependences, false));
    }
    const key = instruction.id * 8 + top;
    let known = this.recipesByTop.get(key);
    if (known === undefined) this.recipesByTop.set(key, (known = new Recipes(instruction, this.programs.table.dependencesAt(instruction, top), frames)));
    return known;
  }

  private look(i: number, recipes: Recipes, time: number, isAsked: boolean, isSeed: boolean, part: number): void {
    const { options, graph } = this;
    if (recipes.frame !== FRAME.none && !isSeed && this.passFrameWork(i, recipes, time)) return;
    this.found = NO_WANTERS;
    this.sourceCount = 0;
    const units = recipes.isPlain ? this.takeUnits(recipes) : undefined;
    const key = units === undefined ? this.takeCells(recipes) : 0;
    const unitPlace = this.found === NO_WANTERS ? -1 : this.place;
    const hasStored = recipes.hasStores && this.takeStores(i, recipes);
    const { found, recorder } = this;
    if (!isSeed && !isAsked && found === NO_WANTERS) return;
    const { instruction } = recipes;
    if (options.isWatched?.(instruction) === false) return;
    const node = options.nodeOf(instruction, this.site, time);
    graph.add(node, time, node === instruction.id);
    if (found !== NO_WANTERS) {
      if (recorder.isGood) recorder.edge(node, i, unitPlace, hasStored);
      if (units === undefined || hasStored) graph.addData(found, node, this.place, time);
      else if (units.lastFound !== found || units.lastNode !== node || units.lastGraph !== graph) {
        units.lastFound = found;
        units.lastNode = node;
        units.lastGraph = graph;
        graph.addData(found, node, this.place, time);
      }
    }
    const own = this.wanters.of(node);
    if (options.control) this.wantControl(part, node);
    if (recorder.isGood) recorder.member(node, i, node === instruction.id);
    if (isAsked) this.answer(node, time);
    if (!options.data) return;
    if (isSeed) this.want(i, recipes.everything, own);
    if (isAsked) this.want(i, recipes.decision, own);
    if (units !== undefined) this.want(i, units, own);
    else if (key !== 0) this.wantForCells(i, recipes, key, own);
    if (hasStored) this.wantForStores(i, recipes, own);
    const code = this.code as CodeBlock;
    if (code.ends === ENDS.syscall && i === code.length - 1) this.ask(time, own);
  }

  /**
   * Notes who wants what the instruction leaves in registers, which they want no more from before it. Returns which.
   * Undefined if it is not so simple.
   */
  private takeUnits(recipes: Recipes): Combination | undefined {
    const { units, bits } = this.thread;
    const { wordA, wordB, maskA, maskB } = recipes;
    const a = (bits[wordA] as number) & maskA;
    const b = (bits[wordB] as number) & maskB;
    if ((a | b) === 0) return NOT_WANTED;
    const made = recipes.forUnits(a, b);
    const { wanted } = made;
    let found = units[wanted[0] as number] as number;
    for (let k = 0; k < wanted.length; k++) {
      const set = units[wanted[k] as number] as number;
      if (set === SPLIT) return undefined;
      if (set !== found) found = this.wanters.union(found, set);
    }
    for (let k = 0; k < wanted.length; k++) units[wanted[k] as number] = NO_WANTERS;
    if (this.recorder.isGood) for (let k = 0; k < wanted.length; k++) this.recorder.takeUnit(wanted[k] as number);
    bits[wordA] = (bits[wordA] as number) & ~a;
    bits[wordB] = (bits[wordB] as number) & ~b;
    this.found = found;
    this.place = FIRST_CELL[wanted[0] as number] as number;
    return made;
  }

  /** The same, cell by cell. */
  private takeCells({ masks, cells, isSmall }: Recipes): number {
    const { thread, recorder } = this;
    if (!thread.meets(masks)) return 0;
    let key = 0;
    this.bigCount = 0;
    for (let k = 0; k < cells.length; k++) {
      const cell = cells[k] as number;
      const set = thread.at(cell);
      if (set === NO_WANTERS) continue;
      thread.clear(cell);
      if (recorder.isGood) recorder.takeCell(cell);
      this.note(set, cell);
      if (isSmall) key |= 1 << k;
      else this.bigKey[this.bigCount++] = k;
    }
    return isSmall ? key : -1;
  }

  private note(set: WanterSet, place: number): void {
    if (this.found === NO_WANTERS) this.place = place;
    this.found = this.wanters.union(this.found, set);
  }

  private wantForCells(i: number, recipes: Recipes, key: number, own: WanterSet): void {
    if (recipes.isSmall) this.want(i, recipes.forCells(key), own);
    else for (let k = 0; k < this.bigCount; k++) this.want(i, recipes.forCell(this.bigKey[k] as number), own);
  }

  /** The last instruction of the block is asked for by itself: as a branch or call, or because the kernel wrote. */
  private answer(node: number, time: number): void {
    const { block } = this;
    const calls = this.calls[block] as number;
    if (calls !== NO_WANTERS) this.graph.addData(calls, node, MEMORY, time);
    if (this.laterControl.size > 0) for (const from of this.wanters.nodes(this.laterControl.get(block) ?? NO_WANTERS)) this.graph.addControl(from, node, time);
  }

  /** What a system call does depends on what it was asked. */
  private ask(time: number, own: WanterSet): void {
    const made = this.systemCalls.get(this.block);
    if (made?.syscall === undefined) return;
    this.inputs.set(time, made);
    for (const { offset } of questionSlots(made.syscall)) for (let i = 0; i < 8; i++) this.thread.add(offset + i, own);
    for (const { space, linear, bytes } of this.questions.get(time) ?? []) this.memoryOf(space).add(linear, bytes, own);
  }

  private want(i: number, recipe: Recipe, own: WanterSet): void {
    const { thread, stretch } = this;
    const { units, cells, loads } = recipe;
    if (this.recorder.isGood) this.recorder.want(recipe, own);
    for (let k = 0; k < units.length; k++) {
      const unit = units[k] as number;
      if (thread.units[unit] !== own) thread.addUnit(unit, own);
    }
    for (let k = 0; k < cells.length; k++) thread.add(cells[k] as number, own);
    for (let k = 0; k < loads.length; k += 3) {
      const { entry, bytes, count } = ((this.code as CodeBlock).accesses[i] as readonly LoggedAccess[])[loads[k] as number] as LoggedAccess;
      const address = stretch.addresses[this.addresses + entry] as number;
      if (count === undefined) this.wantMemory(linearOf(address), entry, loads[k + 1] as number, loads[k + 2] as number, own);
      else {
        this.recorder.isGood = false;
        const range = rangeOf(address, (stretch.addresses[this.addresses + count] as number) | 0, bytes);
        this.memory.add(linearOf(range.address), range.bytes, own);
      }
    }
  }

  /** So many bytes, `offset` from where an entry of the addresses says. */
  private wantMemory(linear: number, entry: number, offset: number, bytes: number, own: WanterSet): void {
    const { memory, recorder } = this;
    if (bytes > MOST_BYTES) recorder.isGood = false;
    if (recorder.isGood) recorder.load(entry, offset, bytes, own);
    memory.add(linear + offset, bytes, own);
  }

  /** The instance depends on what its part of the block depends on. */
  private wantControl(part: number, node: number): void {
    if (part !== this.parentPart) this.findParent(part);
    const { parentRef, graph } = this;
    if (parentRef >= 0) {
      if (graph.lastParent(node) !== this.parentNode) graph.addControl(node, this.parentNode, this.parentTime);
    } else if (parentRef !== NO_REF) {
      const place = -2 - parentRef;
      const number = this.outerNumber(parentRef);
      if (graph.lastParent(node) === number) return;
      graph.setLastParent(node, number);
      this.outerSets[place] = this.wanters.union(this.outerSets[place] as number, this.wanters.of(node));
    }
  }

  private findParent(part: number): void {
    const { stretch } = this;
    const ref = stretch.parents[part] as number;
    this.parentPart = part;
    this.parentRef = ref;
    const { recorder } = this;
    if (ref < 0) {
      if (recorder.isGood) recorder.part(part - this.firstPart, -1, this.outerNumber(ref));
      return;
    }
    if (recorder.isGood) {
      if (ref >= this.firstBlock) recorder.part(part - this.firstPart, INSIDE, ref - this.firstBlock);
      else recorder.part(part - this.firstPart, stretch.layouts[ref] as number, stretch.sites[ref] as number);
    }
    this.control[ref] = (this.control[ref] as number) | ASKED;
    const { code } = stretch.layoutList[stretch.layouts[ref] as number] as Layout;
    this.parentTime = stretch.timeOf(ref) + code.length - 1;
    this.parentNode = this.options.nodeOf(code.instructions[code.length - 1] as CodeInstruction, stretch.sites[ref] as number, this.parentTime);
  }

  // ---- stores

  /** As `takeUnits`, of what the instruction stores. */
  private takeStores(i: number, { dependences }: Recipes): boolean {
    const { stretch, addresses } = this;
    const logged = (this.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    let isAny = false;
    for (let k = 0; k < logged.length; k++) {
      const { isWrite, entry, bytes, count } = logged[k] as LoggedAccess;
      this.storeKeys[k] = 0;
      if (!isWrite) continue;
      if (count !== undefined || bytes > MOST_BYTES) {
        if (this.takeMany(i, dependences.repeats, k)) isAny = true;
        continue;
      }
      const linear = linearOf(stretch.addresses[addresses + entry] as number);
      const key = ((linear | bytes) & 3) === 0 ? this.takeWords(linear, bytes, entry) : this.takeBytes(linear, bytes, entry, 0);
      this.storeKeys[k] = key;
      if (key !== 0) isAny = true;
    }
    return isAny;
  }

  /** Words that lie right. Returns a bit for each byte that was wanted. */
  private takeWords(linear: number, bytes: number, entry: number): number {
    const { memory, recorder } = this;
    let key = 0;
    for (let byte = 0; byte < bytes; byte += 4) {
      const set = memory.wordAt(linear + byte);
      if (set === SPLIT) {
        key |= this.takeBytes(linear + byte, 4, entry, byte) << byte;
        continue;
      }
      if (recorder.isGood) recorder.stored(entry, byte, true, set !== NO_WANTERS);
      if (set === NO_WANTERS) continue;
      memory.setWord(linear + byte, NO_WANTERS);
      this.note(this.withoutRestores(set), MEMORY + this.stretch.fullAddress(this.addresses + entry) + byte);
      key |= 0xf << byte;
    }
    return key;
  }

  private takeBytes(linear: number, bytes: number, entry: number, from: number): number {
    const { memory, recorder } = this;
    let key = 0;
    for (let byte = 0; byte < bytes; byte++) {
      const set = memory.at(linear + byte);
      if (recorder.isGood) recorder.stored(entry, from + byte, false, set !== NO_WANTERS);
      if (set === NO_WANTERS) continue;
      memory.set(linear + byte, NO_WANTERS);
      this.note(this.withoutRestores(set), MEMORY + this.stretch.fullAddress(this.addresses + entry) + from + byte);
      key |= 1 << byte;
    }
    return key;
  }

  /** Of a repeated store, or one of a whole image: bytes are put away, and in pairs of access and byte. */
  private takeMany(i: number, repeats: string | undefined, access: number): boolean {
    const { stretch, addresses, memory } = this;
    this.recorder.isGood = false;
    const logged = (this.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    const { entry, bytes, count } = logged[access] as LoggedAccess;
    const address = stretch.fullAddress(addresses + entry);
    const elements = count === undefined ? 1 : (stretch.addresses[addresses + count] as number) | 0;
    const range = rangeOf(address, elements, bytes);
    if (range.bytes === 0 || !memory.meets(linearOf(range.address), range.bytes)) return false;
    const source = repeats === 'rep.movs' ? stretch.fullAddress(addresses + (logged[0] as LoggedAccess).entry) : undefined;
    for (let byte = 0; byte < range.bytes; byte++) {
      const linear = linearOf(range.address + byte);
      const set = memory.at(linear);
      if (set === NO_WANTERS) continue;
      memory.set(linear, NO_WANTERS);
      this.note(this.withoutRestores(set), MEMORY + range.address + byte);
      const from = source === undefined ? -1 : linearOf(sourceOf(range.address + byte, source, address, elements, bytes));
      this.sources[this.sourceCount++] = access;
      this.sources[this.sourceCount++] = byte;
      this.sources[this.sourceCount++] = from;
    }
    return true;
  }

  private wantForStores(i: number, recipes: Recipes, own: WanterSet): void {
    const { length } = (this.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    for (let k = 0; k < length; k++) if (this.storeKeys[k] !== 0) this.want(i, recipes.forStored(k, this.storeKeys[k] as number), own);
    const { sources } = this;
    for (let k = 0; k < this.sourceCount; k += 3) {
      this.want(i, recipes.forStoredByte(sources[k] as number, sources[k + 1] as number), own);
      if ((sources[k + 2] as number) >= 0) this.memory.add(sources[k + 2] as number, 1, own);
    }
  }

  // ---- frames

  /** Whether the instruction is only the work of a function on its own frame. */
  private passFrameWork(i: number, { frame, register }: Recipes, time: number): boolean {
    if (frame === FRAME.point) {
      if (this.recorder.isGood) for (const unit of [0, 1]) this.recorder.dropUnit((UNIT_OF[RBP.offset] as number) + unit);
      this.thread.clearUnit(UNIT_OF[RBP.offset] as number);
      this.thread.clearUnit((UNIT_OF[RBP.offset] as number) + 1);
      return true;
    }
    const { entry } = ((this.code as CodeBlock).accesses[i] as readonly LoggedAccess[])[0] as LoggedAccess;
    const slot = linearOf(this.stretch.addresses[this.addresses + entry] as number);
    if (frame === FRAME.save) return this.passSave(slot, entry, register);
    if (this.real.size === 0 || !this.real.has(time)) return this.passRestore(slot, entry, register, time);
    this.recorder.isGood = false;
    return false;
  }

  private passRestore(slot: number, entry: number, register: number, time: number): boolean {
    const { thread, restores } = this;
    const unit = UNIT_OF[register] as number;
    const low = thread.units[unit] as number;
    const high = thread.units[unit + 1] as number;
    if ((low | high) === NO_WANTERS) return true;
    if (low !== SPLIT && high !== SPLIT && !this.isCareful) {
      const tag = restores.common(register, low, high);
      if (this.recorder.isGood) this.recorder.restore(entry, register, unit);
      if (low !== NO_WANTERS) this.memory.add(slot, 4, tag);
      if (high !== NO_WANTERS) this.memory.add(slot + 4, 4, tag);
    } else {
      this.recorder.isGood = false;
      const wanted = EIGHT.map((k) => thread.at(register + k));
      const left = wanted.filter((set) => set !== NO_WANTERS).length;
      const tag = restores.add({ time, register, wanters: wanted, left });
      wanted.forEach((set, k) => set !== NO_WANTERS && this.memory.add(slot + k, 1, tag));
    }
    thread.clearUnit(unit);
    thread.clearUnit(unit + 1);
    return true;
  }

  /** Of those who want the saved bytes, the restores of the same register want the register. */
  private passSave(slot: number, entry: number, register: number): boolean {
    const { memory, recorder } = this;
    let [isWanted, isPlain] = [false, true];
    for (let k = 0; k < 8; ) {
      const word = memory.wordAt(slot + k);
      const isWord = ((slot | k) & 3) === 0 && word !== SPLIT;
      const set = isWord ? word : memory.at(slot + k);
      const rest = set === NO_WANTERS ? NO_WANTERS : this.passSaved(set, register, k, isWord);
      if (rest !== set) {
        if (isWord) memory.setWord(slot + k, rest);
        else memory.set(slot + k, rest);
      }
      if (rest !== NO_WANTERS) isWanted = true;
      if (!isWord) isPlain = false;
      k += isWord ? 4 : 1;
    }
    if (isWanted || !isPlain) recorder.isGood = false;
    else if (recorder.isGood) recorder.save(entry, register, UNIT_OF[register] as number);
    return !isWanted;
  }

  /** A byte or a word of it. Returns who wants it for another reason. */
  private passSaved(set: WanterSet, register: number, k: number, isWord: boolean): WanterSet {
    const { thread, restores } = this;
    const own = restores.tagsIn(set).filter((tag) => restores.get(tag).register === register);
    if (own.length === 0) return set;
    for (const tag of own) {
      const { wanters } = restores.get(tag);
      for (let byte = k; byte < (isWord ? k + 4 : k + 1); byte++) if (wanters[byte] !== NO_WANTERS) thread.add(register + byte, wanters[byte] as number);
      restores.found(tag, isWord ? 4 : 1);
    }
    return this.wanters.without(set, own);
  }

  /** Something else has defined what a function took for a saved register. */
  private withoutRestores(set: WanterSet): WanterSet {
    if (!this.wanters.hasTags(set)) return set;
    const tags = this.restores.tagsIn(set);
    this.recorder.isGood = false;
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

  /** As options are asked for an instruction (filters.ts): its node, whether its control is followed, and its data. */
  private callerOf({ instance, instruction, site }: SystemCall): WanterSet {
    const { options, wanters } = this;
    if (options.isWatched?.(instruction) === false) return NO_WANTERS;
    const node = options.nodeOf(instruction, site, instance);
    void options.control;
    return options.data ? wanters.of(node) : NO_WANTERS;
  }

  private noteQuestion(question: Question, instance: number): void {
    const known = this.questions.get(instance);
    if (known === undefined) this.questions.set(instance, [question]);
    else known.push(question);
  }

  private isSeedCall({ instance, instruction }: SystemCall, thread: number): boolean {
    const { seeds } = this;
    return seeds !== undefined && instance >= seeds.from && instance < seeds.to && seeds.isSeed(instance, instruction, thread);
  }

  private wantCall(stretch: Stretch, instance: number, wanters: WanterSet): void {
    if (instance === NO_INSTANCE || wanters === NO_WANTERS) return;
    const block = stretch.blockAt(instance);
    if (block >= 0) {
      this.control[block] = (this.control[block] as number) | SPECIAL;
      this.calls[block] = this.wanters.union(this.calls[block] as number, wanters);
    } else this.earlier.data.set(instance, this.wanters.union(this.earlier.data.get(instance) ?? NO_WANTERS, wanters));
  }
}
