/**
 * The guest's virtual memory: mappings (addressSpaceMappings.ts), access from the kernel's side
 * (addressSpaceAccess.ts), and here what happens when a page is touched. Linear offset = address
 * modulo 2^31.
 *
 * Invariants: no two mappings overlap; a page with memory behind it has claimed its linear page;
 * anonymous PROT_NONE ranges claim none until mprotect gives them a use (so huge reservations cost
 * nothing); a table entry is open only if nothing but the access itself is left to do.
 */
import { assert } from '../base/assert.js';
import { PAGE_SIZE, USER_SPACE_END, guestAddr, pageCeil, pageFloor, type GuestAddr } from '../base/types.js';
import { BadAddress, linearOffset } from './addressSpaceAccess.js';
import { STACK_GUARD_GAP } from './addressSpaceGaps.js';
import { MappedSpace } from './addressSpaceMappings.js';
import type { LinearMemory } from './linearMemory.js';
import { isLooseIn } from './looseCode.js';
import { PROT, type MappableFile } from './mapping.js';
import { PAGE, PAGE_GROUP } from './pages.js';
import type { Access } from './stop.js';
import { isVariableAddress, isViewAddress } from '../layout/viewAddresses.js';
import type { View } from './views.js';

export { BadAddress } from './addressSpaceAccess.js';
export type { AddressRange } from './addressSpaceGaps.js';
export { LOWEST_MAPPABLE, type FindFreeOptions, type SharedPages } from './addressSpaceMappings.js';
export { PROT, anonymousMapping, type MappableFile, type Mapping } from './mapping.js';

interface AccessFailure {
  readonly ok: false;
  /** The first byte that failed. */
  readonly address: number;
  readonly mapped: boolean;
  /** Mapped and permitted, but beyond the end of the file: SIGBUS. */
  readonly bus: boolean;
}
type Resolution = { readonly ok: true } | AccessFailure;
/** What the decoder gets to see: live bytes, to be used at once. */
type Fetched = { readonly ok: true; readonly bytes: Uint8Array } | AccessFailure;

const DEFAULT_STACK_LIMIT = 8 * 1024 * 1024;
const RESOLVED = { ok: true } as const;

export class AddressSpace extends MappedSpace {
  /** Most bytes a growsDown mapping may have: RLIMIT_STACK. */
  stackLimit = DEFAULT_STACK_LIMIT;

  /** Reads of the instruction that is executed now may go a little over the ends of views. */
  isLoose = false;

  constructor(linear: LinearMemory) {
    super(linear);
  }

  /** Whether code reads more than it looks at (views.ts, looseCode.ts). */
  isLooseCode(address: number): boolean {
    const m = this.list.find(address);
    return m !== undefined && isLooseIn(m, address);
  }

  /** Whether a read that has failed at an address may be done, because code at `rip` is loose. */
  allowsLoosely(address: number, rip: number): boolean {
    return !this.isLoose && this.isLooseCode(rip) && (this.views?.allowsLoosely(address, 0) === true || this.views?.allowsLoosely(address - 1, 0) === true);
  }

  /**
   * Settles an access that the fast check refused: zeroes or loads the page, grows a stack,
   * announces a write to code, and says whether the access may now proceed. It may cross a page.
   */
  resolve(address: number, length: number, access: Access): Resolution {
    // So far out a double has no room for address + 1.
    if (address >= USER_SPACE_END) return this.failure(address, false);
    const view = this.views?.near(address);
    return view === undefined ? this.resolveMapped(address, length, access) : this.resolveView(view, address, length, access);
  }

  private resolveView(view: View, address: number, length: number, access: Access): Resolution {
    const end = view.begin + view.size;
    const isInside = (address >= view.begin && address + length <= end) || (this.isLoose && access === 'read' && this.views?.allowsLoosely(address, length) === true);
    if (!isInside) return this.failure(address >= view.begin && address < end ? end : address, false);
    const result = this.resolveMapped(address - view.begin + view.real, length, access);
    if (result.ok) this.views?.open(address);
    return result.ok ? result : { ...result, address: result.address - view.real + view.begin };
  }

