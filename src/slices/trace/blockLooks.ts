/** Quick looks at a block of a stretch: whether a walk has to go through it at all. */
import { cellsOfByte } from '../../ir/dependences/cells.js';
import { endEffects, nodeEffects, type SlotEffects } from '../../ir/meaning/nodeEffects.js';
import { linearOf, type MemoryWants } from '../wants/memoryWants.js';
import { NO_WANTERS } from '../wants/wanters.js';
import { rangeOf } from './accesses.js';
import type { CodeBlock } from './codeTable.js';
import type { Layout, Stretch, StretchRun } from './stretch.js';
import { FPU_UNIT, UNIT_OF, UNIT_WORDS } from './units.js';

const UNIT_WORD_OF_FLAGS = 1;

/** Where the addresses and parts end of blocks before `end` in a run. */
export function endOf({ runs, count, layouts, layoutList, addressCount, partCount }: Stretch, r: number, end: number): [addresses: number, part: number] {
  const next = runs[r + 1];
  if (next?.first === end) return [next.firstAddress, next.firstPart];
  if (next === undefined && end === count) return [addressCount, partCount];
  let { firstAddress, firstPart } = runs[r] as StretchRun;
  for (let block = (runs[r] as StretchRun).first; block < end; block++) {
    const { code, parts } = layoutList[layouts[block] as number] as Layout;
    firstAddress += code.entries;
    firstPart += parts;
  }
  return [firstAddress, firstPart];
}

/** Whether any of a block's stores, whose addresses begin at `first`, is wanted. */
export function storesMeet({ addresses }: Stretch, first: number, stores: Int32Array, memory: MemoryWants): boolean {
  for (let i = 0; i < stores.length; i += 4) {
    const address = addresses[first + (stores[i] as number)] as number;
    const bytes = stores[i + 1] as number;
    const count = stores[i + 2] as number;
    if (count < 0) {
      const linear = linearOf(address);
      if (memory.wordAt(linear) !== NO_WANTERS || (((linear & 3) + bytes > 4) && memory.meets(linear, bytes))) return true;
    } else {
      const range = rangeOf(address, (addresses[first + count] as number) | 0, bytes);
      if (range.bytes > 0 && memory.meets(linearOf(range.address), range.bytes)) return true;
    }
  }
  return false;
}

function noteWrites({ writes }: SlotEffects, written: Int32Array): void {
  for (const { offset, bytes } of writes) {
    for (let byte = offset; byte < offset + bytes; byte++) {
      for (const cell of cellsOfByte(byte)) {
        const unit = UNIT_OF[cell];
        if (unit !== undefined) written[unit >> 5] = (written[unit >> 5] as number) | (1 << (unit & 31));
      }
    }
  }
}

/** Units that a block may write: for a quick look, so that it is not found out for every block what depends on what. */
export function writtenBy(code: CodeBlock): Int32Array {
  const written = new Int32Array(UNIT_WORDS);
  for (const { block: { nodes, end } } of code.instructions) {
    for (const node of nodes) noteWrites(nodeEffects(node), written);
    noteWrites(endEffects(end), written);
  }
  // Where the x87 stack begins is not known here: any of its registers may be written, and what comparisons tell.
  if (code.usesX87) written[FPU_UNIT >> 5] = written[UNIT_WORD_OF_FLAGS] = -1;
  code.written = written;
  return written;
}
