/**
 * Does passages (passages.ts) again. Steps in memory are compared and changed one by one, in order, so it is of no
 * account which accesses meet: if one does not find what the passage expects, all before it is set back.
 */
import { MEMORY, type SliceGraph } from '../graph.js';
import { linearOf, type MemoryWants } from '../wants/memoryWants.js';
import type { Restores } from '../wants/restores.js';
import type { ThreadWants } from '../wants/threadWants.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from '../wants/wanters.js';
import { wantedBytes } from './passageRecorder.js';
import { CELL, INSIDE, PART, PASSAGE, type Passages, STEP, UNIT } from './passages.js';
import { ASKED, type Layout, NO_REF, Stretch } from './stretch.js';
import { UNIT_BYTES, UNIT_OF, UNIT_WORDS } from './units.js';

const CHANGE = 3;
const MOST_CHANGES = 4096 * CHANGE;
/** Changes that one step makes at most: a load has 32 bytes. */
const STEP_CHANGES = 64 * CHANGE;

/** What a passage is done in: all threads and memories of a walk. */
interface RepeatingWalk {
  readonly graph: SliceGraph;
  readonly wanters: Wanters;
  readonly restores: Restores;
  readonly passages: Passages;
  /** The node of a block's last instruction. */
  readonly endNode: (layout: Layout, site: number) => number;
  /** A node depends on an instance before the stretch, by its place among them. */
  readonly wantOuter: (place: number, node: number) => void;
}

export class PassageRepeater {
  private stretch = new Stretch(0, []);
  private control: Uint8Array = new Uint8Array(0);
  /** Outer instances of all stretches before. */
  private outerCount = 0;
  /** What was changed in memory, to set it back: an address, who wanted it, and 4 or 1 bytes. */
  private readonly changes = new Int32Array(MOST_CHANGES);
  private changeCount = 0;
  /** Registers that were saved: a unit, and who wants it, too. */
  private readonly saved: number[] = [];
  /** Of an instruction's stored bytes, the first that is wanted: the entry of its address, and bytes from there. */
  private foundEntry = 0;
  private foundOffset = 0;
  private readonly wanters: Wanters;

  constructor(private readonly walk: RepeatingWalk) {
    this.wanters = walk.wanters;
  }

  /** `control`: blocks whose last instructions are asked for. */
  begin(stretch: Stretch, control: Uint8Array, outerCount: number): void {
    this.stretch = stretch;
    this.control = control;
    this.outerCount = outerCount;
  }

  /**
   * In a block, or a path that begins with it, whose addresses and parts begin there. False, and nothing is done, if it
   * does not fit.
   */
  repeat(passage: number, block: number, addresses: number, part: number, thread: ThreadWants, memory: MemoryWants): boolean {
    const { walk: { passages: { numbers } }, wanters, saved } = this;
    const { bits } = thread;
    if (((bits[0] as number) & (numbers[passage + PASSAGE.masks] as number)) !== numbers[passage + PASSAGE.expected]) return false;
    if (((bits[1] as number) & (numbers[passage + PASSAGE.masks + 1] as number)) !== numbers[passage + PASSAGE.expected + 1]) return false;
    if (numbers[passage + PASSAGE.hasMore] !== 0 && !hasMoreUnits(numbers, passage, bits)) return false;
    const splitsEnd = passage + (numbers[passage + PASSAGE.splitsEnd] as number);
    const stepsEnd = passage + (numbers[passage + PASSAGE.stepsEnd] as number);
    const unitsEnd = passage + (numbers[passage + PASSAGE.unitsEnd] as number);
    const partsEnd = passage + (numbers[passage + PASSAGE.partsEnd] as number);
    for (let k = passage + PASSAGE.rest; k < splitsEnd; k += 2) {
      const unit = numbers[k] as number;
      if (thread.units[unit] !== SPLIT || wantedBytes(thread.bytes, unit) !== numbers[k + 1]) return false;
    }
    for (let k = unitsEnd; k < partsEnd; k += PART) {
      const inside = (this.stretch.parents[part + (numbers[k] as number)] as number) - block;
      if (numbers[k + 2] === INSIDE ? inside !== numbers[k + 3] : inside >= 0) return false;
    }
    if (stepsEnd > splitsEnd && !this.doSteps(numbers, splitsEnd, stepsEnd, block, addresses, thread, memory)) return false;
    changeUnits(numbers, stepsEnd, unitsEnd, thread, wanters);
    if (saved.length > 0) {
      for (let k = 0; k < saved.length; k += 2) thread.addUnit(saved[k] as number, saved[k + 1] as number);
      saved.length = 0;
    }
    if (partsEnd > unitsEnd) this.wantControl(passage, unitsEnd, partsEnd, part);
    return true;
  }

