/** What is known of the blocks of a heap, those that are gone included: who made them when, who freed them. They are rows of a table, and objects for whoever wants one. */
import { PAGE_SIZE } from '../../base/types.js';
import { PageMap } from '../../machine/pageMap.js';
import type { AllocationFamily } from '../functions.js';
import { BlockRows } from './blockRows.js';
import { mayBeView } from './tags.js';

/** Who does something: a thread, in a library function. */
export interface Doer {
  readonly tid: number;
  readonly pid: number;
  /** The library function that did it. */
  readonly by: string;
}

/** When something was done, and by which thread. */
export interface Moment extends Doer {
  /** Instructions since the beginning of the run. */
  readonly time: number;
}

export interface Block {
  /** Never used again. */
  readonly id: number;
  readonly begin: number;
  readonly size: number;
  readonly family: AllocationFamily;
  readonly allocated: Moment;
  readonly freed: Moment | undefined;
  /** Where its bytes are. */
  readonly real: number;
}

/** Memory that a block's bytes are part of. */
export interface BlockPiece {
  readonly address: number;
  readonly capacity: number;
}

/** Dead blocks that are remembered. */
const MOST_DEAD = 1_000_000;
/** How far from a block, in pages, an address may be that is said to belong to it. */
const FAR_PAGES = 512;
/** Blocks begin at multiples of it. */
const GRAIN = 16;
/** No row. */
export const NONE = -1;

export class Blocks {
  readonly rows: BlockRows;
  /** Rows of live ones, by where they begin. */
  private readonly live = new PageMap<number>();
  /** Rows of dead ones, in the order in which they died, from `firstDead` on. */
  private dead: number[] = [];
  private firstDead = 0;
  private nextId = 0;
  private readonly doers: Doer[] = [];
  private readonly families: AllocationFamily[] = [];
  /** Rows by number of the block, and the answer to the last question; good until something changes. */
  private byId: Map<number, number> | undefined;
  private asked: { readonly address: number; readonly row: number } | undefined;

  constructor(
    /** Whether blocks have addresses that nothing else has. */
    private readonly areViews: boolean,
    origin?: Blocks,
    private readonly mostDead = MOST_DEAD,
  ) {
    this.rows = new BlockRows(origin?.rows);
    if (origin === undefined) return;
    for (const [begin, row] of origin.live.entries()) this.live.set(begin, row);
    [this.dead, this.firstDead, this.nextId] = [origin.dead.slice(), origin.firstDead, origin.nextId];
    this.doers.push(...origin.doers);
    this.families.push(...origin.families);
  }

  /** The number for somebody who does things. */
  doer({ tid, pid, by }: Doer): number {
    const known = this.doers.findLastIndex((doer) => doer.tid === tid && doer.pid === pid && doer.by === by);
    return known >= 0 ? known : this.doers.push({ tid, pid, by }) - 1;
  }

  family(name: AllocationFamily): number {
    const known = this.families.indexOf(name);
    return known >= 0 ? known : this.families.push(name) - 1;
  }

  /** Returns its row. */
  add(begin: number, size: number, real: number, piece: BlockPiece, family: number, time: number, by: number): number {
    const row = this.rows.add(this.nextId++, begin, size, real, piece, family, time, by);
    this.live.set(begin / GRAIN, row);
    this.changed();
    return row;
  }

  /** The block has been freed. */
  bury(row: number, time: number, by: number): void {
    this.rows.free(row, time, by);
    this.live.delete(this.rows.begin(row) / GRAIN);
    this.dead.push(row);
    this.changed();
    if (this.dead.length - this.firstDead > this.mostDead) this.forgetOldest();
  }

  /** The row of the live block that begins there; NONE if there is none. */
  rowAt(begin: number): number {
    return this.live.get(begin / GRAIN) ?? NONE;
  }

  /** It begins there and has not been freed. */
  at(begin: number): Block | undefined {
    const row = this.rowAt(begin);
    return row === NONE ? undefined : this.block(row);
  }

  /** All that have not been freed, in the order in which they were made. */
  alive(): readonly Block[] {
    return this.inOrder((row) => this.rows.isAlive(row));
  }

  /** Those that have been freed, as far as they are remembered. */
  gone(): readonly Block[] {
    return this.inOrder((row) => !this.rows.isAlive(row));
  }

  /** By number. */
  numbered(id: number): Block | undefined {
    this.byId ??= new Map(this.rows.all().map((row) => [this.rows.id(row), row]));
    const row = this.byId.get(id);
    return row === undefined ? undefined : this.block(row);
  }

  /**
   * The block that an address belongs to: it is in it, or, where blocks have addresses of their own, on a page of it, or not far from it and nearer than to others with the same
   * upper half. Live ones come before dead ones, later ones before earlier ones. Goes through all there are.
   */
  of(address: number): Block | undefined {
    if (this.areViews && !mayBeView(address)) return undefined;
    if (this.asked?.address !== address) this.asked = { address, row: this.nearest(address) };
    const { row } = this.asked;
    return row === NONE ? undefined : this.block(row);
  }

  block(row: number): Block {
    const { rows } = this;
    const freed = rows.freedAt(row);
    return {
      id: rows.id(row), begin: rows.begin(row), size: rows.size(row), real: rows.real(row),
      family: this.families[rows.family(row)] as AllocationFamily,
      allocated: { ...(this.doers[rows.allocatedBy(row)] as Doer), time: rows.allocatedAt(row) },
      freed: freed === undefined ? undefined : { ...(this.doers[rows.freedBy(row)] as Doer), time: freed },
    };
  }

  private changed(): void {
    this.byId = undefined;
    this.asked = undefined;
  }

  private nearest(address: number): number {
    const { rows, areViews } = this;
    let [best, leastDistance, bestDeath] = [NONE, areViews ? FAR_PAGES : 1, 0];
    for (let row = 0; row < rows.end; row++) {
      if (!rows.isUsed(row)) continue;
      const distance = areViews ? this.pagesTo(row, address) : this.has(row, address) ? 0 : Infinity;
      if (distance > leastDistance || distance === Infinity) continue;
      const death = rows.freedAt(row) ?? Infinity;
      if (distance < leastDistance || (best !== NONE && death >= bestDeath)) [best, leastDistance, bestDeath] = [row, distance, death];
    }
    return best;
  }

  private inOrder(isWanted: (row: number) => boolean): readonly Block[] {
    return this.rows.all().filter(isWanted).toSorted((a, b) => this.rows.id(a) - this.rows.id(b)).map((row) => this.block(row));
  }

  private has(row: number, address: number): boolean {
    const begin = this.rows.begin(row);
    return address >= begin && address < begin + Math.max(this.rows.size(row), 1);
  }

  /** Of two that are as far, the one before the address is nearer: most go over the end. */
  private pagesTo(row: number, address: number): number {
    const begin = this.rows.begin(row);
    const page = pageOf(address);
    const before = pageOf(begin) - page;
    return before > 0 ? before + 0.5 : Math.max(page - pageOf(begin + Math.max(this.rows.size(row), 1) - 1), 0);
  }

  private forgetOldest(): void {
    this.rows.forget(this.dead[this.firstDead++] as number);
    if (this.firstDead < this.mostDead) return;
    this.dead = this.dead.slice(this.firstDead);
    this.firstDead = 0;
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}
