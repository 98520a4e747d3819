/**
 * An address space beside a model of it as plain as possible (page -> bytes), for tests. Everything is done to both;
 * `check` compares them. Guest code is played as far as memory is concerned: stores go by the write table, and
 * "translated" pages are remembered with their bytes.
 */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { PAGE_SIZE, guestAddr, pageFloor } from '../../base/types.js';
import { WRITE_TABLE } from '../../layout/memoryMap.js';
import { PROT, anonymousMapping, type AddressSpace, type MappableFile, type Mapping } from '../addressSpace.js';
import { linearOffset } from '../addressSpaceAccess.js';
import { PAGE, pageIndex } from '../pages.js';

export const FILE_PAGES = 6;
/** Its last page is not full, so there is none after it. */
export const TEST_FILE: MappableFile = patternFile(FILE_PAGES * PAGE_SIZE - 100);

interface ModelPage {
  readonly bytes: Uint8Array;
  readonly prot: number;
  readonly fileOffset: number | undefined;
}

/** What is to be there again after a restore. */
export interface ModelState {
  readonly pages: ReadonlyMap<number, ModelPage>;
  readonly facts: unknown;
}

function patternFile(size: number): MappableFile {
  return {
    path: '/f', device: 1, inode: 2, size,
    read(offset, target) {
      const length = Math.max(0, Math.min(target.length, size - offset));
      for (let i = 0; i < length; i++) target[i] = ((offset + i) * 7 + ((offset + i) >> 12)) & 0xff;
      return length;
    },
  };
}

function filePage(offset: number): Uint8Array {
  const bytes = new Uint8Array(PAGE_SIZE);
  TEST_FILE.read(offset, bytes);
  return bytes;
}

/** Whether generated code would store without asking: the check of memoryMap.ts. */
export function isOpenForWriting(space: AddressSpace, address: number, length: number): boolean {
  const entry = space.linear.u64[WRITE_TABLE / 8 + pageIndex(address)] as bigint;
  return BigInt.asUintN(64, entry - BigInt(address) - BigInt(length)) < 8192n;
}

export class SpaceModel {
  private pages = new Map<number, ModelPage>();
  /** Pages with translations, and what they were made from. */
  private translated = new Map<number, Uint8Array>();

  constructor(readonly space: AddressSpace) {
    space.onCodeWrite = (page) => expect(this.translated.delete(page)).toBe(true);
  }