  private doSteps(steps: Int32Array, from: number, to: number, block: number, first: number, thread: ThreadWants, memory: MemoryWants): boolean {
    const { stretch, wanters } = this;
    const { addresses } = stretch;
    let found = NO_WANTERS;
    this.changeCount = 0;
    for (let k = from; k < to; ) {
      const kind = steps[k] as number;
      const entry = first + (steps[k + 1] as number);
      if (kind === STEP.edge) {
        const next = k + 7 + (steps[k + 6] as number);
        if (!this.edge(steps, k, next, block, found, thread)) return this.undo(memory);
        found = NO_WANTERS;
        k = next;
      } else if (kind === STEP.load) {
        if (this.changeCount > MOST_CHANGES - STEP_CHANGES) return this.undo(memory);
        this.load(steps, k, linearOf((addresses[entry] as number) + (steps[k + 2] as number)), memory);
        k += 7;
      } else if (kind === STEP.word || kind === STEP.byte) {
        const linear = linearOf((addresses[entry] as number) + (steps[k + 2] as number));
        const isWord = kind === STEP.word;
        const set = isWord ? memory.wordAt(linear) : memory.at(linear);
        if ((set !== NO_WANTERS) !== (steps[k + 3] !== 0) || (isWord && (linear & 3) !== 0)) return this.undo(memory);
        if (set !== NO_WANTERS) {
          if (set === SPLIT || wanters.hasTags(set)) return this.undo(memory);
          if (found === NO_WANTERS) {
            this.foundEntry = entry;
            this.foundOffset = steps[k + 2] as number;
            found = set;
          } else if (found !== set) found = wanters.union(found, set);
          this.change(memory, linear, set, NO_WANTERS, isWord ? 4 : 1);
        }
        k += 4;
      } else {
        const slot = linearOf(addresses[entry] as number);
        const fits = kind === STEP.restore ? this.restore(slot, steps[k + 2] as number, thread, memory) : this.save(slot, steps[k + 2] as number, memory);
        if (!fits) return this.undo(memory);
        k += 3;
      }
    }
    return true;
  }

  private edge(steps: Int32Array, at: number, next: number, block: number, stored: WanterSet, { units, bytes }: ThreadWants): boolean {
    const { wanters } = this;
    let found = stored;
    for (let k = at + 7; k < next; k++) {
      const place = steps[k] as number;
      const set = (place >= CELL ? bytes[place - CELL] : units[place]) as number;
      if (set === SPLIT) return false;
      if (set !== found) found = found === NO_WANTERS ? set : wanters.union(found, set);
    }
    if (found === steps[at + 5]) return true;
    steps[at + 5] = found;
    this.addData(steps, at, wanters.union(found, steps[at + 4] as number), block);
    return true;
  }

  private addData(steps: Int32Array, at: number, found: WanterSet, block: number): void {
    const { stretch, walk: { graph } } = this;
    const place = steps[at + 2] as number;
    const stored = place >= 0 ? place : MEMORY + stretch.fullAddress(this.foundEntry) + this.foundOffset;
    graph.addData(found, steps[at + 1] as number, stored, stretch.timeOf(block) + (steps[at + 3] as number));
  }

