/**
 * The cells of a thread that are wanted, and by which nodes, by units (trace/units.ts): a unit has one entry as long as
 * all of its bytes are wanted by the same, and otherwise an entry for each byte elsewhere. With a bit for each unit, so
 * that a block is tested in a few looks.
 */
import { CELLS_OF, FIRST_CELL, UNIT_BYTES, UNIT_OF, UNIT_WORDS, UNITS } from '../trace/units.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from './wanters.js';

export class ThreadWants {
  /** Of each unit: who wants it; SPLIT: that differs by byte. Those who change entries keep the bits in step. */
  readonly units = new Int32Array(UNITS);
  readonly bits = new Int32Array(UNIT_WORDS);
  /** Of units that are split. */
  readonly bytes = new Int32Array(UNITS * UNIT_BYTES);

  constructor(private readonly wanters: Wanters) {}

  at(cell: number): WanterSet {
    const unit = UNIT_OF[cell] as number;
    const own = this.units[unit] as number;
    return own === SPLIT ? (this.bytes[byteIndex(unit, cell)] as number) : own;
  }

  clear(cell: number): void {
    this.replace(cell, NO_WANTERS);
  }

  add(cell: number, own: WanterSet): void {
    const before = this.at(cell);
    if (before !== own) this.replace(cell, this.wanters.union(before, own));
  }

  /** All that is wanted, which it is no more. */
  take(): [cell: number, wanters: WanterSet][] {
    const taken: [cell: number, wanters: WanterSet][] = [];
    for (let unit = 0; unit < UNITS; unit++) {
      if (this.units[unit] === NO_WANTERS) continue;
      for (let i = 0; i < (CELLS_OF[unit] as number); i++) {
        const cell = (FIRST_CELL[unit] as number) + i;
        const set = this.at(cell);
        if (set !== NO_WANTERS) taken.push([cell, set]);
      }
    }
    this.units.fill(NO_WANTERS);
    this.bits.fill(0);
    return taken;
  }

  addUnit(unit: number, own: WanterSet): void {
    const before = this.units[unit] as number;
    if (before === own) return;
    if (before === SPLIT) {
      this.addToSplit(unit, own);
      return;
    }
    this.units[unit] = this.wanters.union(before, own);
    this.bits[unit >> 5] = (this.bits[unit >> 5] as number) | (1 << (unit & 31));
  }

  /** All of its bytes are wanted by more: they may be wanted by the same then. */
  private addToSplit(unit: number, own: WanterSet): void {
    const { bytes, wanters } = this;
    const first = unit * UNIT_BYTES;
    let isOne = true;
    for (let byte = first; byte < first + UNIT_BYTES; byte++) {
      const before = bytes[byte] as number;
      if (before !== own) bytes[byte] = before === NO_WANTERS ? own : wanters.union(before, own);
      if (bytes[byte] !== bytes[first]) isOne = false;
    }
    if (isOne) this.units[unit] = bytes[first] as number;
  }

  clearUnit(unit: number): void {
    this.units[unit] = NO_WANTERS;
    this.bits[unit >> 5] = (this.bits[unit >> 5] as number) & ~(1 << (unit & 31));
  }

  /** Whether any of some units is wanted: a bit for each. */
  meets(masks: Int32Array): boolean {
    const { bits } = this;
    for (let i = 0; i < UNIT_WORDS; i++) if (((bits[i] as number) & (masks[i] as number)) !== 0) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.bits.every((word) => word === 0);
  }

  replace(cell: number, wanters: WanterSet): void {
    const unit = UNIT_OF[cell] as number;
    const { bytes, units } = this;
    const own = units[unit] as number;
    const first = unit * UNIT_BYTES;
    const count = CELLS_OF[unit] as number;
    if (own !== SPLIT) {
      if (own === wanters) return;
      for (let i = 0; i < count; i++) bytes[first + i] = own;
    }
    bytes[byteIndex(unit, cell)] = wanters;
    let isOne = true;
    for (let i = 0; i < count; i++) if (bytes[first + i] !== wanters) isOne = false;
    if (isOne && wanters === NO_WANTERS) {
      this.clearUnit(unit);
      return;
    }
    units[unit] = isOne ? wanters : SPLIT;
    this.bits[unit >> 5] = (this.bits[unit >> 5] as number) | (1 << (unit & 31));
  }
}

function byteIndex(unit: number, cell: number): number {
  return unit * UNIT_BYTES + cell - (FIRST_CELL[unit] as number);
}
