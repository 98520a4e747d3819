/**
 * The instructions of a block, from its last to its first: those that left something that is wanted are members, and
 * want what that depended on.
 */
import type { LoggedAccess } from '../../ir/loggedBlocks.js';
import { questionSlots } from '../../replay/branch/callArguments.js';
import { MEMORY } from '../graph.js';
import { rangeOf } from '../trace/accesses.js';
import { type CodeBlock, type CodeInstruction, ENDS } from '../trace/codeTable.js';
import { type Combination, FRAME, type Recipe, Recipes } from '../trace/recipes.js';
import { ASKED, type Layout } from '../trace/stretch.js';
import { FIRST_CELL } from '../trace/units.js';
import { linearOf } from '../wants/memoryWants.js';
import { NO_WANTERS, SPLIT, type WanterSet } from '../wants/wanters.js';
import { ControlWants } from './controlWants.js';
import { FrameWork } from './frameWork.js';
import type { Standing } from './standing.js';
import { MOST_BYTES, StoredBytes } from './storedBytes.js';

const NOT_WANTED: Combination = { units: new Int32Array(0), cells: new Int32Array(0), loads: new Int32Array(0), wanted: new Int32Array(0), lastFound: 0, lastNode: -1, lastGraph: undefined };

export class InstructionWalk {
  private readonly recipesByTop = new Map<number, Recipes>();
  private readonly control: ControlWants;
  private readonly frames: FrameWork;
  private readonly stores: StoredBytes;
  /** Cells that are wanted of an instruction with many. */
  private readonly bigKey: number[] = [];
  private bigCount = 0;

  constructor(private readonly at: Standing) {
    this.control = new ControlWants(at);
    this.frames = new FrameWork(at);
    this.stores = new StoredBytes(at, (i, recipe, own) => this.want(i, recipe, own));
  }