  /** What a load wants: it is of no account who wanted it before. */
  private load(steps: Int32Array, k: number, linear: number, memory: MemoryWants): void {
    const end = linear + (steps[k + 3] as number);
    const own = steps[k + 4] as number;
    for (let at = linear; at < end; ) {
      const word = memory.wordAt(at);
      const isWord = (at & 3) === 0 && end - at >= 4 && word !== SPLIT;
      const before = isWord ? word : memory.at(at);
      if (before !== own) {
        let after = own;
        if (before !== NO_WANTERS && before === steps[k + 5]) after = steps[k + 6] as number;
        else if (before !== NO_WANTERS) {
          after = this.wanters.union(before, own);
          steps[k + 5] = before;
          steps[k + 6] = after;
        }
        if (after !== before) this.change(memory, at, before, after, isWord ? 4 : 1);
      }
      at += isWord ? 4 : 1;
    }
  }

  /** Bytes that one more wants. */
  private add(linear: number, bytes: number, own: WanterSet, memory: MemoryWants): void {
    const { wanters } = this;
    const end = linear + bytes;
    for (let at = linear; at < end; ) {
      const word = memory.wordAt(at);
      const isWord = (at & 3) === 0 && end - at >= 4 && word !== SPLIT;
      const before = isWord ? word : memory.at(at);
      if (before !== own) {
        const after = before === NO_WANTERS ? own : wanters.union(before, own);
        if (after !== before) this.change(memory, at, before, after, isWord ? 4 : 1);
      }
      at += isWord ? 4 : 1;
    }
  }

  private restore(slot: number, register: number, { units }: ThreadWants, memory: MemoryWants): boolean {
    const unit = UNIT_OF[register] as number;
    const low = units[unit] as number;
    const high = units[unit + 1] as number;
    if (low === SPLIT || high === SPLIT || this.changeCount > MOST_CHANGES - STEP_CHANGES) return false;
    const tag = this.walk.restores.common(register, low, high);
    if (low !== NO_WANTERS) this.add(slot, 4, tag, memory);
    if (high !== NO_WANTERS) this.add(slot + 4, 4, tag, memory);
    return true;
  }

  private save(slot: number, register: number, memory: MemoryWants): boolean {
    if ((slot & 3) !== 0 || this.changeCount > MOST_CHANGES - STEP_CHANGES) return false;
    const { restores } = this.walk;
    for (let k = 0; k < 8; k += 4) {
      const set = memory.wordAt(slot + k);
      if (set === NO_WANTERS) continue;
      const one = restores.commonOf(set);
      if (one?.register !== register) return false;
      this.change(memory, slot + k, set, NO_WANTERS, 4);
      const wanters = one.wanters[k] as number;
      if (wanters !== NO_WANTERS) this.saved.push((UNIT_OF[register] as number) + (k >> 2), wanters);
    }
    return true;
  }

  private change(memory: MemoryWants, linear: number, before: WanterSet, after: WanterSet, bytes: number): void {
    const { changes, changeCount } = this;
    changes[changeCount] = linear;
    changes[changeCount + 1] = before;
    changes[changeCount + 2] = bytes;
    this.changeCount = changeCount + CHANGE;
    if (bytes === 4) memory.setWord(linear, after);
    else memory.set(linear, after);
  }

  private undo(memory: MemoryWants): false {
    const { changes } = this;
    this.saved.length = 0;
    for (let k = this.changeCount - CHANGE; k >= 0; k -= CHANGE) {
      if (changes[k + 2] === 4) memory.setWord(changes[k] as number, changes[k + 1] as number);
      else memory.set(changes[k] as number, changes[k + 1] as number);
    }
    return false;
  }

