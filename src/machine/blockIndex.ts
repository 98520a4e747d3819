/**
 * Which blocks of code have been translated: by guest address, by page and by place of their bytecode.
 *
 * A fork copies an index of thousands of blocks, and most children soon end or run another program. So
 * what is there at a fork is frozen, and both sides go on with the frozen part and their own changes to it: blocks
 * that were added, copies of those whose state may change (made when they are asked for), and a mark for
 * those that are gone.
 */
import { assert } from '../base/assert.js';
import { PAGE_SIZE, pageFloor } from '../base/types.js';
import type { BytecodeMap } from '../jit/bytecodeEncoder.js';

export interface CachedBlock {
  readonly start: number;
  readonly next: number;
  readonly instructions: number;
  /** Linear offset of the bytecode. */
  readonly bytecode: number;
  readonly bytecodeEnd: number;
  readonly map: BytecodeMap;
  /** Where it is entered in compiled code, as the block table says it (jit/blockTable.ts); 0 if only interpreted. */
  compiled: number;
  /** Compiled regions that contain it. */
  copies: number;
  /** How often it was reported as hot. */
  reports: number;
}

/** A `single` is one instruction, for stepping; a `transient` is only found by its bytecode. */
export type BlockKind = 'block' | 'single' | 'transient';

interface Frozen {
  readonly blocks: ReadonlyMap<number, CachedBlock>;
  readonly singles: ReadonlyMap<number, CachedBlock>;
  /** In the order of their bytecode, those included that are gone. */
  readonly ordered: readonly CachedBlock[];
  readonly byPage: ReadonlyMap<number, readonly CachedBlock[]>;
  /** End of their bytecode. */
  readonly end: number;
}

/** `null`: there is one in the frozen part, but it is gone. */
type Changes = Map<number, CachedBlock | null>;

/** More changes than this, and than one in so many of the frozen blocks, are worth a new frozen part. */
const FEW_CHANGES = 200;
const SMALL_SHARE = 8;

export class BlockIndex {
  private frozen: Frozen | undefined;
  private blocks: Changes = new Map();
  private singles: Changes = new Map();
  private ordered: CachedBlock[] = [];
  private byPage = new Map<number, CachedBlock[]>();
  /** Pages whose frozen blocks are gone. */
  private gonePages = new Set<number>();

  get(address: number): CachedBlock | undefined {
    return this.find(address, this.blocks, this.frozen?.blocks);
  }

  single(address: number): CachedBlock | undefined {
    return this.find(address, this.singles, this.frozen?.singles);
  }

  add(block: CachedBlock, kind: BlockKind): void {
    this.ordered.push(block);
    if (kind === 'transient') return;
    (kind === 'block' ? this.blocks : this.singles).set(block.start, block);
    for (let page = pageFloor(block.start); page < Math.max(block.next, block.start + 1); page += PAGE_SIZE) {
      const list = this.byPage.get(page);
      if (list === undefined) this.byPage.set(page, [block]);
      else list.push(block);
    }
  }

  /** Takes a transient block back if it is the last one. */
  removeLast(transient: CachedBlock): boolean {
    if (this.ordered.at(-1) !== transient) return false;
    this.ordered.pop();
    return true;
  }

  /** Takes out the blocks that lie on a page. */
  removePage(page: number): CachedBlock[] {
    const removed = this.byPage.get(page) ?? [];
    this.byPage.delete(page);
    const inherited = this.gonePages.has(page) ? [] : this.inheritedOn(page);
    this.gonePages.add(page);
    for (const block of [...removed, ...inherited]) {
      this.removeFrom(this.blocks, this.frozen?.blocks, block);
      this.removeFrom(this.singles, this.frozen?.singles, block);
    }
    return [...removed, ...inherited];
  }

  /** Takes out the blocks that contain an address, begin there or, on the same page, end there. */
  removeAround(address: number): CachedBlock[] {
    const page = pageFloor(address);
    const inherited = this.gonePages.has(page) ? [] : this.inheritedOn(page);
    const removed = [...(this.byPage.get(page) ?? []), ...inherited].filter((block) => block.start <= address && address <= block.next && this.isCurrent(block));
    for (const block of removed) {
      this.removeFrom(this.blocks, this.frozen?.blocks, block);
      this.removeFrom(this.singles, this.frozen?.singles, block);
      this.removeFromPages(block);
    }
    return removed;
  }

