/**
 * The blocks of a stretch, from the last to the first, and paths of them (trace/paths.ts). Most define nothing that is
 * wanted, and cost a look at a few words for their registers, and one for the page of each store. Others do what they
 * have done before (trace/passages.ts). What is left is gone through instruction by instruction.
 */
import { storesMeet } from '../trace/blockLooks.js';
import { BLOCK, BLOCK_NUMBERS, BlockTable } from '../trace/blockTable.js';
import type { CodeBlock, CodeInstruction } from '../trace/codeTable.js';
import { PassageRepeater } from '../trace/passageRepeater.js';
import { PASSAGE, Passages } from '../trace/passages.js';
import type { StretchPaths } from '../trace/paths.js';
import { ASKED, type Layout, SPECIAL } from '../trace/stretch.js';
import { UNIT_WORDS } from '../trace/units.js';
import { InstructionWalk } from './instructionWalk.js';
import type { Standing } from './standing.js';

const NO_PATHS: StretchPaths = { lasts: new Int32Array(0), numbers: new Int32Array(0) };

export class BlockWalk {
  private readonly instructions: InstructionWalk;
  private readonly blocks = new BlockTable();
  private readonly pathTable = new BlockTable();
  private paths: StretchPaths = NO_PATHS;
  /** The last of the paths that the walk has not come to. */
  private path = -1;
  private readonly passages = new Passages();
  private readonly repeater: PassageRepeater;
  private readonly mayRepeat: boolean;

  constructor(private readonly at: Standing) {
    const { graph, wanters, restores, options } = at;
    // Nodes that stand for single instances are never the same again.
    this.mayRepeat = options.nodeOf.length < 3 && options.isWatched === undefined;
    this.instructions = new InstructionWalk(at);
    this.repeater = new PassageRepeater({
      graph, wanters, restores, passages: this.passages,
      endNode: ({ code }, site) => options.nodeOf(code.instructions[code.length - 1] as CodeInstruction, site, 0),
      wantOuter: (place, node) => void (at.outerSets[place] = wanters.union(at.outerSets[place] as number, wanters.of(node))),
    });
  }

  /** Another stretch. */
  begin(): void {
    const { stretch, control, outerCount, programs } = this.at;
    this.repeater.begin(stretch, control, outerCount);
    if (this.mayRepeat) this.paths = programs.paths.of(stretch);
    this.path = this.paths.lasts.length - 1;
  }

  /** From the last of some blocks to the first; nothing happens between them. The inner loop of slices. */
  walk(first: number, end: number): void {
    const { mayRepeat, pathTable, paths: { lasts, numbers } } = this;
    if (!mayRepeat) {
      this.walkSingly(first, end - 1);
      return;
    }
    for (let block = end - 1; block >= first; ) {
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
      const blocks = this.at.programs.paths.lengths[number] as number;
      const from = Math.max(first, block - blocks + 1);
      if (from > block - blocks + 1 || !this.walkPath(pathTable, number, from, blocks)) this.walkSingly(from, block);
      block = from - 1;
    }
  }

  /** All blocks of a path at once, if it is known what they do. */
  private walkPath(table: BlockTable, number: number, first: number, blocks: number): boolean {
    const { stretch, thread, memory, control } = this.at;
    const at = number * BLOCK_NUMBERS;
    if (at >= table.numbers.length || table.numbers[at] === 0) {
      if (!table.isMetOften(number)) return false;
      table.learnPath(number, stretch, first, blocks);
    }
    const { numbers } = table;
    let [asked, flags] = [0, 0];
    for (let i = 0; i < blocks; i++) {
      const own = control[first + i] as number;
      flags |= own;
      asked |= (own & ASKED) << i;
    }
    if ((flags & SPECIAL) !== 0 || (first <= this.at.lastSeed && first + blocks > this.at.firstSeed)) return false;
    const addresses = this.at.addresses - (numbers[at + BLOCK.entries] as number);
    const part = this.at.part - (numbers[at + BLOCK.parts] as number);
    const { bits } = thread;
    const isPassed = asked === 0
      && (((bits[0] as number) & (numbers[at + BLOCK.written] as number)) | ((bits[1] as number) & (numbers[at + BLOCK.written + 1] as number))) === 0
      && numbers[at + BLOCK.writesMore] === 0
      && (numbers[at + BLOCK.hasStores] === 0 || memory.size === 0 || !storesMeet(stretch, addresses, table.stores[number] as Int32Array, memory));
    if (isPassed || this.repeat(table, at, first, asked, addresses, part)) {
      this.at.addresses = addresses;
      this.at.part = part;
      return true;
    }
    if (!table.isWorthwhile(at)) return false;
    this.recordPath(at, first, blocks, asked, addresses, part);
    return true;
  }

