/**
 * The mapping half of an address space: what is mapped where, and what is free. Placing mappings so
 * that linear offsets do not collide is the job of the caller of `map`, with `findFree` and
 * `rangeIsFree`.
 */
import { assert } from '../base/assert.js';
import { GUEST_SPACE_SIZE } from '../layout/memoryMap.js';
import { PAGE_SIZE, USER_SPACE_END, guestAddr, pageCeil, type GuestAddr } from '../base/types.js';
import { GuestMemoryAccess } from './addressSpaceAccess.js';
import { GapFinder, STACK_GUARD_GAP, type AddressRange } from './addressSpaceGaps.js';
import type { LinearMemory } from './linearMemory.js';
import { PROT, withProt, type Mapping } from './mapping.js';
import { MappingList } from './mappingList.js';
import { PAGE, Pages } from './pages.js';
import type { SpaceWitness } from './spaceWitness.js';
import type { UnwrittenBytes } from './shadow/unwrittenBytes.js';
import { isPossibleView, type View, Views } from './views.js';
import type { Access } from './stop.js';

export interface FindFreeOptions {
  /** Search downwards from here; otherwise upwards from `from`. */
  readonly topDownFrom?: number;
  readonly from?: number;
  readonly below?: number;
  /** Taken if it is free. */
  readonly hint?: number;
  readonly align?: number;
  /** The range needs no memory yet: anonymous PROT_NONE. */
  readonly withoutMemory?: boolean;
  /** It needs memory for so many bytes at its begin. Default: for all, unless it is without. */
  readonly memoryLength?: number;
  /** Leave free what reservations will need when they are given a use: this much from the begin of each on. */
  readonly promised?: number;
  /** Use memory that is kept for heap and stack growth. */
  readonly ignoreReserved?: boolean;
}

/** Smaller ones are guard pages and the like. */
const SMALLEST_PROMISE = 1024 * 1024;

/** Keeps mappings of the same file page in step: linear memory has a copy for each. */
export interface SharedPages {
  /** Pages [start, end) of `m` are about to be read from its file. */
  beforeLoad(m: Mapping, start: number, end: number): void;
  /** The page is about to be written, for the first time since it was loaded or its changes were taken. */
  beforeFirstWrite(page: number): void;
}

/** What is mapped, at some time: for snapshots. */
export interface MappingState {
  readonly mappings: readonly Mapping[];
  readonly peakMapped: number;
  readonly reserved: readonly AddressRange[];
  readonly views: readonly View[];
}

/** Lowest address mmap gives out: vm.mmap_min_addr. */
export const LOWEST_MAPPABLE = 0x10000;

const NO_VIEWS: readonly View[] = [];

export abstract class MappedSpace extends GuestMemoryAccess {
  /** For snapshots and for classes derived from this one; no other code knows of linear pages. */
  readonly pages: Pages;
  protected readonly list = new MappingList();
  private readonly gaps: GapFinder;
  private mapped = 0;
  private peakMapped = 0;
  private hasPromised = false;
  /** Undefined as long as there were none. */
  protected views: Views | undefined;
  /** Called when code of a file has been mapped. */
  onCodeMapped: (m: Mapping) => void = () => {};
  /** Called when the kernel cannot do an access for the program. True: it can now. */
  onRefused: (address: number, access: Access) => boolean = () => false;
  /** Called before the first view is there: code has to look out for them from now on. */
  onFirstView: () => void = () => {};

  /** Ranges kept free for growth of heap and stack; see FindFreeOptions.ignoreReserved. */
  reserved: readonly AddressRange[] = [];
  /** Told before pages of shared file mappings are loaded or first written: others may show the same bytes. */
  sharing: SharedPages | undefined;
  /** Told of everything that is done to it, if there is a witness. */
  witness: SpaceWitness | undefined;
  /** Which bytes have not been written, if an analysis wants to know. What the kernel writes or maps is written. */
  unwritten: UnwrittenBytes | undefined;
  /** Called when a page that holds translations changes or can no longer be executed. */
  onCodeWrite: (page: GuestAddr) => void = () => {};