  private wantControl(passage: number, from: number, to: number, first: number): void {
    const { stretch: { parents, layouts, sites }, control, walk: { passages: { numbers } } } = this;
    for (let at = from; at < to; at += PART) {
      if (numbers[at + 2] === INSIDE) continue;
      const ref = parents[first + (numbers[at] as number)] as number;
      const isInside = ref >= 0;
      if (isInside) control[ref] = (control[ref] as number) | ASKED;
      const layout = isInside ? (layouts[ref] as number) : -1;
      const site = isInside ? (sites[ref] as number) : ref === NO_REF ? NO_REF : ref - this.outerCount;
      if (numbers[at + 2] === layout && numbers[at + 3] === site) continue;
      numbers[at + 2] = layout;
      numbers[at + 3] = site;
      if (ref !== NO_REF) this.newParent(passage, at === from ? 0 : (numbers[at - PART + 1] as number), numbers[at + 1] as number, ref, site);
    }
  }

  /** Members from one place in their list to another depend on a block's end, or on something before the stretch. */
  private newParent(passage: number, from: number, to: number, ref: number, site: number): void {
    const { stretch, walk: { graph, passages, endNode, wantOuter } } = this;
    const members = passages.membersOf(passage);
    const parent = ref >= 0 ? endNode(stretch.layoutList[stretch.layouts[ref] as number] as Layout, site) : site;
    for (let k = from; k < to; k += 2) {
      const node = members[k] as number;
      if (graph.lastParent(node) === parent) continue;
      if (ref >= 0) graph.addControl(node, parent, stretch.instanceOf(ref));
      else {
        graph.setLastParent(node, parent);
        wantOuter(-2 - ref, node);
      }
    }
  }
}

function hasMoreUnits(numbers: Int32Array, passage: number, bits: Int32Array): boolean {
  for (let i = 2; i < UNIT_WORDS; i++) if (((bits[i] as number) & (numbers[passage + PASSAGE.masks + i] as number)) !== numbers[passage + PASSAGE.expected + i]) return false;
  return true;
}

/** Units as they are wanted before the block. */
function changeUnits(changes: Int32Array, from: number, to: number, thread: ThreadWants, wanters: Wanters): void {
  const { units, bits } = thread;
  for (let k = from; k < to; ) {
    const unit = changes[k] as number;
    const kind = changes[k + 1] as number;
    if (kind === UNIT.split) {
      changeCells(changes, k, thread, wanters);
      k += 3 + UNIT_BYTES;
      continue;
    }
    const set = changes[k + 2] as number;
    const before = units[unit] as number;
    const bit = 1 << (unit & 31);
    if (kind === UNIT.replaced) {
      k += 3;
      if (before === set) continue;
      units[unit] = set;
      bits[unit >> 5] = set === NO_WANTERS ? (bits[unit >> 5] as number) & ~bit : (bits[unit >> 5] as number) | bit;
      continue;
    }
    k += 5;
    if (before === NO_WANTERS) {
      units[unit] = set;
      bits[unit >> 5] = (bits[unit >> 5] as number) | bit;
    } else if (before === SPLIT) thread.addUnit(unit, set);
    else if (before === changes[k - 2]) units[unit] = changes[k - 1] as number;
    else if (before !== set) {
      changes[k - 2] = before;
      changes[k - 1] = units[unit] = wanters.union(before, set);
    }
  }
}

function changeCells(changes: Int32Array, at: number, { units, bits, bytes }: ThreadWants, wanters: Wanters): void {
  const unit = changes[at] as number;
  const replaced = changes[at + 2] as number;
  const own = units[unit] as number;
  let isOne = true;
  for (let i = 0; i < UNIT_BYTES; i++) {
    const byte = unit * UNIT_BYTES + i;
    const set = changes[at + 3 + i] as number;
    const before = own === SPLIT ? (bytes[byte] as number) : own;
    bytes[byte] = (replaced & (1 << i)) !== 0 ? set : set === before ? set : wanters.union(before, set);
    if (bytes[byte] !== bytes[unit * UNIT_BYTES]) isOne = false;
  }
  const set = isOne ? (bytes[unit * UNIT_BYTES] as number) : SPLIT;
  units[unit] = set;
  const bit = 1 << (unit & 31);
  bits[unit >> 5] = set === NO_WANTERS ? (bits[unit >> 5] as number) & ~bit : (bits[unit >> 5] as number) | bit;
}