  private resolveMapped(address: number, length: number, access: Access): Resolution {
    const end = address + Math.max(length, 1);
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      const failure = this.resolvePage(page, Math.max(page, address), access);
      if (failure !== null) return failure;
    }
    return RESOLVED;
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
    return { ok: true, bytes: this.linear.u8.subarray(offset, offset + (end - address)) };
  }

  /** Whether the contents of the page are in memory. */
  isLoaded(address: number): boolean {
    const bits = this.pages.bitsAt(address);
    return bits !== 0 && (bits & PAGE.ABSENT) === 0;
  }

  /** The address of mapped memory that an address means, if it is that of a view; its bounds are not looked at. */
  mappedAddress(address: number): number {
    const view = this.views?.near(address);
    return view === undefined ? address : address - view.begin + view.real;
  }

  /** The same for code; what cannot be executed is left where it is. */
  executedAddress(address: GuestAddr): GuestAddr {
    if (this.views === undefined || !isViewAddress(address)) return address;
    const real = guestAddr(this.mappedAddress(address));
    return ((this.find(real)?.prot ?? 0) & PROT.EXEC) === 0 ? address : real;
  }

  /** The same for a variable; what is on the heap has no other address than its own. */
  plainAddress(address: number): GuestAddr {
    return guestAddr(isVariableAddress(address) ? this.mappedAddress(address) : address);
  }

  /** The variable that has an address of its own there, or on the same page. */
  variableNear(address: number): View | undefined {
    return isVariableAddress(address) ? this.views?.near(address) : undefined;
  }

  /** Other addresses of what may be a variable. */
  variableAddresses(address: number): readonly GuestAddr[] {
    const showing = (this.views?.all ?? []).filter(({ begin, real, size }) => {
      return isVariableAddress(begin) && address >= real && address < real + size;
    });
    return showing.map(({ begin, real }) => guestAddr(address - real + begin));
  }

  /** Reads whatever is mapped, permissions aside: for debuggers. Null if a byte is not there. */
  peek(address: number, length: number): Uint8Array | null {
    if (!this.prepareRange(this.mappedAddress(address), length, false)) return null;
    const offset = linearOffset(address);
    return this.linear.u8.slice(offset, offset + length);
  }

  /** Writes whatever is mapped, permissions aside. False, and nothing written, if a byte is not there. */
  poke(address: number, bytes: Uint8Array): boolean {
    const real = this.mappedAddress(address);
    if (!this.prepareRange(real, bytes.length, true)) return false;
    this.witness?.writing(this, real, bytes.length);
    this.unwritten?.remove(real, bytes.length);
    this.linear.u8.set(bytes, linearOffset(address));
    return true;
  }

  /** The page now holds translated code: writes to it leave the fast path. */
  markTranslated(page: number): void {
    assert(this.pages.bitsAt(page) !== 0, 'translated page is mapped');
    this.pages.change(page, 0, PAGE.TRANSLATED);
  }

  /** Makes anonymous pages read as zero again. */
  discard(start: number, length: number): void {
    this.witness?.discarding(this, start, length);
    this.pages.forEachClaimed(start, start + length, (page) => {
      this.unwritten?.remove(page, PAGE_SIZE);
      this.noteCodeChange(page);
      this.pages.discard(page);
    });
  }

  /** Makes pages of a file what the file has, when they are touched next. */
  markAbsent(start: number, length: number): void {
    this.witness?.forgetting(this, start, length);
    this.pages.forEachClaimed(start, start + length, (page) => {
      this.noteCodeChange(page);
      this.pages.markAbsent(page);
    });
  }

  /** Copies what the pages at `from` hold to those at `to`, which are freshly mapped. */
  copyPages(from: number, to: number, length: number): void {
    this.witness?.copyingPages(this, from, to, length);
    for (let at = 0; at < length; at += PAGE_SIZE) {
      if (!this.isResident(from + at)) continue;
      this.pages.prepareOverwrite(to + at);
      const source = linearOffset(from + at);
      this.linear.u8.copyWithin(linearOffset(to + at), source, source + PAGE_SIZE);
    }
  }

  /** Pages of shared file mappings written since the last call; they count as clean afterwards. */
  takeWrittenPages(start: number, length: number): GuestAddr[] {
    const taken: GuestAddr[] = [];
    const wanted = PAGE.EXACT | PAGE.WRITTEN;
    this.pages.forEachClaimed(start, start + length, (page) => {
      if ((this.pages.bitsAt(page) & wanted) !== wanted) return;
      this.witness?.cleaning(this, page);
      this.pages.change(page, PAGE.WRITTEN, 0);
      taken.push(guestAddr(page));
    });
    return taken;
  }

  /**
   * Other bytes are in a file now: code that was translated from them is wrong even where the page is not loaded yet
   * (machine/snapshots).
   */
  fileChanged(file: MappableFile, offset: number, length: number): void {
    for (const m of this.list.all()) {
      if (m.file !== file) continue;
      const start = pageFloor(Math.max(m.start, m.start + (offset - m.fileOffset)));
      const end = Math.min(m.end, m.start + (offset + length - m.fileOffset));
      for (let page = start; page < end; page += PAGE_SIZE) if (this.isAbsent(page)) this.noteCodeChange(page);
    }
  }

  /** Whether the page holds something. */
  isResident(page: number): boolean {
    const bits = this.pages.bitsAt(page);
    return (bits & (PAGE.DIRTY | PAGE.STALE | PAGE.ABSENT)) === PAGE.DIRTY;
  }

  /** For fork: this empty address space becomes a copy. Its pages of shared files are loaded when they are touched. */
  copyFrom(other: AddressSpace): void {
    this.copyMappings(other);
    this.stackLimit = other.stackLimit;
  }

  /** Ready for another process. */
  clear(): void {
    this.clearMappings();
    this.stackLimit = DEFAULT_STACK_LIMIT;
  }

  /** Bytes of linear memory that were ever written, now mapped or not. */
  get touchedBytes(): number {
    return this.pages.countDirty() * PAGE_SIZE;
  }

  protected override reach(address: number, length: number, access: Access): number {
    if (length === 0) return 0;
    this.require(address, length, access);
    const real = this.mappedAddress(address);
    if (access === 'write') {
      this.witness?.writing(this, real, length);
      this.unwritten?.remove(real, length);
    } else this.witness?.reading(this, real, length);
    return linearOffset(address);
  }

  protected override glance(address: number, length: number): Uint8Array {
    const view = this.views?.near(address);
    const there = view === undefined ? length : Math.max(1, Math.min(length, view.begin + view.size - address));
    this.require(address, there, 'read');
    return this.linear.u8.subarray(linearOffset(address), linearOffset(address) + there);
  }

  protected override goesOverView(address: number, length: number): boolean {
    const view = this.views?.near(address);
    return view !== undefined && address + length > view.begin + view.size;
  }

  protected override stored(address: number, length: number): void {
    const real = this.mappedAddress(address);
    this.witness?.wrote(this, real, length);
    this.unwritten?.remove(real, length);
  }

  protected override require(address: number, length: number, access: Access): void {
    let result = this.resolve(address, length, access);
    while (!result.ok && this.onRefused(result.address, access)) result = this.resolve(address, length, access);
    if (!result.ok) throw new BadAddress(result.address);
  }

  private resolvePage(page: number, address: number, access: Access): AccessFailure | null {
    let bits = page < USER_SPACE_END ? this.pages.bitsAt(page) : 0;
    if (bits === 0) {
      if (!this.growStack(address)) return this.failure(address, false);
      bits = this.pages.bitsAt(page);
    }
    if (!permits(bits, access)) return this.failure(address, false);
    if ((bits & PAGE.ABSENT) !== 0 && !this.loadGroup(page)) return this.failure(address, true);
    if (access === 'write') {
      this.noteCodeChange(page);
      this.openForWrite(address);
    } else {
      this.pages.prepareRead(page);
    }
    return null;
  }

  private openForWrite(address: number): void {
    const bits = this.pages.bitsAt(address);
    if ((bits & (PAGE.WRITTEN | PAGE.KEPT)) === PAGE.WRITTEN) return;
    if ((bits & (PAGE.EXACT | PAGE.WRITTEN)) === PAGE.EXACT) this.sharing?.beforeFirstWrite(pageFloor(address));
    this.pages.prepareWrite(address);
  }

  private failure(address: number, bus: boolean): AccessFailure {
    return { ok: false, address, mapped: this.list.find(address) !== undefined, bus };
  }

  private prepareRange(address: number, length: number, forWrite: boolean): boolean {
    const end = address + length;
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      const bits = page < USER_SPACE_END ? this.pages.bitsAt(page) : 0;
      if (bits === 0 || ((bits & PAGE.ABSENT) !== 0 && !this.loadGroup(page))) return false;
    }
    for (let page = pageFloor(address); page < end; page += PAGE_SIZE) {
      if (forWrite) {
        this.noteCodeChange(page);
        this.openForWrite(page);
      } else {
        this.pages.prepareRead(page);
      }
    }
    return true;
  }

  /** Loads an absent page from its file, and those around it. False if the file does not reach so far. */
  private loadGroup(page: number): boolean {
    const m = this.list.find(page);
    if (m?.file === undefined) return false;
    const { size } = m.file;
    this.witness?.measured(m, size);
    const fileEnd = pageCeil(m.start + Math.max(0, size - m.fileOffset));
    if (page >= fileEnd) return false;
    const groupStart = page - (page % (PAGE_GROUP * PAGE_SIZE));
    const lowest = Math.max(m.start, groupStart);
    const highest = Math.min(m.end, fileEnd, groupStart + PAGE_GROUP * PAGE_SIZE);
    let start = page;
    let end = page + PAGE_SIZE;
    while (start > lowest && this.isAbsent(start - PAGE_SIZE)) start -= PAGE_SIZE;
    while (end < highest && this.isAbsent(end)) end += PAGE_SIZE;
    if (m.shared) this.sharing?.beforeLoad(m, start, end);
    const translated = this.copyTranslated(start, end);
    for (let at = start; at < end; at += PAGE_SIZE) this.pages.prepareOverwrite(at);
    const target = this.linear.u8.subarray(linearOffset(start), linearOffset(start) + (end - start));
    const loaded = m.file.read(m.fileOffset + (start - m.start), target);
    target.fill(0, Math.max(loaded, 0));
    for (const { page: at, bytes } of translated) if (!this.holds(at, bytes)) this.noteCodeChange(at);
    this.witness?.loaded(this, m, start, end);
    return true;
  }

  /**
   * Translations of a page may outlive the page (machine/snapshots): it has been made absent, with its bytes still in
   * linear memory. They go if the file turns out to have other ones.
   */
  private copyTranslated(start: number, end: number): { page: number; bytes: Uint8Array }[] {
    const copies = [];
    for (let page = start; page < end; page += PAGE_SIZE) {
      if ((this.pages.bitsAt(page) & PAGE.TRANSLATED) === 0) continue;
      const offset = linearOffset(page);
      copies.push({ page, bytes: this.linear.u8.slice(offset, offset + PAGE_SIZE) });
    }
    return copies;
  }

  private holds(page: number, bytes: Uint8Array): boolean {
    const offset = linearOffset(page);
    return bytes.every((byte, i) => this.linear.u8[offset + i] === byte);
  }

  private isAbsent(page: number): boolean {
    return (this.pages.bitsAt(page) & PAGE.ABSENT) !== 0;
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

/** On x86 write and execute permission imply read permission. */
function permits(bits: number, access: Access): boolean {
  const needed = access === 'write' ? PAGE.WRITE : access === 'execute' ? PAGE.EXEC : PAGE.PROT;
  return (bits & needed) !== 0;
}
