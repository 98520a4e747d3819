import { describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { AddressSpace, PROT, type MappableFile } from '../../machine/addressSpace.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { adviseMemory, lockMemory, residentPages, syncMemory } from './adviseMemory.js';
import { ProcessMemory, type ProcessMemoryOptions } from './processMemory.js';
import { remapMemory } from './remapMemory.js';

const K = 4096;
const RW = PROT.READ | PROT.WRITE;
const [SHARED, PRIVATE, FIXED, ANONYMOUS] = [1, 2, 0x10, 0x20];
const HEAP = 0x555555559000;

function newMemory(options: Partial<ProcessMemoryOptions> = {}): ProcessMemory {
  return new ProcessMemory(new AddressSpace(new LinearMemory()), { brkStart: HEAP, mmapBase: 0x7ffff7fff000, ...options });
}

class FakeFile implements MappableFile {
  readonly path = '/data';
  readonly device = 5;
  readonly inode = 6;
  released = 0;
  readonly writes: [number, number][] = [];

  constructor(public contents: Uint8Array) {}

  get size(): number {
    return this.contents.length;
  }

  read(offset: number, target: Uint8Array): number {
    const part = this.contents.subarray(offset, offset + target.length);
    target.set(part);
    return part.length;
  }

  writeBack(offset: number, bytes: Uint8Array): void {
    this.contents.set(bytes, offset);
    this.writes.push([offset, bytes.length]);
  }

  release(): void {
    this.released++;
  }
}

function mapAnonymous(memory: ProcessMemory, length: number, prot: number = RW, address = 0, flags = 0): number {
  return memory.mmap({ address, length, prot, flags: PRIVATE | ANONYMOUS | flags, offset: 0 }, null);
}

function mapFile(memory: ProcessMemory, file: MappableFile, length: number, flags = SHARED, prot = RW): number {
  return memory.mmap({ address: 0, length, prot, flags, offset: 0 }, file);
}

describe('the heap', () => {
  it('grows and shrinks, and forgets what it gives up', () => {
    const memory = newMemory();
    expect(memory.brk(0)).toBe(HEAP);
    expect(memory.brk(HEAP + 5000)).toBe(HEAP + 5000);
    memory.space.writeU8(HEAP + 4999, 1);
    memory.space.writeU8(HEAP + 8191, 2);
    expect(memory.space.find(HEAP)).toMatchObject({ name: '[heap]', end: HEAP + 2 * K });
    expect(memory.brk(HEAP)).toBe(HEAP);
    expect(memory.space.find(HEAP)).toBeUndefined();
    memory.brk(HEAP + 5000);
    expect(memory.space.readU8(HEAP + 4999)).toBe(0);
  });

  it('stops at the limit, at other mappings, and where linear memory is taken', () => {
    expect(newMemory({ dataLimit: () => 10 * K }).brk(HEAP + 11 * K)).toBe(HEAP);
    const memory = newMemory();
    mapAnonymous(memory, K, RW, HEAP + 4 * K, FIXED);
    expect(memory.brk(HEAP + 4 * K)).toBe(HEAP);
    expect(memory.brk(HEAP + 3 * K)).toBe(HEAP + 3 * K);
    expect(newMemory().brk(HEAP + 0x4000_0000)).toBe(HEAP);
  });
});

describe('mmap', () => {
  it('checks its arguments in the order Linux does', () => {
    const memory = newMemory();
    const file = new FakeFile(new Uint8Array(K));
    const call = (change: object, f: MappableFile | null = null): number =>
      memory.mmap({ address: 0, length: K, prot: RW, flags: PRIVATE | ANONYMOUS, offset: 0, ...change }, f);
    expect(call({ length: 0 })).toBe(-E.INVAL);
    expect(call({ flags: ANONYMOUS })).toBe(-E.INVAL);
    expect(call({ offset: 5 })).toBe(-E.INVAL);
    expect(call({ address: 123, flags: PRIVATE | ANONYMOUS | FIXED })).toBe(-E.INVAL);
    expect(call({ address: 0x7ffffffff000, flags: PRIVATE | ANONYMOUS | FIXED })).toBe(-E.NOMEM);
    expect(call({ length: 2 ** 47 })).toBe(-E.NOMEM);
    expect(call({ length: 2 ** 64 - 1 })).toBe(-E.NOMEM);
    const readOnly: MappableFile = { path: '', device: 1, inode: 1, size: K, read: () => 0 };
    expect(call({ flags: SHARED }, readOnly)).toBe(-E.ACCES);
    expect(call({ flags: SHARED, prot: PROT.READ }, readOnly)).toBeGreaterThan(0);
    expect(call({ flags: 3 | 0x8000000 }, file)).toBe(-E.OPNOTSUPP);
  });

  it('gives ENOMEM when 2 GiB are not enough, and PROT_NONE without memory', () => {
    const memory = newMemory();
    expect(mapAnonymous(memory, 0x8000_0000)).toBe(-E.NOMEM);
    expect(mapAnonymous(memory, 0x4000_0000)).toBeGreaterThan(0);
    expect(mapAnonymous(memory, 0x4000_0000)).toBe(-E.NOMEM);
    expect(mapAnonymous(memory, 2 ** 40, PROT.NONE)).toBeGreaterThan(0);
    expect(newMemory({ spaceLimit: () => 10 * K }).mmap({ address: 0, length: 11 * K, prot: RW, flags: 0x22, offset: 0 }, null)).toBe(-E.NOMEM);
  });

  it('aligns what could use huge pages only where the kernel has them', () => {
    expect(mapAnonymous(newMemory(), 0x40_0000) % 0x20_0000).toBe(0);
    expect(mapAnonymous(newMemory({ hugePages: false }), 0x40_0000)).toBe(0x7ffff7fff000 - 0x40_0000);
  });

  it('reads files, with zeros after their end', () => {
    const memory = newMemory();
    const file = new FakeFile(new Uint8Array(K + 5).fill(0xaa));
    const at = mapFile(memory, file, 3 * K, PRIVATE);
    expect([...memory.space.read(at + K + 4, 2)]).toEqual([0xaa, 0]);
    expect(memory.space.resolve(at + 2 * K, 1, 'read')).toMatchObject({ ok: false, bus: true });
    memory.space.writeU8(at, 1);
    memory.close();
    expect(file.contents[0]).toBe(0xaa);
  });
});

describe('shared file mappings', () => {
  it('reach the file at msync, munmap and close, page by page and not beyond its end', () => {
    const memory = newMemory();
    const file = new FakeFile(new Uint8Array(5 * K + 100));
    const at = mapFile(memory, file, 6 * K);
    memory.space.writeU8(at + 3, 1);
    memory.space.writeU8(at + K, 2);
    memory.space.writeU8(at + 5 * K + 200, 9);
    expect(syncMemory(memory, at, 6 * K, 4)).toBe(0);
    expect(file.writes).toEqual([[0, 2 * K], [5 * K, 100]]);
    expect([file.contents[3], file.contents[K]]).toEqual([1, 2]);
    syncMemory(memory, at, 6 * K, 4);
    expect(file.writes).toHaveLength(2);
    memory.space.writeU8(at + 2 * K, 3);
    memory.munmap(at, 3 * K);
    expect([file.contents[2 * K], file.released]).toEqual([3, 0]);
    memory.space.writeU8(at + 4 * K, 4);
    memory.close();
    expect(file.contents[4 * K]).toBe(4);
    memory.munmap(at, 6 * K);
    expect(file.released).toBe(1);
  });

  it('follow writes through descriptors, and are written out before reads through them', () => {
    const memory = newMemory();
    const file = new FakeFile(new Uint8Array(2 * K));
    const at = mapFile(memory, file, 2 * K);
    memory.space.writeU8(at + 1, 5);
    memory.sharedFiles.beforeRead();
    expect(file.contents[1]).toBe(5);
    memory.space.writeU8(at + 2, 6);
    memory.sharedFiles.beforeWrite();
    file.contents.set([7, 8], K - 1);
    expect([...memory.space.read(at + K - 1, 2)]).toEqual([7, 8]);
    expect([...memory.space.read(at, 3)]).toEqual([0, 5, 6]);
  });
});

describe('mremap', () => {
  const remap = (memory: ProcessMemory, address: number, oldLength: number, newLength: number, flags = 1, newAddress = 0): number =>
    remapMemory(memory, { address, oldLength, newLength, flags, newAddress });

  it('keeps contents when it grows, moves and shrinks', () => {
    const memory = newMemory();
    mapAnonymous(memory, K, PROT.READ);
    const at = mapAnonymous(memory, 3 * K);
    memory.space.write(at + K, Uint8Array.of(1, 2, 3));
    const moved = remap(memory, at, 3 * K, 50 * K);
    expect(moved).not.toBe(at);
    expect(memory.space.find(at)).toBeUndefined();
    expect([...memory.space.read(moved + K, 4)]).toEqual([1, 2, 3, 0]);
    expect(memory.space.readU8(moved + 49 * K)).toBe(0);
    expect(remap(memory, moved, 50 * K, 2 * K)).toBe(moved);
    expect(memory.space.find(moved + 2 * K)).toBeUndefined();
    expect(remap(memory, moved, 2 * K, 4 * K, 0)).toBe(moved);
  });

  it('goes where it is told, over what is there', () => {
    const memory = newMemory();
    const at = mapAnonymous(memory, 2 * K);
    const target = mapAnonymous(memory, 8 * K);
    memory.space.writeU8(at, 42);
    memory.space.writeU8(target + K, 1);
    expect(remap(memory, at, 2 * K, 2 * K, 3, target)).toBe(target);
    expect([memory.space.readU8(target), memory.space.readU8(target + K)]).toEqual([42, 0]);
    expect(remap(memory, target, 4 * K, K, 3, target + K)).toBe(-E.INVAL);
  });

  it('with DONTUNMAP leaves empty pages behind', () => {
    const memory = newMemory();
    const at = mapAnonymous(memory, K);
    memory.space.writeU8(at, 42);
    const moved = remap(memory, at, K, K, 5);
    expect([memory.space.readU8(moved), memory.space.readU8(at)]).toEqual([42, 0]);
  });

  it('extends file mappings from the file', () => {
    const memory = newMemory();
    const file = new FakeFile(Uint8Array.from({ length: 3 * K }, (_, i) => i / K));
    const at = mapFile(memory, file, K);
    memory.space.writeU8(at, 9);
    const moved = remap(memory, at, K, 3 * K);
    expect([0, K, 2 * K].map((offset) => memory.space.readU8(moved + offset))).toEqual([9, 1, 2]);
    memory.close();
    expect(file.contents[0]).toBe(9);
  });
});

describe('madvise and its like', () => {
  it('DONTNEED makes private pages what they were when mapped', () => {
    const memory = newMemory();
    const file = new FakeFile(new Uint8Array(2 * K).fill(3));
    const [anonymous, mapped] = [mapAnonymous(memory, 2 * K), mapFile(memory, file, 2 * K, PRIVATE)];
    for (const at of [anonymous, mapped]) memory.space.fillBytes(at, 2 * K, 0x55);
    expect(adviseMemory(memory, anonymous, K, 4)).toBe(0);
    expect(adviseMemory(memory, mapped + K, K, 4)).toBe(0);
    expect([0, K].map((o) => memory.space.readU8(anonymous + o))).toEqual([0, 0x55]);
    expect([0, K].map((o) => memory.space.readU8(mapped + o))).toEqual([0x55, 3]);
  });

  it('mincore and mlock look at what is there', () => {
    const memory = newMemory();
    const at = mapAnonymous(memory, 40 * K);
    const vector = mapAnonymous(memory, K);
    memory.space.writeU8(at, 1);
    expect(residentPages(memory, at, 40 * K, vector)).toBe(0);
    expect(memory.space.readU8(vector)).toBe(1);
    expect(memory.space.readU8(vector + 39)).toBe(0);
    expect(residentPages(memory, at - 100 * K, K, vector)).toBe(-E.NOMEM);
    expect([lockMemory(memory, at + 5, 10), lockMemory(memory, 0x10000, 1), lockMemory(memory, at, 0)]).toEqual([0, -E.NOMEM, 0]);
  });
});
