/**
 * The memory of one process as its system calls see it: the heap, mmap and its relatives, with
 * Linux's placement and Linux's errors. Results are what the system call returns: an address or 0,
 * or a negative error number. Addresses and lengths may be any number a register holds.
 */
import { E } from '../../base/errno.js';
import { PAGE_SIZE, USER_SPACE_END, guestAddr, pageCeil } from '../../base/types.js';
import { PROT, anonymousMapping, type AddressSpace, type MappableFile, type Mapping } from '../../machine/addressSpace.js';
import { MAP, MAP_KNOWN, PROT_ALL, PROT_GROWSDOWN, PROT_SEM } from './mmapFlags.js';
import { isPageAligned, placeMapping } from './mmapPlacement.js';
import { SharedFiles } from './sharedFiles.js';
import type { SharedObjects } from './sharedObjects.js';

export interface ProcessMemoryOptions {
  readonly brkStart: number;
  readonly mmapBase: number;
  /** Where the heap ends, if there is one already. */
  readonly brk?: number;
  /** Whether to align large mappings as kernels with transparent huge pages do. Default: yes. */
  readonly hugePages?: boolean;
  /** What is mapped by other processes too. Default: there are none. */
  readonly sharedObjects?: SharedObjects;
  /** RLIMIT_DATA and RLIMIT_AS, asked at every growth. Default: none. */
  readonly dataLimit?: () => number;
  readonly spaceLimit?: () => number;
}

interface MmapRequest {
  readonly address: number;
  readonly length: number;
  readonly prot: number;
  readonly flags: number;
  readonly offset: number;
}

/** Linear memory that mappings leave free above the heap as long as there is other room. */
const HEAP_RESERVE = 256 * 1024 * 1024;
const SHARED_ANONYMOUS_NAME = '/dev/zero (deleted)';

export class ProcessMemory {
  readonly sharedFiles: SharedFiles;
  readonly hugePages: boolean;
  readonly mmapBase: number;
  readonly brkStart: number;
  private brkEnd: number;
  /** What Linux would have given, and we had no room for: the most since the last question. */
  private refusedBytes = 0;

  constructor(
    readonly space: AddressSpace,
    private readonly options: ProcessMemoryOptions,
  ) {
    this.sharedFiles = new SharedFiles(space, options.sharedObjects);
    this.hugePages = options.hugePages ?? true;
    this.mmapBase = options.mmapBase;
    this.brkStart = options.brkStart;
    this.brkEnd = options.brk ?? options.brkStart;
    space.reserved = [...space.reserved, { start: this.brkStart, end: this.brkStart + HEAP_RESERVE }];
  }

  /** For fork: the same memory in `space`, which is a copy of ours already. */
  fork(space: AddressSpace, limits: Pick<ProcessMemoryOptions, 'dataLimit' | 'spaceLimit'>): ProcessMemory {
    const { reserved } = space;
    const copy = new ProcessMemory(space, { ...this.options, ...limits });
    space.reserved = reserved;
    copy.brkEnd = this.brkEnd;
    for (const file of filesIn(space)) file.retain?.();
    this.sharedFiles.copyTo(copy.sharedFiles);
    for (const m of [...space.mappings()]) {
      if (m.inCopy === 'zeros') space.discard(m.start, m.end - m.start);
      else if (m.inCopy === 'nothing') copy.unmapRange(m.start, m.end - m.start);
    }
    return copy;
  }

  takeRefused(): number {
    const bytes = this.refusedBytes;
    this.refusedBytes = 0;
    return bytes;
  }

  /** There is no room in linear memory, or not at that place. */
  refuse(bytes: number): number {
    this.refusedBytes = Math.max(this.refusedBytes, bytes);
    return -E.NOMEM;
  }

  get currentBrk(): number {
    return this.brkEnd;
  }

