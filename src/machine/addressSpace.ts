/**
 * The guest's virtual memory: which ranges are mapped, with what permissions, and the tables by
 * which generated code knows that an access may go straight. Linear offset = address modulo 2^31;
 * placing mappings so that offsets do not collide is the job of whoever calls `map`, with
 * `findFree` and `rangeIsFree`.
 *
 * Invariants: no two mappings overlap; a page with memory behind it has claimed its linear page;
 * anonymous PROT_NONE ranges claim none until mprotect gives them a use (so huge reservations cost
 * nothing); a table entry is open only if nothing but the access itself is left to do.
 */
import { assert } from '../base/assert.js';
import { PAGE_SIZE, USER_SPACE_END, guestAddr, pageCeil, pageFloor, type GuestAddr } from '../base/types.js';
import { BadAddress, GuestMemoryAccess, linearOffset } from './addressSpaceAccess.js';
import { GapFinder, STACK_GUARD_GAP, type AddressRange } from './addressSpaceGaps.js';
import type { LinearMemory } from './linearMemory.js';
import { PROT, withProt, type Mapping } from './mapping.js';
import { MappingList } from './mappingList.js';
import { PAGE, Pages } from './pages.js';
import type { Access } from './stop.js';

export { BadAddress } from './addressSpaceAccess.js';
export type { AddressRange } from './addressSpaceGaps.js';
export { PROT, anonymousMapping, type MappableFile, type Mapping } from './mapping.js';

export interface AccessFailure {
  readonly ok: false;
  /** The first byte that failed. */
  readonly address: number;
  readonly mapped: boolean;
  /** Mapped and permitted, but beyond the end of the file: SIGBUS. */
  readonly bus: boolean;
}
export type Resolution = { readonly ok: true } | AccessFailure;

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
  /** Use memory that is kept for heap and stack growth. */
  readonly ignoreReserved?: boolean;
}

/** What the decoder gets to see: bytes, or the first address that cannot be executed. */
export type Fetched = { readonly ok: true; readonly bytes: Uint8Array } | AccessFailure;

const RESOLVED = { ok: true } as const;
/** Lowest address mmap gives out: vm.mmap_min_addr. */
export const LOWEST_MAPPABLE = 0x10000;

export class AddressSpace extends GuestMemoryAccess {
  private readonly pages: Pages;
  private readonly list = new MappingList();
  private readonly gaps: GapFinder;
  private mapped = 0;
  private peakMapped = 0;

  /** Most bytes a growsDown mapping may have: RLIMIT_STACK. */
  stackLimit = 8 * 1024 * 1024;
  /** Ranges kept free for growth of heap and stack; see FindFreeOptions.ignoreReserved. */
  reserved: readonly AddressRange[] = [];
  /** Called when a page that holds translations changes or can no longer be executed. */
  onCodeWrite: (page: GuestAddr) => void = () => {};

  constructor(linear: LinearMemory) {
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
   * Maps zero-filled memory, in place of what was there. The range must be free in linear memory
   * (see rangeIsFree) apart from what it replaces; contents of files are the caller's to `fill` in.
   */
  map(m: Mapping): void {
    assert(m.start % PAGE_SIZE === 0 && m.end % PAGE_SIZE === 0 && m.start < m.end, 'mapping of whole pages');
    this.unmap(m.start, m.end - m.start);
    if (needsMemory(m)) {
      const extra = m.shared && m.file !== undefined ? PAGE.EXACT : 0;
      for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
        assert(this.pages.isUnclaimed(page), 'linear page is free');
        this.pages.claim(page, m.prot, extra);
      }
    }
    this.list.add(withProt(m, m.prot));
    this.mapped += m.end - m.start;
    this.peakMapped = Math.max(this.peakMapped, this.mapped);
  }

  /** Removes all mappings in the range and returns them. Their memory is still there until it is mapped anew. */
  unmap(start: number, length: number): Mapping[] {
    const removed = this.list.cut(start, pageCeil(start + length));
    for (const m of removed) {
      for (let page: number = m.start; page < m.end; page += PAGE_SIZE) this.releasePage(page);
      this.mapped -= m.end - m.start;
    }
    return removed;
  }

  /** False if there is a hole in the range, or no memory left for pages that had no use before. */
  protect(start: number, length: number, prot: number): boolean {
    const end = pageCeil(start + length);
    const parts = this.list.within(start, end);
    let covered = start;
    for (const m of parts) {
      if (m.start > covered) break;
      if (!this.protectPart(m, prot)) return false;
      covered = m.end;
    }
    return covered >= end;
  }

