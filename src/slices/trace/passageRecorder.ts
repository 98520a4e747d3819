/**
 * Makes a passage (passages.ts) while the walk goes through a block: it is told of all that is taken and wanted, and
 * knows of every cell whether what was wanted of it after the block still is, and who wants it inside of the block.
 */
import type { ThreadWants } from '../wants/threadWants.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from '../wants/wanters.js';
import { CELL, PART, PASSAGE, type Passages, STEP, UNCOUNTED, UNIT } from './passages.js';
import type { Recipe } from './recipes.js';
import { CELLS_OF, FIRST_CELL, UNIT_BYTES, UNIT_OF, UNIT_WORDS, UNITS } from './units.js';

const ALL_CELLS = 0xf;

export class PassageRecorder {
  /** What is done can be done again, as far as is known. */
  isGood = false;
  /** Where the block's addresses and instructions begin in the path. */
  entryBase = 0;
  indexBase = 0;
  private steps: number[] = [];
  private parts: number[] = [];
  private members: number[] = [];
  private masks: Int32Array = new Int32Array(UNIT_WORDS);
  private expected: Int32Array = new Int32Array(UNIT_WORDS);
  private readonly splitUnits = new Int32Array(UNIT_WORDS);
  private splits: number[] = [];
  /** Of each unit: cells that are defined in the part of the block that was gone through, a bit for each. */
  private readonly defined = new Uint8Array(UNITS);
  /** Of each cell of each unit: who wants it inside of the block. */
  private readonly wanted = new Int32Array(UNITS * UNIT_BYTES);
  private readonly touched = new Set<number>();
  /** Units that are wanted by those who wanted a saved register: by whom is known only when it is done. */
  private readonly saved = new Int32Array(UNIT_WORDS);
  private hasSaved = false;
  /** Of the instruction that is looked at: units that are wanted after the block, and who wants it inside. */
  private readonly outside: number[] = [];
  private inside: WanterSet = NO_WANTERS;

  constructor(private readonly wanters: Wanters) {}

  /** `defined`: units that the block defines. */
  begin(defined: Int32Array, { bits, units, bytes }: ThreadWants): void {
    this.isGood = true;
    this.steps = [];
    this.parts = [];
    this.members = [];
    this.splits = [];
    for (const unit of this.touched) {
      this.defined[unit] = 0;
      this.wanted.fill(NO_WANTERS, unit * UNIT_BYTES, (unit + 1) * UNIT_BYTES);
    }
    this.touched.clear();
    this.saved.fill(0);
    this.hasSaved = false;
    this.splitUnits.fill(0);
    this.outside.length = 0;
    this.inside = NO_WANTERS;
    this.masks = defined;
    this.expected = defined.map((word, i) => word & (bits[i] as number));
    for (let unit = 0; unit < UNITS; unit++) {
      if (!has(this.expected, unit) || units[unit] !== SPLIT) continue;
      put(this.splitUnits, unit);
      this.splits.push(unit, wantedBytes(bytes, unit));
    }
  }

  /** An instruction leaves something in a cell that is wanted. */
  takeCell(cell: number): void {
    const unit = UNIT_OF[cell] as number;
    const byte = cell - (FIRST_CELL[unit] as number);
    const at = unit * UNIT_BYTES + byte;
    if (((this.defined[unit] as number) & (1 << byte)) === 0 && has(this.expected, unit)) {
      const place = has(this.splitUnits, unit) ? CELL + at : unit;
      if (!this.outside.includes(place)) this.outside.push(place);
    }
    this.inside = this.wanters.union(this.inside, this.wanted[at] as number);
    this.define(unit, 1 << byte);
    this.wanted[at] = NO_WANTERS;
  }

  takeUnit(unit: number): void {
    for (let i = 0; i < (CELLS_OF[unit] as number); i++) this.takeCell((FIRST_CELL[unit] as number) + i);
  }

  /** What is wanted of it is wanted no more, and no one depends on anything for that. */
  dropUnit(unit: number): void {
    this.define(unit, ALL_CELLS);
    this.wanted.fill(NO_WANTERS, unit * UNIT_BYTES, (unit + 1) * UNIT_BYTES);
  }

  /** Stored bytes: four that lie right, or one. */
  stored(entry: number, offset: number, isWord: boolean, isWanted: boolean): void {
    this.steps.push(isWord ? STEP.word : STEP.byte, this.entryBase + entry, offset, isWanted ? 1 : 0);
  }

  /** Of what was taken. `place`: -1 if it is only what was stored. */
  edge(node: number, index: number, place: number, hasStored: boolean): void {
    const { outside, inside } = this;
    if (outside.length > 0 || hasStored) this.steps.push(STEP.edge, node, place, this.indexBase + index, inside, NO_WANTERS, outside.length, ...outside);
    outside.length = 0;
    this.inside = NO_WANTERS;
  }