  /** Returns the new end of the heap, or the old one if it cannot be so. */
  brk(address: number): number {
    if (!(address >= this.brkStart && address <= USER_SPACE_END)) return this.brkEnd;
    if (address - this.brkStart > (this.options.dataLimit?.() ?? Infinity)) return this.brkEnd;
    const [oldEnd, newEnd] = [pageCeil(this.brkEnd), pageCeil(address)];
    if (newEnd < oldEnd) this.space.unmap(newEnd, oldEnd - newEnd);
    if (newEnd > oldEnd && !this.growHeap(oldEnd, newEnd)) return this.brkEnd;
    this.brkEnd = address;
    return address;
  }

  mmap(request: MmapRequest, file: MappableFile | null): number {
    const { flags, offset, prot } = request;
    const length = pageCeil(request.length);
    if (!isPageAligned(offset) || offset < 0 || request.length === 0) return -E.INVAL;
    if (length > USER_SPACE_END || !this.hasRoom(length)) return -E.NOMEM;
    const problem = this.checkKind(flags, prot, file);
    if (problem !== 0) return problem;
    const withoutMemory = file === null && !isShared(flags) && (prot & PROT_ALL) === PROT.NONE && (flags & MAP.GROWSDOWN) === 0;
    const start = (flags & (MAP.FIXED | MAP.FIXED_NOREPLACE)) !== 0
      ? this.fixedPlace(request, length, withoutMemory)
      : this.place(request.address, length, {
        low: (flags & MAP['32BIT']) !== 0, shared: isShared(flags), withoutMemory, fileOffset: file === null ? undefined : offset,
      });
    if (start < 0) return start;
    this.unmapRange(start, length);
    this.establish(this.describe(request, start, length, file));
    return start;
  }

  munmap(address: number, length: number): number {
    if (!isPageAligned(address) || address > USER_SPACE_END || length > USER_SPACE_END - address) return -E.INVAL;
    if (length === 0) return -E.INVAL;
    this.unmapRange(address, pageCeil(length));
    return 0;
  }

  mprotect(address: number, length: number, prot: number): number {
    if ((prot & ~(PROT_ALL | PROT_SEM | PROT_GROWSDOWN)) !== 0 || !isPageAligned(address)) return -E.INVAL;
    if (length === 0) return 0;
    const end = address + pageCeil(length);
    if (end > USER_SPACE_END) return -E.NOMEM;
    const first = this.space.find(address);
    if (first === undefined) return -E.NOMEM;
    const growing = (prot & PROT_GROWSDOWN) !== 0;
    if (growing && !first.growsDown) return -E.INVAL;
    const start = growing ? first.start : address;
    return this.protectParts(start, end, prot & PROT_ALL);
  }

  /** Maps what `m` describes into a free range. */
  establish(m: Mapping): void {
    if (m.file?.retain !== undefined && !this.isMapped(m.file)) m.file.retain();
    if (m.shared) this.sharedFiles.note(m);
    this.space.map(m);
  }

  unmapRange(start: number, length: number): void {
    this.sharedFiles.flush(start, length);
    for (const m of this.space.unmap(start, length)) {
      if (m.shared) this.sharedFiles.noteRemoved(m);
      if (m.file !== undefined) this.releaseIfUnused(m.file);
    }
  }

  /** Where Linux would put a mapping, or -ENOMEM. */
  place(
    hint: number, length: number,
    kind: { readonly low: boolean; readonly shared: boolean; readonly withoutMemory: boolean; readonly fileOffset: number | undefined },
  ): number {
    return placeMapping(this.space, this, { hint, length, ...kind }) ?? this.refuse(length);
  }

  hasRoom(more: number): boolean {
    return this.space.mappedBytes + more <= (this.options.spaceLimit?.() ?? Infinity);
  }

  /**
   * At the end of the process, or of its program: shared mappings reach their files, and nothing is mapped any more.
   */
  close(): void {
    this.sharedFiles.close();
    for (const file of filesIn(this.space)) file.release?.();
    this.space.clear();
  }