  /** The block whose bytecode contains a linear offset. */
  findByPc(pc: number): CachedBlock {
    const ordered = this.frozen !== undefined && pc < this.frozen.end ? this.frozen.ordered : this.ordered;
    let low = 0;
    let high = ordered.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((ordered[middle] as CachedBlock).bytecode <= pc) low = middle;
      else high = middle - 1;
    }
    const block = ordered[low];
    assert(block !== undefined && pc >= block.bytecode && pc < block.bytecodeEnd, `no block at bytecode offset ${pc}`);
    return block;
  }

  clear(): void {
    this.frozen = undefined;
    this.blocks.clear();
    this.singles.clear();
    this.byPage.clear();
    this.gonePages.clear();
    this.ordered = [];
  }

  /** An index that starts with the same blocks. `end` is where their bytecode ends. */
  fork(end: number): BlockIndex {
    const known = this.frozen?.blocks.size ?? 0;
    const changes = Math.max(this.ordered.length, this.blocks.size);
    if (this.frozen === undefined || changes > Math.max(FEW_CHANGES, known / SMALL_SHARE)) this.freeze(end);
    const copy = new BlockIndex();
    copy.frozen = this.frozen;
    const copies = new Map<CachedBlock, CachedBlock>();
    const copyOf = (block: CachedBlock): CachedBlock => {
      const own = copies.get(block) ?? { ...block };
      copies.set(block, own);
      return own;
    };
    for (const [address, block] of this.blocks) copy.blocks.set(address, block === null ? null : copyOf(block));
    for (const [address, block] of this.singles) copy.singles.set(address, block === null ? null : copyOf(block));
    for (const [page, list] of this.byPage) copy.byPage.set(page, list.map(copyOf));
    copy.ordered = this.ordered.map(copyOf);
    copy.gonePages = new Set(this.gonePages);
    return copy;
  }

  /** Everything there is becomes the frozen part. */
  private freeze(end: number): void {
    const { frozen } = this;
    const blocks = merged(frozen?.blocks, this.blocks);
    const singles = merged(frozen?.singles, this.singles);
    const byPage = new Map<number, CachedBlock[]>();
    for (const list of [blocks, singles]) {
      for (const block of list.values()) {
        for (let page = pageFloor(block.start); page < Math.max(block.next, block.start + 1); page += PAGE_SIZE) {
          const onPage = byPage.get(page);
          if (onPage === undefined) byPage.set(page, [block]);
          else onPage.push(block);
        }
      }
    }
    const ordered = [...(frozen?.ordered ?? []), ...this.ordered];
    this.clear();
    this.frozen = { blocks, singles, ordered, byPage, end };
  }

  /** The state of a block may change, so a frozen one is copied. */
  private find(address: number, changes: Changes, frozen: ReadonlyMap<number, CachedBlock> | undefined): CachedBlock | undefined {
    const own = changes.get(address);
    if (own !== undefined) return own ?? undefined;
    const inherited = frozen?.get(address);
    if (inherited === undefined) return undefined;
    const copy = { ...inherited };
    changes.set(address, copy);
    return copy;
  }

  /** Whether nothing has taken its place, `block` being the frozen original or a copy of ours. */
  private isCurrent({ start, bytecode }: CachedBlock): boolean {
    const isSame = (changes: Changes, frozen: ReadonlyMap<number, CachedBlock> | undefined): boolean => {
      const own = changes.get(start);
      return (own === undefined ? frozen?.get(start) : own)?.bytecode === bytecode;
    };
    return isSame(this.blocks, this.frozen?.blocks) || isSame(this.singles, this.frozen?.singles);
  }

  private removeFromPages(block: CachedBlock): void {
    for (let page = pageFloor(block.start); page < Math.max(block.next, block.start + 1); page += PAGE_SIZE) {
      const list = this.byPage.get(page);
      if (list !== undefined) this.byPage.set(page, list.filter((other) => other !== block));
    }
  }

  private inheritedOn(page: number): readonly CachedBlock[] {
    return this.frozen?.byPage.get(page) ?? [];
  }

  /** `block` may be the frozen original of a copy of ours. */
  private removeFrom(changes: Changes, frozen: ReadonlyMap<number, CachedBlock> | undefined, block: CachedBlock): void {
    const own = changes.get(block.start);
    const current = own === undefined ? frozen?.get(block.start) : own;
    if (current === undefined || current === null || current.bytecode !== block.bytecode) return;
    if (frozen?.has(block.start) === true) changes.set(block.start, null);
    else changes.delete(block.start);
  }
}

function merged(frozen: ReadonlyMap<number, CachedBlock> | undefined, changes: Changes): Map<number, CachedBlock> {
  const all = new Map(frozen);
  for (const [address, block] of changes) {
    if (block === null) all.delete(address);
    else all.set(address, block);
  }
  return all;
}
