/** What is known of the blocks of a heap, those that are gone included: who made them when, who freed them. */
import { PAGE_SIZE } from '../../base/types.js';
import type { AllocationFamily } from '../functions.js';

/** When something was done, and by which thread. */
export interface Moment {
  /** Instructions since the beginning of the run. */
  readonly time: number;
  readonly tid: number;
  readonly pid: number;
  /** The library function that did it. */
  readonly by: string;
}

export interface Block {
  /** Never used again. */
  readonly id: number;
  readonly begin: number;
  readonly size: number;
  readonly family: AllocationFamily;
  readonly allocated: Moment;
  freed?: Moment;
  /** Where its bytes are. */
  readonly real: number;
  /** What the bytes are part of. */
  readonly piece: { readonly address: number; readonly capacity: number };
}

/** Dead blocks that are remembered. */
const MOST_DEAD = 1_000_000;
/** How far from a block, in pages, an address may be that is said to belong to it. */
const FAR_PAGES = 512;

export class Blocks {
  private readonly live = new Map<number, Block>();
  private readonly dead = new Map<number, Block>();
  /** Live and dead ones, by page of their addresses. */
  private readonly byPage = new Map<number, Block>();
  private readonly byId = new Map<number, Block>();

  constructor(origin?: Blocks) {
    if (origin === undefined) return;
    for (const [begin, block] of origin.live) this.live.set(begin, { ...block });
    for (const [begin, block] of origin.dead) this.dead.set(begin, block);
    for (const [page, block] of origin.byPage) this.byPage.set(page, this.live.get(block.begin) ?? block);
    for (const block of [...this.live.values(), ...this.dead.values()]) this.byId.set(block.id, block);
  }

  add(block: Block): void {
    this.dead.delete(block.begin);
    this.live.set(block.begin, block);
    this.byId.set(block.id, block);
    for (let page = pageOf(block.begin); page <= lastPageOf(block); page++) this.byPage.set(page, block);
  }

  /** The block has been freed. */
  bury(block: Block, freed: Moment): void {
    block.freed = freed;
    this.live.delete(block.begin);
    this.dead.set(block.begin, block);
    if (this.dead.size > MOST_DEAD) this.forgetOldest();
  }

  /** It begins there and has not been freed. */
  at(begin: number): Block | undefined {
    return this.live.get(begin);
  }

  /** All that have not been freed. */
  get alive(): Iterable<Block> {
    return this.live.values();
  }

  /** Those that have been freed, as far as they are remembered. */
  get gone(): Iterable<Block> {
    return this.dead.values();
  }

  /** By number. */
  numbered(id: number): Block | undefined {
    return this.byId.get(id);
  }

  /** The live block that an address lies in, or right behind. */
  containing(address: number): Block | undefined {
    const block = this.byPage.get(pageOf(address)) ?? this.byPage.get(pageOf(address - 1));
    return block !== undefined && block.freed === undefined && address >= block.begin && address <= block.begin + block.size ? block : undefined;
  }

  /** The block that an address belongs to: it is in it, on a page of it, or not far from it and nearer than to others with the same upper half. */
  of(address: number): Block | undefined {
    const page = pageOf(address);
    for (let distance = 0; distance < FAR_PAGES; distance++) {
      const block = this.byPage.get(page - distance) ?? this.byPage.get(page + distance);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  private forgetOldest(): void {
    const [begin, block] = this.dead.entries().next().value as [number, Block];
    this.dead.delete(begin);
    this.byId.delete(block.id);
    for (let page = pageOf(begin); page <= lastPageOf(block); page++) if (this.byPage.get(page) === block) this.byPage.delete(page);
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

function lastPageOf({ begin, size }: Block): number {
  return pageOf(begin + Math.max(size, 1) - 1);
}
