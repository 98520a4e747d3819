/** What is known of the blocks of a heap, those that are gone included: who made them when, who freed them. */
import { PAGE_SIZE } from '../../base/types.js';
import { PageMap } from '../../machine/pageMap.js';
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
  /** Live ones, by page of their addresses. */
  private readonly live = new PageMap<Block>();
  /** Dead ones: the last that had the page. Made when somebody asks; those before `indexed` in `dead` are in it. */
  private readonly gonePages = new PageMap<Block>();
  private indexed = 0;
  /** By number; undefined once it is forgotten. */
  private readonly list: (Block | undefined)[] = [];
  /** Numbers of dead ones, in the order in which they died, from `firstDead` on. */
  private dead: number[] = [];
  private firstDead = 0;

  constructor(origin?: Blocks) {
    if (origin === undefined) return;
    this.list = origin.list.map((block) => (block === undefined || block.freed !== undefined ? block : { ...block }));
    for (const [page, { id }] of origin.live.entries()) this.live.set(page, this.list[id] as Block);
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
    for (let page = pageOf(block.begin); page <= last; page++) this.live.set(page, block);
  }

  /** The block has been freed. */
  bury(block: Block, freed: Moment): void {
    block.freed = freed;
    const last = lastPageOf(block);
    for (let page = pageOf(block.begin); page <= last; page++) this.live.delete(page);
    this.dead.push(block.id);
    if (this.dead.length - this.firstDead > MOST_DEAD) this.forgetOldest();
  }

  /** It begins there and has not been freed. */
  at(begin: number): Block | undefined {
    const block = this.live.get(pageOf(begin));
    return block?.begin === begin ? block : undefined;
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
    const block = this.live.get(pageOf(address)) ?? this.live.get(pageOf(address - 1));
    return block !== undefined && address >= block.begin && address <= block.begin + block.size ? block : undefined;
  }

  /** The live block that has the page of an address. */
  onPageOf(address: number): Block | undefined {
    return this.live.get(pageOf(address));
  }

  /** The block that an address belongs to: it is in it, on a page of it, or not far from it and nearer than to others with the same upper half. */
  of(address: number): Block | undefined {
    if (!mayBeView(address)) return undefined;
    this.indexDead();
    const page = pageOf(address);
    for (let distance = 0; distance < FAR_PAGES; distance++) {
      const block = this.onPage(page - distance) ?? this.onPage(page + distance);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  private onPage(page: number): Block | undefined {
    return this.live.get(page) ?? this.gonePages.get(page);
  }

  private indexDead(): void {
    for (; this.indexed < this.dead.length; this.indexed++) {
      const block = this.list[this.dead[this.indexed] as number] as Block;
      const last = lastPageOf(block);
      for (let page = pageOf(block.begin); page <= last; page++) this.gonePages.set(page, block);
    }
  }

  private forgetOldest(): void {
    const id = this.dead[this.firstDead++] as number;
    const block = this.list[id] as Block;
    this.list[id] = undefined;
    const last = lastPageOf(block);
    for (let page = pageOf(block.begin); page <= last; page++) if (this.gonePages.get(page) === block) this.gonePages.delete(page);
    this.indexed = Math.max(this.indexed, this.firstDead);
    if (this.firstDead < MOST_DEAD) return;
    this.dead = this.dead.slice(this.firstDead);
    this.indexed -= this.firstDead;
    this.firstDead = 0;
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

function lastPageOf({ begin, size }: Block): number {
  return pageOf(begin + Math.max(size, 1) - 1);
}