  map(start: number, count: number, prot: number, kind: 'anonymous' | 'private' | 'shared'): void {
    const file = kind === 'anonymous' ? {} : { file: TEST_FILE, inode: 2, device: 1, name: '/f', fileOffset: PAGE_SIZE, shared: kind === 'shared' };
    if (!this.space.rangeIsReplaceable(start, count * PAGE_SIZE)) return;
    this.space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(start + count * PAGE_SIZE), prot, ...file }));
    this.forPages(start, count, (page) => {
      const fileOffset = kind === 'anonymous' ? undefined : PAGE_SIZE + (page - start);
      this.pages.set(page, { prot, fileOffset, bytes: fileOffset === undefined ? new Uint8Array(PAGE_SIZE) : filePage(fileOffset) });
    });
  }

  unmap(start: number, count: number): void {
    this.space.unmap(start, count * PAGE_SIZE);
    this.forPages(start, count, (page) => this.pages.delete(page));
  }

  protect(start: number, count: number, prot: number): void {
    for (let page = start; page < start + count * PAGE_SIZE; page += PAGE_SIZE) {
      const known = this.pages.get(page);
      if (known === undefined || !this.space.protect(page, PAGE_SIZE, prot)) return;
      this.pages.set(page, { ...known, prot });
    }
  }

  /** As the kernel writes, or a debugger. */
  write(address: number, bytes: Uint8Array, asDebugger: boolean): void {
    const needed = asDebugger ? 0 : PROT.WRITE;
    if (!this.isThere(address, bytes.length, needed)) return;
    if (asDebugger) expect(this.space.poke(address, bytes)).toBe(true);
    else this.space.write(address, bytes);
    this.store(address, bytes);
  }

  /** As the guest's own code writes. */
  guestWrite(address: number, bytes: Uint8Array): void {
    const open = isOpenForWriting(this.space, address, bytes.length);
    const ok = open || this.space.resolve(address, bytes.length, 'write').ok;
    expect(ok).toBe(this.isThere(address, bytes.length, PROT.WRITE));
    if (!ok) return;
    expect(isOpenForWriting(this.space, address, bytes.length)).toBe(true);
    this.space.linear.u8.set(bytes, linearOffset(address));
    this.store(address, bytes);
  }

  read(address: number, length: number): void {
    const there = this.isThere(address, length, PROT.READ | PROT.WRITE | PROT.EXEC);
    expect(this.space.resolve(address, length, 'read').ok).toBe(there);
  }

  translate(page: number): void {
    const known = this.pages.get(page);
    if (known === undefined || (known.prot & PROT.EXEC) === 0 || this.isBeyondFile(known) || !this.space.fetch(page, 1).ok) return;
    this.space.markTranslated(page);
    this.translated.set(page, known.bytes);
  }

  /** madvise(MADV_DONTNEED). */
  forget(start: number, count: number): void {
    this.forPages(start, count, (page) => {
      const known = this.pages.get(page);
      if (known === undefined) return;
      if (known.fileOffset === undefined) this.space.discard(page, PAGE_SIZE);
      else this.space.markAbsent(page, PAGE_SIZE);
      this.pages.set(page, { ...known, bytes: known.fileOffset === undefined ? new Uint8Array(PAGE_SIZE) : filePage(known.fileOffset) });
    });
  }

  /** mremap: anonymous pages elsewhere, with the same contents. */
  copy(from: number, to: number, count: number): void {
    if (Math.abs(from - to) < count * PAGE_SIZE || !this.space.rangeIsReplaceable(to, count * PAGE_SIZE)) return;
    this.map(to, count, PROT.READ | PROT.WRITE, 'anonymous');
    this.space.copyPages(from, to, count * PAGE_SIZE);
    this.forPages(to, count, (page) => {
      const [source, target] = [this.pages.get(from + (page - to)), this.pages.get(page)];
      const resident = source !== undefined && this.space.isResident(from + (page - to));
      if (target !== undefined && resident) this.pages.set(page, { ...target, bytes: source.bytes });
    });
  }

  takeWritten(start: number, count: number): void {
    for (const page of this.space.takeWrittenPages(start, count * PAGE_SIZE)) expect(isOpenForWriting(this.space, page, 1)).toBe(false);
  }

  clear(): void {
    const { onCodeWrite } = this.space;
    this.space.clear();
    this.space.onCodeWrite = onCodeWrite;
    this.pages.clear();
    this.translated.clear();
  }

  state(): ModelState {
    return { pages: new Map(this.pages), facts: this.facts() };
  }

  /** The address space has been restored to that state. What was translated must be gone where it is wrong now. */
  restored(state: ModelState): void {
    this.pages = new Map(state.pages);
    expect(this.facts()).toEqual(state.facts);
    for (const [page, { bytes, prot }] of this.pages) {
      const isTranslated = (this.space.pages.bitsAt(page) & PAGE.TRANSLATED) !== 0;
      expect(isTranslated).toBe(this.translated.has(page));
      if (isTranslated) expect((prot & PROT.EXEC) !== 0 && isEqual(this.translated.get(page), bytes)).toBe(true);
    }
  }

  /** Pages whose translations would still be right in that state: they must survive going there. */
  rightlyTranslated(state: ModelState): number[] {
    return [...this.translated].filter(([page, bytes]) => {
      const there = state.pages.get(page);
      return there !== undefined && (there.prot & PROT.EXEC) !== 0 && isEqual(there.bytes, bytes) && bytes.some((byte) => byte !== 0);
    }).map(([page]) => page);
  }

  isTranslated(page: number): boolean {
    return this.translated.has(page);
  }

  /** Compares every byte. Loads what is absent. */
  check(): void {
    for (const [page, known] of this.pages) {
      const bytes = this.space.peek(page, PAGE_SIZE);
      if (this.isBeyondFile(known) || this.space.pages.bitsAt(page) === 0) expect(bytes).toBeNull();
      else expect(isEqual(bytes ?? undefined, known.bytes)).toBe(true);
    }
    for (const page of this.translated.keys()) expect(isOpenForWriting(this.space, page, 1)).toBe(false);
  }

  /** The same for states that the program cannot tell apart, and only for those. */
  key(): string {
    const hash = createHash('sha1').update(JSON.stringify(this.space.mappings().map(describeMapping)));
    for (const [page, { bytes }] of [...this.pages].sort(([a], [b]) => a - b)) hash.update(`${page}`).update(bytes);
    return hash.digest('hex');
  }

  private facts(): unknown {
    const { space } = this;
    const recorded = PAGE.PROT | PAGE.CLAIMED | PAGE.ABSENT | PAGE.EXACT | PAGE.WRITTEN;
    return {
      mappings: space.mappings().map(describeMapping),
      counts: [space.mappedBytes, space.peakMappedBytes, space.residentBytes, space.peakResidentBytes, space.stackLimit],
      reserved: space.reserved,
      bits: [...this.pages.keys()].sort((a, b) => a - b).map((page) => [page, space.pages.bitsAt(page) & recorded]),
    };
  }

  private isThere(address: number, length: number, needed: number): boolean {
    for (let page = pageFloor(address); page < address + length; page += PAGE_SIZE) {
      const known = this.pages.get(page);
      if (known === undefined || (needed !== 0 && (known.prot & needed) === 0) || this.isBeyondFile(known)) return false;
      if (this.space.pages.bitsAt(page) === 0) return false;
    }
    return true;
  }

  private isBeyondFile({ fileOffset }: ModelPage): boolean {
    return fileOffset !== undefined && fileOffset >= TEST_FILE.size;
  }

  private store(address: number, bytes: Uint8Array): void {
    bytes.forEach((byte, i) => {
      const page = pageFloor(address + i);
      const known = this.pages.get(page) as ModelPage;
      const changed = known.bytes.slice();
      changed[address + i - page] = byte;
      this.pages.set(page, { ...known, bytes: changed });
    });
  }

  private forPages(start: number, count: number, visit: (page: number) => void): void {
    for (let page = start; page < start + count * PAGE_SIZE; page += PAGE_SIZE) visit(page);
  }
}

function describeMapping({ start, end, prot, shared, name, fileOffset }: Mapping): unknown[] {
  return [start, end, prot, shared, name, fileOffset];
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
