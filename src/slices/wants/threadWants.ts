/** The cells of a thread that are wanted, and by which nodes; with a bit for each, so that a block is tested in a few looks. */
import { CELLS } from '../../ir/dependences/cells.js';
import { CELL_WORDS } from '../trace/codeTable.js';
import { NO_WANTERS, type WanterSet, type Wanters } from './wanters.js';

export class ThreadWants {
  readonly cells = new Int32Array(CELLS);
  private readonly bits = new Int32Array(CELL_WORDS);

  constructor(private readonly wanters: Wanters) {}

  clear(cell: number): void {
    this.cells[cell] = NO_WANTERS;
    this.bits[cell >> 5] = (this.bits[cell >> 5] as number) & ~(1 << (cell & 31));
  }

  add(cell: number, own: WanterSet): void {
    const before = this.cells[cell] as number;
    if (before === own) return;
    this.cells[cell] = this.wanters.union(before, own);
    this.bits[cell >> 5] = (this.bits[cell >> 5] as number) | (1 << (cell & 31));
  }

  /** All that is wanted, which it is no more. */
  take(): [cell: number, wanters: WanterSet][] {
    const taken = [...this.cells.keys()].filter((cell) => this.cells[cell] !== NO_WANTERS).map((cell): [number, WanterSet] => [cell, this.cells[cell] as number]);
    this.cells.fill(NO_WANTERS);
    this.bits.fill(0);
    return taken;
  }

  /** Whether any of some cells is wanted: `bits` in `words`. */
  meets(words: Int32Array, bits: Int32Array): boolean {
    for (let i = 0; i < words.length; i++) if (((this.bits[words[i] as number] as number) & (bits[i] as number)) !== 0) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.bits.every((word) => word === 0);
  }
}