  /** Does a passage again, if there is one that fits. */
  private repeat({ numbers }: BlockTable, at: number, block: number, asked: number, addresses: number, part: number): boolean {
    const { passages, repeater } = this;
    const { thread, memory, stretch: { sites, times } } = this.at;
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
    const { recorder, stretch: { layouts, layoutList, times, sites } } = this.at;
    const { pathTable } = this;
    const defined = new Int32Array(UNIT_WORDS);
    for (let block = first; block < first + blocks; block++) this.definedBy((layoutList[layouts[block] as number] as Layout).code).forEach((word, i) => void (defined[i] = (defined[i] as number) | word));
    recorder.begin(defined, this.at.thread);
    this.at.firstPart = firstPart;
    this.at.firstBlock = first;
    this.at.mayHaveSeed = false;
    this.at.site = sites[first] as number;
    for (let block = first + blocks - 1; block >= first; block--) {
      const layout = layoutList[layouts[block] as number] as Layout;
      this.at.block = block;
      this.at.code = layout.code;
      this.at.addresses -= layout.code.entries;
      this.at.part -= layout.parts;
      recorder.entryBase = this.at.addresses - firstAddress;
      recorder.indexBase = (times[block] as number) - (times[first] as number);
      this.instructions.goThrough(layout.code, layout, this.at.part);
    }
    this.keepPassage(pathTable, at, asked);
  }

  private walkSingly(first: number, last: number): void {
    const { stretch, thread, memory, control } = this.at;
    const { blocks } = this;
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
      const addresses = (this.at.addresses -= numbers[at + BLOCK.entries] as number);
      const part = (this.at.part -= numbers[at + BLOCK.parts] as number);
      const flags = control[block] as number;
      const mayHaveSeed = block >= this.at.firstSeed && block <= this.at.lastSeed;
      if (flags === 0 && !mayHaveSeed
        && (((bits[0] as number) & (numbers[at + BLOCK.written] as number)) | ((bits[1] as number) & (numbers[at + BLOCK.written + 1] as number))) === 0
        && (numbers[at + BLOCK.writesMore] === 0 || !thread.meets((layoutList[number] as Layout).code.written as Int32Array))
        && (numbers[at + BLOCK.hasStores] === 0 || memory.size === 0 || !storesMeet(stretch, addresses, (layoutList[number] as Layout).code.stores, memory))) continue;
      const mayRepeat = this.mayRepeat && numbers[at + BLOCK.mayRepeat] !== 0 && !mayHaveSeed && (flags & SPECIAL) === 0;
      if (mayRepeat && this.repeat(blocks, at, block, flags, addresses, part)) continue;
      this.at.block = block;
      this.at.site = sites[block] as number;
      this.at.mayHaveSeed = mayHaveSeed;
      this.pass(layoutList[number] as Layout, part, mayRepeat);
    }
  }

  /** Instruction by instruction; to do it again later. */
  private pass(layout: Layout, part: number, mayRepeat: boolean): void {
    const { code, number } = layout;
    const { recorder } = this.at;
    const { blocks } = this;
    const at = number * BLOCK_NUMBERS;
    this.at.code = code;
    if (!mayRepeat || !blocks.isWorthwhile(at)) {
      this.instructions.goThrough(code, layout, part);
      return;
    }
    const asked = (this.at.control[this.at.block] as number) & ASKED;
    recorder.begin(this.definedBy(code), this.at.thread);
    recorder.entryBase = recorder.indexBase = 0;
    this.at.firstPart = part;
    this.at.firstBlock = this.at.block;
    this.instructions.goThrough(code, layout, part);
    this.keepPassage(blocks, at, asked);
  }

  private keepPassage(table: BlockTable, at: number, asked: number): void {
    const { passages, blocks, pathTable } = this;
    const { recorder } = this.at;
    if (passages.isFull) {
      this.takeRepeated();
      passages.clear();
      blocks.forgetPassages();
      pathTable.forgetPassages();
    }
    const made = recorder.end(this.at.site, asked, passages);
    if (made !== 0) table.addPassage(at, made, passages);
  }

  /** Units that a block's instructions define. */
  private definedBy(code: CodeBlock): Int32Array {
    if (code.defined !== undefined) return code.defined;
    const defined = new Int32Array(UNIT_WORDS);
    for (const one of code.instructions) this.instructions.recipesOf(one, 0).masks.forEach((mask, i) => void (defined[i] = (defined[i] as number) | mask));
    code.defined = defined;
    return defined;
  }

  takeRepeated(): void {
    this.passages.takeRepeated(this.at.stretch.time, (node, time, count) => this.at.graph.addMany(node, time, count));
  }
}