  /** A range that is free in the guest's address space and in linear memory. */
  findFree(length: number, options: FindFreeOptions): GuestAddr | null {
    const hint = options.hint;
    const withoutMemory = options.withoutMemory ?? false;
    if (hint !== undefined && this.hintIsFree(hint, length, withoutMemory)) return guestAddr(hint);
    const query = {
      length,
      align: options.align ?? PAGE_SIZE,
      low: options.from ?? LOWEST_MAPPABLE,
      high: options.topDownFrom ?? options.below ?? USER_SPACE_END,
      reserved: options.ignoreReserved === true ? [] : this.reserved,
      withoutMemory,
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
    if (end > USER_SPACE_END) return false;
    for (let page = start; page < end; page += PAGE_SIZE) {
      if (!this.pages.isUnclaimed(page) && this.pages.bitsAt(page) === 0) return false;
    }
    return true;
  }

  /**
   * Settles an access that the fast check refused: zeroes, grows a stack, announces a write to
   * code, and says whether the access may now proceed. It may cross a page.
   */
  resolve(address: number, length: number, access: Access): Resolution {
    // So far out a double has no room for address + 1.
    if (address >= USER_SPACE_END) return this.failure(address, false);
    const end = address + Math.max(length, 1);
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      const failure = this.resolvePage(page, Math.max(page, address), access);
      if (failure !== null) return failure;
    }
    return RESOLVED;
  }

  /** Reads whatever is mapped, permissions aside: for debuggers. Null if a byte is not mapped. */
  peek(address: number, length: number): Uint8Array | null {
    if (!this.prepareRange(address, length, false)) return null;
    const offset = linearOffset(address);
    return this.linear.u8.slice(offset, offset + length);
  }

  /** Writes whatever is mapped, permissions aside. False, and nothing written, if a byte is not mapped. */
  poke(address: number, bytes: Uint8Array): boolean {
    if (!this.prepareRange(address, bytes.length, true)) return false;
    this.linear.u8.set(bytes, linearOffset(address));
    return true;
  }

  /**
   * Lets `load` put the contents of a file straight into the pages of [start, start + length),
   * which must be claimed. Whatever it leaves alone of the last page, and all beyond, stays zero.
   */
  fill(start: GuestAddr, length: number, load: (target: Uint8Array) => number): void {
    const end = pageCeil(start + length);
    for (let page: number = start; page < end; page += PAGE_SIZE) {
      assert(this.pages.bitsAt(page) !== 0, 'page to fill is claimed');
      this.noteCodeChange(page);
      this.pages.prepareOverwrite(page);
    }
    const offset = linearOffset(start);
    const loaded = load(this.linear.u8.subarray(offset, offset + length));
    this.linear.u8.fill(0, offset + loaded, offset + (end - start));
  }

  /** Makes anonymous pages read as zero again. */
  discard(start: number, length: number): void {
    for (let page = start; page < start + length; page += PAGE_SIZE) {
      if (this.pages.bitsAt(page) === 0) continue;
      this.noteCodeChange(page);
      this.pages.discard(page);
    }
  }

  /** Copies what the pages at `from` hold to those at `to`, which are freshly mapped. */
  copyPages(from: number, to: number, length: number): void {
    for (let at = 0; at < length; at += PAGE_SIZE) {
      if (!this.isResident(from + at)) continue;
      this.noteCodeChange(to + at);
      this.pages.prepareOverwrite(to + at);
      const source = linearOffset(from + at);
      this.linear.u8.copyWithin(linearOffset(to + at), source, source + PAGE_SIZE);
    }
  }

  /** Marks pages that lie beyond the end of the file they map. */
  markBeyondFile(start: number, end: number): void {
    for (let page = start; page < end; page += PAGE_SIZE) this.pages.change(page, 0, PAGE.BEYOND_FILE);
  }

  /** Pages of shared file mappings written since the last call; they count as clean afterwards. */
  takeWrittenPages(start: number, length: number): GuestAddr[] {
    const taken: GuestAddr[] = [];
    const wanted = PAGE.EXACT | PAGE.WRITTEN;
    for (let page = start; page < start + length; page += PAGE_SIZE) {
      if ((this.pages.bitsAt(page) & wanted) !== wanted) continue;
      this.pages.change(page, PAGE.WRITTEN, 0);
      taken.push(guestAddr(page));
    }
    return taken;
  }

  /** Whether the page holds something (mincore). */
  isResident(page: number): boolean {
    const bits = this.pages.bitsAt(page);
    return (bits & (PAGE.DIRTY | PAGE.STALE)) === PAGE.DIRTY;
  }

  /** The page now holds translated code: writes to it leave the fast path. */
  markTranslated(page: number): void {
    assert(this.pages.bitsAt(page) !== 0, 'translated page is mapped');
    this.pages.change(page, 0, PAGE.TRANSLATED);
  }

  /** Up to `length` bytes of code from `address`: fewer where the next page cannot be executed. */
  fetch(address: number, length: number): Fetched {
    if (address >= USER_SPACE_END) return this.failure(address, false);
    let end = address;
    for (let page = pageFloor(address); page < address + length; page += PAGE_SIZE) {
      const failure = this.resolvePage(page, Math.max(page, address), 'execute');
      if (failure !== null) {
        if (end === address) return failure;
        break;
      }
      end = Math.min(page + PAGE_SIZE, address + length);
    }
    const offset = linearOffset(address);
    return { ok: true, bytes: this.linear.u8.slice(offset, offset + (end - address)) };
  }

