/** The cells of a thread that are wanted, and by which nodes; with a bit for each, so that a block is tested in a few looks. */
import { CELLS } from '../../ir/dependences/cells.js';
import { CELL_WORDS } from '../trace/codeTable.js';
import { NO_WANTERS, type WanterSet } from './wanters.js';

export class ThreadWants {
  readonly cells = new Int32Array(CELLS);
  private readonly bits = new Int32Array(CELL_WORDS);

  set(cell: number, wanters: WanterSet): void {
    this.cells[cell] = wanters;
    const word = cell >> 5;
    if (wanters === NO_WANTERS) this.bits[word] = (this.bits[word] as number) & ~(1 << (cell & 31));
    else this.bits[word] = (this.bits[word] as number) | (1 << (cell & 31));
  }

  meets(words: Int32Array, bits: Int32Array): boolean {
    for (let i = 0; i < words.length; i++) if (((this.bits[words[i] as number] as number) & (bits[i] as number)) !== 0) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.bits.every((word) => word === 0);
  }
}
