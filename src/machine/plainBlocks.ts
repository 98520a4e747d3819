/**
 * Tells generated code of blocks that no view shows: where they begin and end (layout/memoryMap.ts, PLAIN_BLOCK_TABLE).
 */
import { MOST_PLAIN_BLOCKS, PLAIN_BLOCK_BYTES, PLAIN_BLOCK_TABLE, PLAIN_BLOCKS } from '../layout/memoryMap.js';
import type { LinearMemory } from './linearMemory.js';

export interface PlainBlock {
  readonly address: number;
  readonly size: number;
}

export class PlainBlocks {
  private shown: readonly PlainBlock[] | undefined;

  constructor(private readonly linear: LinearMemory) {}

  /** In the order of their addresses. It is often told the same array again. */
  show(blocks: readonly PlainBlock[]): void {
    if (this.shown === blocks) return;
    this.shown = blocks;
    const { u32, view } = this.linear;
    const known = blocks.slice(0, MOST_PLAIN_BLOCKS);
    known.forEach(({ address, size }, i) => {
      const entry = PLAIN_BLOCK_TABLE + i * PLAIN_BLOCK_BYTES;
      view.setBigUint64(entry, BigInt(address), true);
      view.setBigUint64(entry + 8, BigInt(address + size), true);
    });
    u32[PLAIN_BLOCKS / 4] = known.length;
  }
}
