/**
 * What is known of the blocks of a heap, those that are gone included: who made them when, who freed them. They are
 * rows of a table, and objects for callers that want one.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { PageMap } from '../../machine/pageMap.js';
import type { AllocationFamily } from '../functions.js';
import { BlockRows } from './blockRows.js';
import { DeadBlocks } from './deadBlocks.js';
import { mayBeView } from './tags.js';

/** Who does something: a thread, in a library function. */
interface Doer {
  readonly tid: number;
  readonly pid: number;
  /** The library function that did it. */
  readonly by: string;
  /** It was called by a C library. */
  readonly isLibrarys?: boolean;
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
  /** The name of a variable that it is, in the function that `allocated` names. */
  readonly variable?: string;
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
  /**
   * When what is added or buried now is. It is no argument: V8 makes an object of each large number that is handed on,
   * and collecting those takes longer than the rest.
   */
  time = 0;
  private readonly dead: DeadBlocks;
  /** Rows of live ones, by where they begin. */
  private readonly live = new PageMap<number>();
  private nextId = 0;
  private readonly doers: Doer[] = [];
  private readonly families: AllocationFamily[] = [];
  /** All by number, and the answer to the last question; good until something changes. */
  private byId: Map<number, Block> | undefined;
  private asked: { readonly address: number; readonly block: Block | undefined } | undefined;

  constructor(
    /**
     * If blocks have addresses that nothing else has: where the live one begins that has the page of an address, or -1.
     */
    private readonly beginNear: ((address: number) => number) | undefined,
    origin?: Blocks,
    mostDead = MOST_DEAD,
  ) {
    this.rows = new BlockRows(origin?.rows);
    this.dead = new DeadBlocks(mostDead, origin?.dead);
    if (origin === undefined) return;
    for (const [begin, row] of origin.live.entries()) this.live.set(begin, row);
    this.nextId = origin.nextId;
    this.doers.push(...origin.doers);
    this.families.push(...origin.families);
  }

  /** So many there have been. */
  get made(): number {
    return this.nextId;
  }

  /** The number of a thread that does things. */
  doer({ tid, pid, by, isLibrarys = false }: Doer): number {
    const known = this.doers.findLastIndex((doer) => doer.tid === tid && doer.pid === pid && doer.by === by && doer.isLibrarys === isLibrarys);
    return known >= 0 ? known : this.doers.push({ tid, pid, by, isLibrarys }) - 1;
  }

  family(name: AllocationFamily): number {
    const known = this.families.indexOf(name);
    return known >= 0 ? known : this.families.push(name) - 1;
  }

  /**
   * Its bytes are part of a piece of memory that has so much room and begins `inset` bytes before them. Returns its
   * row.
   */
  add(begin: number, size: number, real: number, inset: number, capacity: number, family: number, by: number): number {
    const row = this.rows.add(this.nextId++, size, inset, capacity, family, by);
    this.rows.place(row, begin, real, this.time);
    this.live.set(begin / GRAIN, row);
    this.changed();
    return row;
  }

  /** The block has been freed. Its row is no more. */
  bury(row: number, by: number): void {
    const { rows, dead } = this;
    dead.setFreedAt(dead.add(rows, row, by), this.time);
    this.live.delete(rows.begin(row) / GRAIN);
    rows.release(row);
    this.changed();
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
    const found: Block[] = [];
    for (let row = 0; row < this.rows.end; row++) if (this.rows.isUsed(row)) found.push(this.block(row));
    return found.sort(byNumber);
  }

  /** Those that have been freed, as far as they are remembered. */
  gone(): readonly Block[] {
    return Array.from({ length: this.dead.count }, (_, index) => this.deadBlock(index)).sort(byNumber);
  }

  /** By number. */
  numbered(id: number): Block | undefined {
    this.byId ??= new Map([...this.gone(), ...this.alive()].map((block) => [block.id, block]));
    return this.byId.get(id);
  }

  /**
   * The block that an address belongs to: it is in it, or, where blocks have addresses of their own, on a page of it,
   * or not far from it and nearer than to others with the same upper half. Live ones come before dead ones, later ones
   * before earlier ones. Goes through all there are, unless it is on a page of a live one.
   */
  of(address: number): Block | undefined {
    if (this.beginNear !== undefined && !mayBeView(address)) return undefined;
    if (this.asked?.address !== address) this.asked = { address, block: this.onItsPage(address) ?? this.nearest(address) };
    return this.asked.block;
  }

  /** The live block in a row. */
  block(row: number): Block {
    const { rows } = this;
    return {
      id: rows.id(row), begin: rows.begin(row), size: rows.size(row), real: rows.real(row),
      family: this.families[rows.family(row)] as AllocationFamily,
      allocated: { ...(this.doers[rows.allocatedBy(row)] as Doer), time: rows.allocatedAt(row) },
      freed: undefined,
    };
  }

  private deadBlock(index: number): Block {
    const { id, begin, size, real, family, allocatedAt, allocatedBy, freedAt, freedBy } = this.dead.at(index);
    return {
      id, begin, size, real,
      family: this.families[family] as AllocationFamily,
      allocated: { ...(this.doers[allocatedBy] as Doer), time: allocatedAt },
      freed: { ...(this.doers[freedBy] as Doer), time: freedAt },
    };
  }

  private changed(): void {
    this.byId = undefined;
    this.asked = undefined;
  }

  /** Nothing is nearer. */
  private onItsPage(address: number): Block | undefined {
    const begin = this.beginNear?.(address) ?? NONE;
    return begin === NONE ? undefined : this.at(begin);
  }

  private nearest(address: number): Block | undefined {
    const { rows, dead } = this;
    const areViews = this.beginNear !== undefined;
    const distanceTo = areViews ? pagesTo : bytesTo;
    let [best, least] = [NONE, areViews ? FAR_PAGES : 1];
    for (let row = 0; row < rows.end; row++) {
      const distance = rows.isUsed(row) ? distanceTo(address, rows.begin(row), rows.size(row)) : Infinity;
      if (distance < least) [best, least] = [row, distance];
    }
    let [lastDead, death] = [NONE, -1];
    for (let index = 0; index < dead.count; index++) {
      const distance = distanceTo(address, dead.begin(index), dead.size(index));
      if (distance < least || (distance === least && lastDead !== NONE && dead.freedAt(index) >= death)) [lastDead, least, death] = [index, distance, dead.freedAt(index)];
    }
    return lastDead !== NONE ? this.deadBlock(lastDead) : best === NONE ? undefined : this.block(best);
  }
}

function byNumber(a: Block, b: Block): number {
  return a.id - b.id;
}

/** 0 if the address is inside. */
function bytesTo(address: number, begin: number, size: number): number {
  return address >= begin && address < begin + Math.max(size, 1) ? 0 : Infinity;
}

/** Of two that are as far, the one before the address is nearer: most go over the end. */
function pagesTo(address: number, begin: number, size: number): number {
  const page = pageOf(address);
  const before = pageOf(begin) - page;
  return before > 0 ? before + 0.5 : Math.max(page - pageOf(begin + Math.max(size, 1) - 1), 0);
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}