  /** From the last instruction of a block to the first; its parts begin there. */
  goThrough(code: CodeBlock, layout: Layout, parts: number): void {
    const { stretch, block, thread, memory, to, recorder, seeds, options: { frames } } = this.at;
    const { instructions } = code;
    const { bits } = thread;
    const start = stretch.timeOf(block);
    const last = instructions.length - 1;
    const tops = code.usesX87 ? this.topsOf(code, stretch.tops.get(block) ?? 0) : undefined;
    const isLastAsked = ((this.at.control[block] as number) & ASKED) !== 0 || this.at.calls.has(block);
    const { starts } = layout;
    let part = layout.parts - 1;
    this.control.begin();
    for (let i = last; i >= 0; i--) {
      while (part > 0 && (starts[part] as number) > i) part--;
      const time = start + i;
      if (time >= to) continue;
      const instruction = instructions[i] as CodeInstruction;
      const recipes = tops === undefined ? ((frames ? instruction.framedRecipes : instruction.recipes) ?? this.recipesOf(instruction, 0)) : this.recipesOf(instruction, tops[i] as number);
      if (recorder.isGood) recorder.meet(recipes.masks);
      const isAsked = isLastAsked && i === last;
      const isOwnSeed = seeds !== undefined && this.at.mayHaveSeed && seeds.isSeed(time, instruction, this.at.threadId);
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
      if (one.usesX87) top = this.at.programs.table.dependencesAt(one, own).top ?? own;
      return own;
    });
  }

  recipesOf(instruction: CodeInstruction, top: number): Recipes {
    const { frames } = this.at.options;
    if (top === 0) {
      return frames
        ? (instruction.framedRecipes ??= new Recipes(instruction, instruction.dependences, true))
        : (instruction.recipes ??= new Recipes(instruction, instruction.dependences, false));
    }
    const key = instruction.id * 8 + top;
    let known = this.recipesByTop.get(key);
    if (known === undefined) this.recipesByTop.set(key, (known = new Recipes(instruction, this.at.programs.table.dependencesAt(instruction, top), frames)));
    return known;
  }

  private look(i: number, recipes: Recipes, time: number, isAsked: boolean, isSeed: boolean, part: number): void {
    const { options, graph } = this.at;
    if (recipes.frame !== FRAME.none && !isSeed && this.frames.pass(i, recipes, time)) return;
    this.at.found = NO_WANTERS;
    const units = recipes.isPlain ? this.takeUnits(recipes) : undefined;
    const key = units === undefined ? this.takeCells(recipes) : 0;
    const unitPlace = this.at.found === NO_WANTERS ? -1 : this.at.place;
    const hasStored = recipes.hasStores && this.stores.take(i, recipes);
    const { found, recorder } = this.at;
    if (!isSeed && !isAsked && found === NO_WANTERS) return;
    const { instruction } = recipes;
    if (options.isWatched?.(instruction) === false) return;
    const node = options.nodeOf(instruction, this.at.site, time);
    graph.add(node, time, node === instruction.id);
    if (found !== NO_WANTERS) {
      if (recorder.isGood) recorder.edge(node, i, unitPlace, hasStored);
      if (units === undefined || hasStored) graph.addData(found, node, this.at.place, time);
      else if (units.lastFound !== found || units.lastNode !== node || units.lastGraph !== graph) {
        units.lastFound = found;
        units.lastNode = node;
        units.lastGraph = graph;
        graph.addData(found, node, this.at.place, time);
      }
    }
    const own = this.at.wanters.of(node);
    if (options.control) this.control.want(part, node);
    if (recorder.isGood) recorder.member(node, i, node === instruction.id);
    if (isAsked) this.answer(node, time);
    if (!options.data) return;
    if (isSeed) this.want(i, recipes.everything, own);
    if (isAsked) this.want(i, recipes.decision, own);
    if (units !== undefined) this.want(i, units, own);
    else if (key !== 0) this.wantForCells(i, recipes, key, own);
    if (hasStored) this.stores.wantFor(i, recipes, own);
    const code = this.at.code as CodeBlock;
    if (code.ends === ENDS.syscall && i === code.length - 1) this.ask(time, own);
  }

  /**
   * Notes who wants what the instruction leaves in registers, which they want no more from before it. Returns which.
   * Undefined if it is not so simple.
   */
  private takeUnits(recipes: Recipes): Combination | undefined {
    const { units, bits } = this.at.thread;
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
      if (set !== found) found = this.at.wanters.union(found, set);
    }
    for (let k = 0; k < wanted.length; k++) units[wanted[k] as number] = NO_WANTERS;
    if (this.at.recorder.isGood) for (let k = 0; k < wanted.length; k++) this.at.recorder.takeUnit(wanted[k] as number);
    bits[wordA] = (bits[wordA] as number) & ~a;
    bits[wordB] = (bits[wordB] as number) & ~b;
    this.at.found = found;
    this.at.place = FIRST_CELL[wanted[0] as number] as number;
    return made;
  }

  /** The same, cell by cell. */
  private takeCells({ masks, cells, isSmall }: Recipes): number {
    const { thread, recorder } = this.at;
    if (!thread.meets(masks)) return 0;
    let key = 0;
    this.bigCount = 0;
    for (let k = 0; k < cells.length; k++) {
      const cell = cells[k] as number;
      const set = thread.at(cell);
      if (set === NO_WANTERS) continue;
      thread.clear(cell);
      if (recorder.isGood) recorder.takeCell(cell);
      this.at.note(set, cell);
      if (isSmall) key |= 1 << k;
      else this.bigKey[this.bigCount++] = k;
    }
    return isSmall ? key : -1;
  }

  private wantForCells(i: number, recipes: Recipes, key: number, own: WanterSet): void {
    if (recipes.isSmall) this.want(i, recipes.forCells(key), own);
    else for (let k = 0; k < this.bigCount; k++) this.want(i, recipes.forCell(this.bigKey[k] as number), own);
  }

  /** The last instruction of the block is asked for by itself: as a branch or call, or because the kernel wrote. */
  private answer(node: number, time: number): void {
    const { block } = this.at;
    const calls = this.at.calls.get(block) ?? NO_WANTERS;
    if (calls !== NO_WANTERS) this.at.graph.addData(calls, node, MEMORY, time);
    if (this.at.laterControl.size > 0) for (const from of this.at.wanters.nodes(this.at.laterControl.get(block) ?? NO_WANTERS)) this.at.graph.addControl(from, node, time);
  }

  /** What a system call does depends on what it was asked. */
  private ask(time: number, own: WanterSet): void {
    const made = this.at.systemCalls.get(this.at.block);
    if (made?.syscall === undefined) return;
    this.at.inputs.set(time, made);
    for (const { offset } of questionSlots(made.syscall)) for (let i = 0; i < 8; i++) this.at.thread.add(offset + i, own);
    for (const { space, linear, bytes } of this.at.questions.get(time) ?? []) this.at.memoryOf(space).add(linear, bytes, own);
  }

  private want(i: number, recipe: Recipe, own: WanterSet): void {
    const { thread, stretch } = this.at;
    const { units, cells, loads } = recipe;
    if (this.at.recorder.isGood) this.at.recorder.want(recipe, own);
    for (let k = 0; k < units.length; k++) {
      const unit = units[k] as number;
      if (thread.units[unit] !== own) thread.addUnit(unit, own);
    }
    for (let k = 0; k < cells.length; k++) thread.add(cells[k] as number, own);
    for (let k = 0; k < loads.length; k += 3) {
      const { entry, bytes, count } = ((this.at.code as CodeBlock).accesses[i] as readonly LoggedAccess[])[loads[k] as number] as LoggedAccess;
      const address = stretch.addresses[this.at.addresses + entry] as number;
      if (count === undefined) this.wantMemory(linearOf(address), entry, loads[k + 1] as number, loads[k + 2] as number, own);
      else {
        this.at.recorder.isGood = false;
        const range = rangeOf(address, (stretch.addresses[this.at.addresses + count] as number) | 0, bytes);
        this.at.memory.add(linearOf(range.address), range.bytes, own);
      }
    }
  }

  /** So many bytes, `offset` from where an entry of the addresses says. */
  private wantMemory(linear: number, entry: number, offset: number, bytes: number, own: WanterSet): void {
    const { memory, recorder } = this.at;
    if (bytes > MOST_BYTES) recorder.isGood = false;
    if (recorder.isGood) recorder.load(entry, offset, bytes, own);
    memory.add(linear + offset, bytes, own);
  }
}