  want({ units, cells }: Recipe, own: WanterSet): void {
    for (const unit of units) for (let i = 0; i < (CELLS_OF[unit] as number); i++) this.wantCell((FIRST_CELL[unit] as number) + i, own);
    for (const cell of cells) this.wantCell(cell, own);
  }

  load(entry: number, offset: number, bytes: number, own: WanterSet): void {
    this.steps.push(STEP.load, this.entryBase + entry, offset, bytes, own, NO_WANTERS, NO_WANTERS);
  }

  /** A register, by its first unit, is taken from the stack. It must be as it was after the block. */
  restore(entry: number, register: number, unit: number): void {
    for (const one of [unit, unit + 1]) {
      const at = one * UNIT_BYTES;
      if (this.defined[one] !== 0 || has(this.splitUnits, one) || this.wanted.subarray(at, at + UNIT_BYTES).some((set) => set !== NO_WANTERS)) this.isGood = false;
      this.define(one, ALL_CELLS);
    }
    this.steps.push(STEP.restore, this.entryBase + entry, register);
  }

  save(entry: number, register: number, unit: number): void {
    this.steps.push(STEP.save, this.entryBase + entry, register);
    put(this.saved, unit);
    put(this.saved, unit + 1);
    this.hasSaved = true;
  }

  /** Units that the next instruction defines: whether they are wanted must be known. */
  meet(masks: Int32Array): void {
    if (this.hasSaved && masks.some((word, i) => (word & (this.saved[i] as number)) !== 0)) this.isGood = false;
  }

  /** Members from here on are in a part of the block that depends on the last instruction of a block (PART). */
  part(part: number, layout: number, site: number): void {
    this.parts.push(part, 0, layout, site);
  }

  member(node: number, index: number, counts: boolean): void {
    const place = this.indexBase + index;
    this.members.push(node, counts ? place : place - UNCOUNTED);
    if (this.parts.length > 0) this.parts[this.parts.length - PART + 1] = this.members.length;
  }

  /** Where the passage is; 0 if it cannot be done again. */
  end(site: number, asked: number, passages: Passages): number {
    const { isGood, masks, expected, splits, steps, parts, members } = this;
    this.isGood = false;
    if (!isGood) return 0;
    const units = this.unitChanges();
    const made = new Array<number>(PASSAGE.rest).fill(0);
    made[PASSAGE.site] = site;
    made[PASSAGE.asked] = asked;
    let end: number = PASSAGE.rest;
    [splits, steps, units, parts].forEach(({ length }, i) => void (made[PASSAGE.splitsEnd + i] = end += length));
    made[PASSAGE.hasMore] = masks.some((word, i) => i > 1 && word !== 0) ? 1 : 0;
    masks.forEach((word, i) => void (made[PASSAGE.masks + i] = word));
    expected.forEach((word, i) => void (made[PASSAGE.expected + i] = word));
    return passages.add([...made, ...splits, ...steps, ...units, ...parts], members);
  }

  private wantCell(cell: number, own: WanterSet): void {
    const unit = UNIT_OF[cell] as number;
    const at = unit * UNIT_BYTES + cell - (FIRST_CELL[unit] as number);
    this.wanted[at] = this.wanters.union(this.wanted[at] as number, own);
    this.touched.add(unit);
  }

  private define(unit: number, cells: number): void {
    this.defined[unit] = (this.defined[unit] as number) | cells;
    this.touched.add(unit);
  }

  private unitChanges(): number[] {
    const changes: number[] = [];
    for (const unit of this.touched) {
      const count = CELLS_OF[unit] as number;
      const sets = this.wanted.subarray(unit * UNIT_BYTES, unit * UNIT_BYTES + count);
      const all = (1 << count) - 1;
      const defined = has(this.expected, unit) ? (this.defined[unit] as number) & all : 0;
      const [first = NO_WANTERS] = sets;
      const isOne = sets.every((set) => set === first);
      if (isOne && defined === 0 && first === NO_WANTERS) continue;
      if (isOne && defined === all) changes.push(unit, UNIT.replaced, first);
      else if (isOne && defined === 0) changes.push(unit, UNIT.added, first, NO_WANTERS, NO_WANTERS);
      else changes.push(unit, UNIT.split, defined, ...sets, ...new Array<number>(UNIT_BYTES - count).fill(NO_WANTERS));
    }
    return changes;
  }
}

/** Of a unit that is split: a bit for each byte that is wanted. */
export function wantedBytes(bytes: Int32Array, unit: number): number {
  let mask = 0;
  for (let i = 0; i < UNIT_BYTES; i++) if (bytes[unit * UNIT_BYTES + i] !== NO_WANTERS) mask |= 1 << i;
  return mask;
}

function has(words: Int32Array, unit: number): boolean {
  return ((words[unit >> 5] as number) & (1 << (unit & 31))) !== 0;
}

function put(words: Int32Array, unit: number): void {
  words[unit >> 5] = (words[unit >> 5] as number) | (1 << (unit & 31));
}