  protected override reach(address: number, length: number, access: Access): number {
    if (length === 0) return 0;
    const result = this.resolve(address, length, access);
    if (!result.ok) throw new BadAddress(result.address);
    return linearOffset(address);
  }

  private resolvePage(page: number, address: number, access: Access): AccessFailure | null {
    let bits = page < USER_SPACE_END ? this.pages.bitsAt(page) : 0;
    if (bits === 0) {
      if (!this.growStack(address)) return this.failure(address, false);
      bits = this.pages.bitsAt(page);
    }
    if (!permits(bits, access)) return this.failure(address, false);
    if ((bits & PAGE.BEYOND_FILE) !== 0 && !this.fileHasGrown(page)) return this.failure(address, true);
    if (access === 'write') {
      if ((bits & PAGE.TRANSLATED) !== 0) this.noteCodeChange(page);
      if ((bits & PAGE.WRITTEN) === 0) this.pages.prepareWrite(page);
    } else if ((bits & PAGE.STALE) !== 0) {
      this.pages.prepareRead(page);
    }
    return null;
  }

  private failure(address: number, bus: boolean): AccessFailure {
    return { ok: false, address, mapped: this.list.find(address) !== undefined, bus };
  }

  private prepareRange(address: number, length: number, forWrite: boolean): boolean {
    const end = address + length;
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      if (page >= USER_SPACE_END || this.pages.bitsAt(page) === 0) return false;
    }
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      if (forWrite) {
        this.noteCodeChange(page);
        this.pages.prepareWrite(page);
      } else {
        this.pages.prepareRead(page);
      }
    }
    return true;
  }

  private hintIsFree(hint: number, length: number, withoutMemory: boolean): boolean {
    const end = hint + length;
    if (end > USER_SPACE_END || !this.list.isFree(hint, end)) return false;
    const next = this.list.at(this.list.indexAfter(hint));
    if (next !== undefined && next.growsDown && end > next.start - STACK_GUARD_GAP) return false;
    return withoutMemory || this.gaps.memoryIsFree(hint, end);
  }

  private protectPart(m: Mapping, prot: number): boolean {
    const changed = withProt(m, prot);
    if (needsMemory(changed) && !this.claimMissing(m)) return false;
    this.list.cut(m.start, m.end);
    this.list.add(changed);
    for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
      if (this.pages.bitsAt(page) === 0) continue;
      if ((prot & PROT.EXEC) === 0) this.noteCodeChange(page);
      this.pages.change(page, PAGE.PROT, prot);
    }
    return true;
  }

  /** Gives memory to the pages of a reservation that is about to be used. */
  private claimMissing(m: Mapping): boolean {
    if (!this.rangeIsReplaceable(m.start, m.end - m.start)) return false;
    for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
      if (this.pages.bitsAt(page) === 0) this.pages.claim(page, m.prot, 0);
    }
    return true;
  }

  private releasePage(page: number): void {
    if (this.pages.bitsAt(page) === 0) return;
    this.noteCodeChange(page);
    this.pages.release(page);
  }

  private noteCodeChange(page: number): void {
    if ((this.pages.bitsAt(page) & PAGE.TRANSLATED) === 0) return;
    this.pages.change(page, PAGE.TRANSLATED, 0);
    this.onCodeWrite(guestAddr(page));
  }

  /** A file that was extended after it was mapped: its new pages appear when they are touched. */
  private fileHasGrown(page: number): boolean {
    const m = this.list.find(page);
    if (m?.file === undefined) return false;
    const file = m.file;
    const offset = m.fileOffset + (page - m.start);
    if (file.size <= offset) return false;
    this.pages.change(page, PAGE.BEYOND_FILE, 0);
    this.fill(guestAddr(page), PAGE_SIZE, (target) => file.read(offset, target));
    return true;
  }

  /** Extends the stack above `address` down to it, within the limit and not too near to the mapping below. */
  private growStack(address: number): boolean {
    const index = this.list.indexAfter(address);
    const stack = this.list.at(index);
    if (stack === undefined || !stack.growsDown || address >= stack.start) return false;
    const start = pageFloor(address);
    if (stack.end - start > this.stackLimit) return false;
    const below = this.list.at(index - 1);
    const near = below !== undefined && start - below.end < STACK_GUARD_GAP;
    if (near && !below.growsDown && below.prot !== PROT.NONE) return false;
    if (!this.rangeIsFree(start, stack.start - start)) return false;
    this.map({ ...stack, start: guestAddr(start), end: stack.start });
    return true;
  }
}

function needsMemory(m: Mapping): boolean {
  return m.prot !== PROT.NONE || m.file !== undefined || m.growsDown;
}

/** On x86 write and execute permission imply read permission. */
function permits(bits: number, access: Access): boolean {
  const needed = access === 'write' ? PAGE.WRITE : access === 'execute' ? PAGE.EXEC : PAGE.PROT;
  return (bits & needed) !== 0;
}
