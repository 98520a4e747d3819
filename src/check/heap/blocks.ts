/** What is known of the blocks of a heap, those that are gone included: who made them when, who freed them. */
import { PAGE_SIZE } from '../../base/types.js';
import { mayBeView } from './tags.js';
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
  freed: Moment | undefined;
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
  /** Live and dead ones, by page of their addresses: that of the last block that had it. */
  private readonly byPage = new Map<number, Block>();
  /** By number; undefined once it is forgotten. */
  private readonly list: (Block | undefined)[] = [];
  /** Numbers of dead ones, in the order in which they died, from `firstDead` on. */
  private dead: number[] = [];
  private firstDead = 0;

  constructor(origin?: Blocks) {
    if (origin === undefined) return;
    this.list = origin.list.map((block) => (block === undefined || block.freed !== undefined ? block : { ...block }));
    for (const [page, { id }] of origin.byPage) this.byPage.set(page, this.list[id] as Block);
    [this.dead, this.firstDead] = [origin.dead.slice(), origin.firstDead];
  }

  /** The number of the next one. */
  get nextId(): number {
    return this.list.length;
  }

  /** Its number is `nextId`. */
  add(block: Block): void {
    this.list.push(block);
    const last = lastPageOf(block);
    for (let page = pageOf(block.begin); page <= last; page++) this.byPage.set(page, block);
  }

  /** The block has been freed. */
  bury(block: Block, freed: Moment): void {
    block.freed = freed;
    this.dead.push(block.id);
    if (this.dead.length - this.firstDead > MOST_DEAD) this.forgetOldest();
  }

  /** It begins there and has not been freed. */
  at(begin: number): Block | undefined {
    const block = this.byPage.get(pageOf(begin));
    return block !== undefined && block.begin === begin && block.freed === undefined ? block : undefined;
  }

  /** All that have not been freed. */
  *alive(): Iterable<Block> {
    for (const block of this.list) if (block !== undefined && block.freed === undefined) yield block;
  }

  /** Those that have been freed, as far as they are remembered. */
  *gone(): Iterable<Block> {
    for (const block of this.list) if (block?.freed !== undefined) yield block;
  }

  /** By number. */
  numbered(id: number): Block | undefined {
    return this.list[id];
  }

  /** The live block that an address lies in, or right behind. */
  containing(address: number): Block | undefined {
    const block = this.byPage.get(pageOf(address)) ?? this.byPage.get(pageOf(address - 1));
    return block !== undefined && block.freed === undefined && address >= block.begin && address <= block.begin + block.size ? block : undefined;
  }

  /** The block, live or not, that has the page of an address; undefined also if another one may be meant. */
  onPageOf(address: number): Block | undefined {
    return this.byPage.get(pageOf(address));
  }

  /** The block that an address belongs to: it is in it, on a page of it, or not far from it and nearer than to others with the same upper half. */
  of(address: number): Block | undefined {
    if (!mayBeView(address)) return undefined;
    const page = pageOf(address);
    for (let distance = 0; distance < FAR_PAGES; distance++) {
      const block = this.byPage.get(page - distance) ?? this.byPage.get(page + distance);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  private forgetOldest(): void {
    const id = this.dead[this.firstDead++] as number;
    const block = this.list[id] as Block;
    this.list[id] = undefined;
    const last = lastPageOf(block);
    for (let page = pageOf(block.begin); page <= last; page++) if (this.byPage.get(page) === block) this.byPage.delete(page);
    if (this.firstDead < MOST_DEAD) return;
    this.dead = this.dead.slice(this.firstDead);
    this.firstDead = 0;
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

function lastPageOf({ begin, size }: Block): number {
  return pageOf(begin + Math.max(size, 1) - 1);
}