  protected constructor(linear: LinearMemory) {
    super(linear);
    this.pages = new Pages(linear);
    this.gaps = new GapFinder(this.list, this.pages);
  }

  get mappedBytes(): number {
    return this.mapped;
  }

  get peakMappedBytes(): number {
    return this.peakMapped;
  }

  /** Memory that really holds something (written, or loaded from a file), now and at most. */
  get residentBytes(): number {
    return this.pages.residentPages * PAGE_SIZE;
  }

  get peakResidentBytes(): number {
    return this.pages.peakResidentPages * PAGE_SIZE;
  }

  /** In order of address. */
  mappings(): readonly Mapping[] {
    return this.list.all();
  }

  find(address: number): Mapping | undefined {
    return this.list.find(address);
  }

  /** The mappings in [start, start + length), clipped to it. */
  mappingsWithin(start: number, length: number): Mapping[] {
    return this.list.within(start, start + length);
  }

  /**
   * Maps memory, in place of what was there: zeros, or the contents of the file, which are loaded
   * when they are touched. The range must be free in linear memory (see rangeIsFree) apart from
   * what it replaces.
   */
  map(m: Mapping): void {
    assert(m.start % PAGE_SIZE === 0 && m.end % PAGE_SIZE === 0 && m.start < m.end, 'mapping of whole pages');
    this.witness?.mapping(this, m);
    this.unmap(m.start, m.end - m.start);
    if (!needsMemory(m) && m.end - m.start >= SMALLEST_PROMISE) this.hasPromised = true;
    if (needsMemory(m)) {
      const extra = m.file === undefined ? 0 : m.shared ? PAGE.ABSENT | PAGE.EXACT : PAGE.ABSENT;
      for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
        assert(this.pages.isUnclaimed(page), 'linear page is free');
        this.pages.claim(page, m.prot, extra);
      }
    }
    if (needsMemory(m) && !m.growsDown) this.unwritten?.remove(m.start, m.end - m.start);
    this.list.add(withProt(m, m.prot));
    this.mapped += m.end - m.start;
    this.peakMapped = Math.max(this.peakMapped, this.mapped);
    if (m.file !== undefined && (m.prot & PROT.EXEC) !== 0) this.onCodeMapped(m);
  }

  /** Removes all mappings in the range and returns them, clipped to it. */
  unmap(start: number, length: number): Mapping[] {
    this.witness?.unmapping(this, start, length);
    const removed = this.list.cut(start, pageCeil(start + length));
    for (const m of removed) {
      this.pages.forEachClaimed(m.start, m.end, (page) => this.releasePage(page));
      this.mapped -= m.end - m.start;
    }
    return removed;
  }

  /** False if there is a hole in the range, or no memory left for pages that had no use before. */
  protect(start: number, length: number, prot: number): boolean {
    this.witness?.protecting(this, start, length, prot);
    const end = pageCeil(start + length);
    let covered = start;
    for (const m of this.list.within(start, end)) {
      if (m.start > covered) break;
      if (!this.protectPart(m, prot)) return false;
      covered = m.end;
    }
    return covered >= end;
  }

  /** Shows mapped memory at addresses of its own (views.ts). */
  addView(view: View): void {
    assert(this.tryView(view), 'a page of addresses belongs to one view');
  }

  /** False, and nothing has been done, if a page of its addresses is taken. */
  tryView(view: View): boolean {
    if (!isPossibleView(view) || !this.someViews().add(view)) return false;
    this.witness?.viewing(this, view);
    return true;
  }

  /** Whether a view can be added: nothing is shown on the pages of its addresses yet. */
  hasRoomForView(view: View): boolean {
    return isPossibleView(view) && this.views?.hasRoomFor(view) !== false;
  }

  /** Takes a view away, if one begins there. */
  removeView(begin: number): void {
    this.witness?.unviewing(this, begin);
    this.views?.remove(begin);
  }

  /** Where the view begins, and ends, whose page of addresses an address is on; -1 if there is none. */
  viewBeginNear(address: number): number {
    return this.views?.beginNear(address) ?? -1;
  }

  viewEndNear(address: number): number {
    return this.views?.endNear(address) ?? -1;
  }

  /** The view whose page of addresses an address is on. */
  viewNear(address: number): View | undefined {
    return this.views?.near(address);
  }

  /** There will be views: code that is compiled from now on is ready for them. */
  expectViews(): void {
    this.someViews();
  }

  get hasViews(): boolean {
    return this.views !== undefined;
  }

  private someViews(): Views {
    if (this.views === undefined) {
      this.views = new Views(this.linear);
      this.onFirstView();
    }
    return this.views;
  }

  private setViews(views: readonly View[]): void {
    if (this.views !== undefined || views.length > 0) this.someViews().reset(views);
  }

  /** Says what copies of the address space get of a mapped range. */
  setInCopy(start: number, length: number, inCopy: Mapping['inCopy']): void {
    this.witness?.settingInCopy(this, start, length, inCopy);
    for (const m of this.list.within(start, pageCeil(start + length))) {
      const { inCopy: _old, ...rest } = m;
      this.list.cut(m.start, m.end);
      this.list.add(inCopy === undefined ? rest : { ...rest, inCopy });
    }
  }

  /** Makes this empty address space a copy of another one, as fork does. */
  copyMappings(other: MappedSpace): void {
    assert(this.list.all().length === 0, 'the copy starts empty');
    this.witness?.copyingSpace(this, other);
    this.list.reset(other.list.all());
    this.pages.copyFrom(other.pages);
    this.setViews(other.views?.all ?? NO_VIEWS);
    this.mapped = this.peakMapped = other.mapped;
    this.hasPromised = other.hasPromised;
    this.reserved = other.reserved;
  }

  /** Removes everything and forgets whom to tell: as new, apart from what lies in pages that are not mapped. */
  clearMappings(): void {
    this.witness?.clearing(this);
    this.list.reset([]);
    this.pages.releaseAll();
    this.setViews(NO_VIEWS);
    this.mapped = this.peakMapped = 0;
    this.hasPromised = false;
    this.reserved = [];
    this.sharing = undefined;
    this.onCodeWrite = () => {};
    this.onCodeMapped = () => {};
    this.onRefused = () => false;
    this.unwritten = undefined;
  }

  /** `known` is returned again if nothing has changed since. */
  mappingState(known?: MappingState): MappingState {
    const { peakMapped, reserved } = this;
    const now = this.list.all();
    const mappings = known !== undefined && isSameList(known.mappings, now) ? known.mappings : now.slice();
    const views = this.views?.all ?? NO_VIEWS;
    const same = known !== undefined && mappings === known.mappings && peakMapped === known.peakMapped && reserved === known.reserved && views === known.views;
    return same ? known : { mappings, peakMapped, reserved, views };
  }

  /** Says what is mapped; the pages are the caller's business. */
  restoreMappingState({ mappings, peakMapped, reserved, views }: MappingState): void {
    this.setViews(views);
    this.list.reset(mappings);
    this.mapped = mappings.reduce((sum, m) => sum + (m.end - m.start), 0);
    this.peakMapped = peakMapped;
    this.reserved = reserved;
    this.hasPromised = mappings.some((m) => !needsMemory(m) && m.end - m.start >= SMALLEST_PROMISE);
  }

  /** A range that is free in the guest's address space and in linear memory. */
  findFree(length: number, options: FindFreeOptions): GuestAddr | null {
    const hint = options.hint;
    const memoryLength = options.withoutMemory === true ? 0 : Math.min(length, options.memoryLength ?? length);
    if (memoryLength > GUEST_SPACE_SIZE) return null;
    const promised = options.promised === undefined || options.promised === 0 ? [] : this.promises(options.promised);
    if (hint !== undefined && this.hintIsFree(hint, length, memoryLength, promised)) return guestAddr(hint);
    const query = {
      length,
      align: options.align ?? PAGE_SIZE,
      low: options.from ?? LOWEST_MAPPABLE,
      high: options.topDownFrom ?? options.below ?? USER_SPACE_END,
      reserved: options.ignoreReserved === true ? promised : [...this.reserved, ...promised],
      memoryLength,
    };
    const found = options.topDownFrom !== undefined ? this.gaps.topDown(query) : this.gaps.bottomUp(query);
    return found === null ? null : guestAddr(found);
  }

  /** Whether no mapping has a byte there; linear memory is not asked. */
  isUnmapped(start: number, length: number): boolean {
    return this.list.isFree(start, start + length);
  }

  rangeIsFree(start: number, length: number): boolean {
    const end = start + length;
    return end <= USER_SPACE_END && this.list.isFree(start, end) && this.gaps.memoryIsFree(start, end);
  }

  /** Whether a mapping with memory can be put there, replacing what is there now. */
  rangeIsReplaceable(start: number, length: number): boolean {
    const end = start + length;
    if (end > USER_SPACE_END || length > GUEST_SPACE_SIZE) return false;
    for (let page = start; page < end; page += PAGE_SIZE) {
      if (!this.pages.isUnclaimed(page) && this.pages.bitsAt(page) === 0) return false;
    }
    return true;
  }

  /** Tells the engine if the page holds translations; they count as gone afterwards. */
  protected noteCodeChange(page: number): void {
    if ((this.pages.bitsAt(page) & PAGE.TRANSLATED) === 0) return;
    this.pages.change(page, PAGE.TRANSLATED, 0);
    this.onCodeWrite(guestAddr(page));
  }

  /** Whether something may be reserved without memory. Most programs never do that. */
  get hasPromises(): boolean {
    return this.hasPromised;
  }

  /** What is reserved without memory, and large enough to be for later use: so much of each. */
  private promises(most: number): AddressRange[] {
    const later = this.list.all().filter((m) => !needsMemory(m) && m.end - m.start >= SMALLEST_PROMISE);
    return later.map(({ start, end }) => ({ start, end: Math.min(end, start + most) }));
  }

  private hintIsFree(hint: number, length: number, memoryLength: number, promised: readonly AddressRange[]): boolean {
    const end = hint + length;
    if (end > USER_SPACE_END || !this.list.isFree(hint, end)) return false;
    const next = this.list.at(this.list.indexAfter(hint));
    if (next !== undefined && next.growsDown && end > next.start - STACK_GUARD_GAP) return false;
    return memoryLength === 0 || this.gaps.memoryIsFree(hint, hint + memoryLength, promised);
  }

  private protectPart(m: Mapping, prot: number): boolean {
    const changed = withProt(m, prot);
    if (needsMemory(changed) && !this.claimMissing(m)) return false;
    this.list.cut(m.start, m.end);
    this.list.add(changed);
    this.pages.forEachClaimed(m.start, m.end, (page) => {
      if ((prot & PROT.EXEC) === 0) this.noteCodeChange(page);
      this.pages.change(page, PAGE.PROT, prot);
    });
    return true;
  }

  /** Gives memory to the pages of a reservation that is about to be used. */
  private claimMissing(m: Mapping): boolean {
    if (!this.rangeIsReplaceable(m.start, m.end - m.start)) return false;
    for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
      if (this.pages.bitsAt(page) !== 0) continue;
      this.pages.claim(page, m.prot, 0);
      this.unwritten?.remove(page, PAGE_SIZE);
    }
    return true;
  }

  private releasePage(page: number): void {
    this.noteCodeChange(page);
    this.pages.release(page);
  }
}

function isSameList(a: readonly Mapping[], b: readonly Mapping[]): boolean {
  return a.length === b.length && a.every((m, i) => m === b[i]);
}

function needsMemory(m: Mapping): boolean {
  return m.prot !== PROT.NONE || m.file !== undefined || m.growsDown;
}