  /** In order of address, up to the first part that cannot be so; what came before stays changed. */
  private protectParts(start: number, end: number, prot: number): number {
    let covered = start;
    this.sharedFiles.noteChanged();
    for (const m of this.space.mappingsWithin(start, end - start)) {
      if (m.start > covered) break;
      if ((prot & ~(m.maxProt ?? PROT_ALL)) !== 0) return -E.ACCES;
      if (!this.space.protect(m.start, m.end - m.start, prot)) return this.refuse(m.end - m.start);
      covered = m.end;
    }
    return covered >= end ? 0 : -E.NOMEM;
  }

  private growHeap(from: number, to: number): boolean {
    // Like Linux, leave at least a page free below the next mapping.
    const guarded = Math.min(to + PAGE_SIZE, USER_SPACE_END) - from;
    if (!this.hasRoom(to - from) || !this.space.isUnmapped(from, guarded)) return false;
    if (!this.space.rangeIsFree(from, to - from)) {
      this.refuse(to - from);
      return false;
    }
    const prot = PROT.READ | PROT.WRITE;
    this.space.map(anonymousMapping({ start: guestAddr(from), end: guestAddr(to), prot, name: '[heap]' }));
    return true;
  }

  private checkKind(flags: number, prot: number, file: MappableFile | null): number {
    const type = flags & MAP.TYPE;
    if (type !== MAP.SHARED && type !== MAP.PRIVATE && (type !== MAP.SHARED_VALIDATE || file === null)) return -E.INVAL;
    if (file === null) return (flags & MAP.GROWSDOWN) !== 0 && type !== MAP.PRIVATE ? -E.INVAL : 0;
    if ((flags & MAP.GROWSDOWN) !== 0) return -E.INVAL;
    if (type === MAP.SHARED_VALIDATE && (flags & ~MAP_KNOWN) !== 0) return -E.OPNOTSUPP;
    if (type !== MAP.PRIVATE && (prot & PROT.WRITE) !== 0 && file.writeBack === undefined) return -E.ACCES;
    return 0;
  }

  private fixedPlace(request: MmapRequest, length: number, withoutMemory: boolean): number {
    const { address, flags } = request;
    if (address > USER_SPACE_END - length) return -E.NOMEM;
    if (!isPageAligned(address)) return -E.INVAL;
    if ((flags & MAP.FIXED_NOREPLACE) !== 0 && !this.space.isUnmapped(address, length)) return -E.EXIST;
    return withoutMemory || this.space.rangeIsReplaceable(address, length) ? address : this.refuse(length);
  }

  private describe(request: MmapRequest, start: number, length: number, file: MappableFile | null): Mapping {
    const { flags } = request;
    const shared = isShared(flags);
    const range = { start: guestAddr(start), end: guestAddr(start + length), prot: request.prot & PROT_ALL, shared };
    if (file !== null) {
      const readOnly = shared && file.writeBack === undefined;
      const { path: name, device, inode } = file;
      const m = { ...range, name, device, inode, fileOffset: request.offset, growsDown: false, file };
      return readOnly ? { ...m, maxProt: PROT.READ | PROT.EXEC } : m;
    }
    if (!shared) return anonymousMapping({ ...range, growsDown: (flags & MAP.GROWSDOWN) !== 0 });
    const memory = this.sharedFiles.objects.newMemory(length, SHARED_ANONYMOUS_NAME);
    return anonymousMapping({ ...range, name: SHARED_ANONYMOUS_NAME, device: memory.device, inode: memory.inode, file: memory });
  }

  private releaseIfUnused(file: MappableFile): void {
    if (file.release !== undefined && !this.isMapped(file)) file.release();
  }

  private isMapped(file: MappableFile): boolean {
    return this.space.mappings().some((m) => m.file === file);
  }
}

function filesIn(space: AddressSpace): Set<MappableFile> {
  return new Set(space.mappings().flatMap((m) => (m.file === undefined ? [] : [m.file])));
}

function isShared(flags: number): boolean {
  return (flags & MAP.SHARED) !== 0;
}

