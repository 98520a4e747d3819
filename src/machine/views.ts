/**
 * Blocks of memory with addresses of their own. A view shows some bytes of mapped memory (the *real* ones) at addresses
 * that belong to no other memory: they differ from the real ones only above bit 31, so they lie at the same place in
 * linear memory (memoryMap.ts), and an access that reaches them there pays nothing. But the tables of pages do not know
 * such addresses; generated code then looks for the view (jit/memoryAccess.ts), which says where it begins and ends, to
 * the byte. So a pointer that has left its block, or whose block is gone, gets nowhere, whatever else lies there.
 *
 * Library functions for strings read whole vectors, over the end of what they were given; that does no harm, because
 * they never look at what they should not have. So code of these libraries is *loose*: its reads may go 64 bytes
 * beyond.
 *
 * A page of addresses belongs to one view. What generated code sees is a table that forgets (a hash of the page): what
 * is missing comes here.
 */
import { PAGE_SIZE, USER_SPACE_END } from '../base/types.js';
import { GUEST_SPACE_SIZE, LOOSE_REACH, VIEW_ENTRIES, VIEW_ENTRY_BYTES, VIEW_SPREAD, VIEW_TABLE } from '../layout/memoryMap.js';
import { linearOffset } from './addressSpaceAccess.js';
import type { LinearMemory } from './linearMemory.js';
import { ViewPages } from './viewPages.js';

export interface View {
  readonly begin: number;
  readonly size: number;
  /** The address of its first byte in mapped memory. */
  readonly real: number;
}

/** The byte at an address, by the address that it has among those of `other`: of memory that both have addresses of. */
export function sameByte(address: number, other: number): number {
  return address % GUEST_SPACE_SIZE + Math.floor(other / GUEST_SPACE_SIZE) * GUEST_SPACE_SIZE;
}

const WORDS = VIEW_ENTRY_BYTES / 4;
const PAGES = GUEST_SPACE_SIZE / PAGE_SIZE;
const TWO_32 = 0x1_0000_0000;

export class Views {
  private readonly byPage = new ViewPages();
  private listed: readonly View[] | undefined;

  constructor(private readonly linear: LinearMemory) {}

  /** All there are. The same array as long as nothing changes. */
  get all(): readonly View[] {
    return (this.listed ??= [...this.byPage.entries()].flatMap(([page, view]) => (page === pageOf(view.begin) ? [view] : [])));
  }

  /** Whether the pages of its addresses are free. */
  hasRoomFor(view: View): boolean {
    const last = lastPageOf(view);
    for (let page = pageOf(view.begin); page <= last; page++) if (this.byPage.has(page)) return false;
    return true;
  }

  /** False, and nothing has been done, if something else is shown on a page of its addresses. */
  add(view: View): boolean {
    const first = pageOf(view.begin);
    const last = lastPageOf(view);
    for (let page = first; page <= last; page++) {
      if (this.byPage.add(page, view)) continue;
      for (let added = first; added < page; added++) this.byPage.delete(added);
      return false;
    }
    // What is new is soon used.
    this.write(entryOf(first), view.begin, view.begin + view.size);
    this.listed = undefined;
    return true;
  }

  /** False: none begins there. */
  remove(begin: number): boolean {
    const first = pageOf(begin);
    if (this.byPage.beginOn(first) !== begin) return false;
    const last = pageOf(Math.max(this.byPage.endOn(first), begin + 1) - 1);
    for (let page = first; page <= last; page++) {
      this.byPage.delete(page);
      this.close(page, begin);
    }
    this.listed = undefined;
    return true;
  }

  /** Where the view begins that has the page of an address; -1 if none has it. */
  beginNear(address: number): number {
    return this.byPage.beginOn(pageOf(address));
  }

  /** Where it ends. */
  endNear(address: number): number {
    return this.byPage.endOn(pageOf(address));
  }

  /** The one that has the page of an address; the address need not be inside. */
  near(address: number): View | undefined {
    return this.byPage.get(pageOf(address));
  }

  /** Whether a view is so near to an access that code which is loose may make it. */
  allowsLoosely(address: number, length: number): boolean {
    const view = this.near(address);
    return view !== undefined && address + LOOSE_REACH >= view.begin && address + length <= view.begin + view.size + LOOSE_REACH;
  }

  /** Lets generated code know the view of an address. */
  open(address: number): void {
    const page = pageOf(address);
    const view = this.byPage.get(page);
    if (view !== undefined) this.write(entryOf(page), view.begin, view.begin + view.size);
  }

  /** Makes these the ones there are. */
  reset(views: readonly View[]): void {
    if (views === this.listed) return;
    for (const [page, { begin }] of this.byPage.entries()) this.close(page, begin);
    this.byPage.clear();
    for (const view of views) this.add(view);
    this.listed = views;
  }

  /** The table's entry for a page may have come to be another page's. */
  private close(page: number, begin: number): void {
    const entry = entryOf(page);
    const { u32 } = this.linear;
    const word = (VIEW_TABLE >>> 2) + entry * WORDS;
    if (u32[word] === begin >>> 0 && u32[word + 1] === Math.floor(begin / TWO_32)) this.write(entry, 0, 0);
  }

  private write(entry: number, begin: number, end: number): void {
    const { u32 } = this.linear;
    const word = (VIEW_TABLE >>> 2) + entry * WORDS;
    u32[word] = begin >>> 0;
    u32[word + 1] = Math.floor(begin / TWO_32);
    u32[word + 2] = end >>> 0;
    u32[word + 3] = Math.floor(end / TWO_32);
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

/** An empty one has the page where it begins. */
function lastPageOf({ begin, size }: View): number {
  return pageOf(begin + Math.max(size, 1) - 1);
}

/** Whether its addresses and the real ones are at the same place in linear memory, and exist. */
export function isPossibleView({ begin, size, real }: View): boolean {
  return size < GUEST_SPACE_SIZE && begin + size <= USER_SPACE_END && real + size <= USER_SPACE_END && linearOffset(begin) === linearOffset(real);
}

/** Numbers of the pages that it has. */
export function* pagesOfView(view: View): Iterable<number> {
  const last = lastPageOf(view);
  for (let page = pageOf(view.begin); page <= last; page++) yield page;
}

function entryOf(page: number): number {
  return (Math.imul(page | 0, VIEW_SPREAD) + Math.floor(page / PAGES)) & (VIEW_ENTRIES - 1);
}
