import { describe, expect, it, vi } from 'vitest';
import { guestAddr } from '../base/types.js';
import { READ_TABLE, WRITE_TABLE } from '../layout/memoryMap.js';
import { AddressSpace, BadAddress, PROT, anonymousMapping, type MappableFile, type Mapping } from './addressSpace.js';
import { LinearMemory } from './linearMemory.js';
import type { SpaceWitness } from './spaceWitness.js';

const RW = PROT.READ | PROT.WRITE;
const BASE = 0x7ffff7000000;
const K = 4096;
const GIB = 0x4000_0000;

function newSpace(): AddressSpace {
  return new AddressSpace(new LinearMemory());
}

function area(start: number, pages: number, prot: number = RW, more: Partial<Mapping> = {}): Mapping {
  return anonymousMapping({ start: guestAddr(start), end: guestAddr(start + pages * K), prot, ...more });
}

/** Whether generated code would go straight: the check of memoryMap.ts. */
function isFast(space: AddressSpace, table: number, address: number, length: number): boolean {
  const entry = space.linear.u64[table / 8 + Number((BigInt(address) >> 12n) & 0x7ffffn)] as bigint;
  return BigInt.asUintN(64, entry - BigInt(address) - BigInt(length)) < 8192n;
}

function fakeFile(bytes: Uint8Array): MappableFile & { grow(more: number): void } {
  let contents = bytes;
  return {
    path: '/f', device: 1, inode: 2,
    get size() {
      return contents.length;
    },
    read(offset, target) {
      const part = contents.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
    grow(more) {
      contents = Uint8Array.from([...contents, ...new Uint8Array(more).fill(7)]);
    },
  };
}

describe('tables', () => {
  it('are closed everywhere at first, page 0 included', () => {
    const space = newSpace();
    for (const table of [READ_TABLE, WRITE_TABLE]) {
      for (const address of [0, 1, 4080, 4095, 4096, 8191, 0x400000, BASE, 2 ** 31 - 8, 2 ** 47, 2 ** 47 - 8, 2 ** 63, 2 ** 63 - 1024]) {
        for (const length of [1, 8, 16, 1024]) expect(isFast(space, table, address, length)).toBe(false);
      }
    }
    const page = area(0, 2);
    space.map(page);
    expect(isFast(space, READ_TABLE, 8, 8)).toBe(true);
    space.unmap(0, 2 * K);
    expect(isFast(space, READ_TABLE, 0, 1)).toBe(false);
  });

  it('open for reading at once and for writing after the first write', () => {
    const space = newSpace();
    space.map(area(BASE, 2));
    expect(isFast(space, READ_TABLE, BASE + 8, 8)).toBe(true);
    expect(isFast(space, WRITE_TABLE, BASE + 8, 8)).toBe(false);
    expect(space.resolve(BASE + 8, 8, 'write')).toEqual({ ok: true });
    expect(isFast(space, WRITE_TABLE, BASE + 8, 8)).toBe(true);
    expect(isFast(space, READ_TABLE, BASE + 8 - 0x8000_0000, 8)).toBe(false);
    expect(isFast(space, READ_TABLE, BASE + K - 4, 8)).toBe(true);
    expect(isFast(space, READ_TABLE, BASE + 2 * K - 8, 8)).toBe(true);
    expect(isFast(space, READ_TABLE, BASE + 2 * K - 4, 8)).toBe(false);
  });

  it('let an access reach into the next page if that is as good, whichever changed last', () => {
    const space = newSpace();
    const across = (table: number): boolean => isFast(space, table, BASE + K - 4, 8);
    space.map(area(BASE, 1));
    expect(across(READ_TABLE)).toBe(false);
    space.map(area(BASE + K, 1));
    expect([across(READ_TABLE), across(WRITE_TABLE)]).toEqual([true, false]);
    space.writeU8(BASE, 1);
    space.writeU8(BASE + K, 1);
    expect(across(WRITE_TABLE)).toBe(true);
    space.protect(BASE + K, K, PROT.READ);
    expect([across(READ_TABLE), across(WRITE_TABLE)]).toEqual([true, false]);
    space.unmap(BASE + K, K);
    expect(across(READ_TABLE)).toBe(false);
    // What lies there next belongs to other addresses.
    space.map(area(BASE + K + 0x8000_0000, 1));
    expect([across(READ_TABLE), isFast(space, READ_TABLE, BASE + K - 8, 8)]).toEqual([false, true]);
  });

  it('follow mprotect and munmap', () => {
    const space = newSpace();
    space.map(area(BASE, 3));
    space.writeU8(BASE, 1);
    expect(space.protect(BASE, K, PROT.READ)).toBe(true);
    expect(isFast(space, WRITE_TABLE, BASE, 1)).toBe(false);
    expect(space.resolve(BASE, 1, 'write')).toEqual({ ok: false, address: BASE, mapped: true, bus: false });
    expect(space.protect(BASE, K, PROT.NONE)).toBe(true);
    expect(isFast(space, READ_TABLE, BASE, 1)).toBe(false);
    expect(space.protect(BASE, K, RW)).toBe(true);
    expect(space.readU8(BASE)).toBe(1);
    space.unmap(BASE, K);
    expect(isFast(space, READ_TABLE, BASE, 1)).toBe(false);
    expect(space.resolve(BASE, 1, 'read')).toEqual({ ok: false, address: BASE, mapped: false, bus: false });
    expect(space.protect(BASE, 3 * K, RW)).toBe(false);
  });
});

describe('contents', () => {
  it('are zero again when an offset is used anew', () => {
    const space = newSpace();
    space.map(area(BASE, 4));
    space.fillBytes(BASE, 4 * K, 0xff);
    space.unmap(BASE, 4 * K);
    const other = BASE - 0x8000_0000;
    space.map(area(other, 4));
    expect(isFast(space, READ_TABLE, other, 1)).toBe(false);
    expect(space.read(other, 4 * K).every((b) => b === 0)).toBe(true);
    space.writeU8(other + K, 3);
    expect([...space.read(other + K, 3)]).toEqual([3, 0, 0]);
  });

  it('need no work for a gigabyte that is not touched', () => {
    const space = newSpace();
    space.map(area(BASE - GIB, GIB / K));
    expect(space.residentBytes).toBe(0);
    space.writeU8(BASE - K, 1);
    expect(space.residentBytes).toBeLessThanOrEqual(16 * K);
    expect(space.mappedBytes).toBe(GIB);
    space.unmap(BASE - GIB, GIB);
    expect([space.mappedBytes, space.peakMappedBytes, space.residentBytes]).toEqual([0, GIB, 0]);
  });

  it('are discarded on request', () => {
    const space = newSpace();
    space.map(area(BASE, 2));
    space.writeU32(BASE + 8, 77);
    space.discard(BASE, 2 * K);
    expect(space.readU32(BASE + 8)).toBe(0);
  });

  it('come from files in whole pages, with zeros after the end and SIGBUS beyond', () => {
    const space = newSpace();
    const file = fakeFile(new Uint8Array(K + 10).fill(9));
    space.map(area(BASE, 4, PROT.READ, { file, inode: 2, device: 1, name: '/f' }));
    expect([space.residentBytes, isFast(space, READ_TABLE, BASE, 1)]).toEqual([0, false]);
    expect([...space.read(BASE + K + 9, 2)]).toEqual([9, 0]);
    expect(space.resolve(BASE + 2 * K + 5, 1, 'read')).toEqual({ ok: false, address: BASE + 2 * K + 5, mapped: true, bus: true });
    file.grow(K);
    expect(space.resolve(BASE + 2 * K + 5, 1, 'read')).toEqual({ ok: true });
    expect(space.readU8(BASE + 2 * K + 5)).toBe(7);
    expect(space.resolve(BASE + 3 * K, 1, 'read').ok).toBe(false);
    expect(space.residentBytes).toBe(3 * K);
  });

  it('of private file pages come back from the file when they are dropped', () => {
    const space = newSpace();
    const file = fakeFile(new Uint8Array(2 * K).fill(9));
    space.map(area(BASE, 2, RW, { file, inode: 2, device: 1, name: '/f' }));
    space.poke(BASE + K, Uint8Array.of(1, 2));
    expect([...space.read(BASE + K, 3)]).toEqual([1, 2, 9]);
    space.markAbsent(BASE + K, K);
    expect([...space.read(BASE + K, 3)]).toEqual([9, 9, 9]);
  });
});

describe('kernel access', () => {
  it('reads back what it writes, across pages', () => {
    const space = newSpace();
    space.map(area(BASE, 2));
    space.writeU64(BASE + K - 3, 0x8877665544332211n);
    expect(space.readU64(BASE + K - 3)).toBe(0x8877665544332211n);
    expect(space.readU32(BASE + K - 1)).toBe(0x66554433);
    space.writeNum64(BASE, -2);
    expect([space.readU64(BASE), space.readSigned64(BASE), space.readI32(BASE)]).toEqual([0xfffffffffffffffen, -2, -2]);
    space.writeNum64(BASE, 0x7ffffffff000);
    expect(space.readNum64(BASE)).toBe(0x7ffffffff000);
  });

  it('throws for what the guest could not access', () => {
    const space = newSpace();
    space.map(area(BASE, 1));
    space.map(area(BASE + K, 1, PROT.READ));
    expect(() => space.write(BASE + K - 1, new Uint8Array(2))).toThrow(BadAddress);
    expect(() => space.read(BASE + K, K + 1)).toThrow(new BadAddress(BASE + 2 * K));
    expect(() => space.read(2 ** 63, 1)).toThrow(BadAddress);
    expect(() => space.read(BASE, 2 ** 62)).toThrow(BadAddress);
    expect(space.read(0, 0)).toEqual(new Uint8Array(0));
  });

  it('reads strings up to the last mapped byte', () => {
    const space = newSpace();
    space.map(area(BASE, 2));
    const text = new TextEncoder().encode('hello\0');
    space.write(BASE + K - 2, text);
    expect(new TextDecoder().decode(space.readCString(BASE + K - 2))).toBe('hello');
    space.fillBytes(BASE + K, K, 0x61);
    expect(() => space.readCString(BASE + K, 2 * K)).toThrow(BadAddress);
    expect(space.readCString(BASE + K, 10)).toHaveLength(10);
  });

  it('lets debuggers past permissions', () => {
    const space = newSpace();
    space.map(area(BASE, 1, PROT.READ));
    expect(space.poke(BASE + 4, Uint8Array.of(1, 2))).toBe(true);
    expect(space.peek(BASE + 4, 2)).toEqual(Uint8Array.of(1, 2));
    expect(space.poke(BASE + K - 1, Uint8Array.of(1, 2))).toBe(false);
    expect(space.peek(BASE + K - 1, 2)).toBeNull();
    expect(isFast(space, WRITE_TABLE, BASE, 1)).toBe(false);
  });
});

describe('translated code', () => {
  it('is announced when it changes or loses permission, once each time', () => {
    const space = newSpace();
    const changed = vi.fn();
    space.onCodeWrite = changed;
    space.map(area(BASE, 2, RW | PROT.EXEC));
    const ways: (() => void)[] = [
      () => space.resolve(BASE + 5, 1, 'write'),
      () => space.writeU8(BASE, 1),
      () => space.poke(BASE, Uint8Array.of(2)),
      () => space.protect(BASE, K, RW),
      () => space.protect(BASE, K, RW | PROT.EXEC) && space.discard(BASE, K),
      () => space.unmap(BASE, K),
    ];
    ways.forEach((way, i) => {
      space.markTranslated(BASE);
      expect(isFast(space, WRITE_TABLE, BASE, 1)).toBe(false);
      way();
      expect(changed).toHaveBeenCalledTimes(i + 1);
      expect(changed).toHaveBeenLastCalledWith(BASE);
    });
  });

  it('can be fetched as far as it is executable', () => {
    const space = newSpace();
    space.map(area(BASE, 1, PROT.READ | PROT.EXEC));
    space.map(area(BASE + K, 1, PROT.READ));
    space.poke(BASE + K - 2, Uint8Array.of(0x90, 0xc3));
    expect(space.fetch(BASE + K - 2, 15)).toEqual({ ok: true, bytes: Uint8Array.of(0x90, 0xc3) });
    expect(space.fetch(BASE + K, 15)).toEqual({ ok: false, address: BASE + K, mapped: true, bus: false });
    expect(space.fetch(0, 15)).toEqual({ ok: false, address: 0, mapped: false, bus: false });
  });
});

describe('stacks', () => {
  const TOP = 0x7ffffffff000;
  function withStack(): AddressSpace {
    const space = newSpace();
    space.map(area(TOP - 4 * K, 4, RW, { growsDown: true, name: '[stack]' }));
    return space;
  }

  it('grow when touched below, as far as the limit', () => {
    const space = withStack();
    const address = TOP - 100 * K + 8;
    expect(space.resolve(address, 8, 'write')).toEqual({ ok: true });
    expect(space.find(address)?.start).toBe(TOP - 100 * K);
    expect(space.mappings()).toHaveLength(1);
    const limit = TOP - space.stackLimit;
    expect(space.resolve(limit, 1, 'write').ok).toBe(true);
    expect(space.resolve(limit - 1, 1, 'write')).toEqual({ ok: false, address: limit - 1, mapped: false, bus: false });
  });

  it('stop a guard gap above other mappings, and mappings stop below them', () => {
    const space = withStack();
    space.map(area(TOP - 1000 * K, 10));
    expect(space.resolve(TOP - (990 - 256) * K, 1, 'write').ok).toBe(true);
    expect(space.resolve(TOP - (990 - 255) * K, 1, 'write').ok).toBe(false);
    expect(withStack().findFree(K, { topDownFrom: TOP })).toBe(TOP - (4 + 256 + 1) * K);
  });
});

describe('placement', () => {
  it('avoids offsets that another mapping has 2 GiB away', () => {
    const space = newSpace();
    space.map(area(BASE - K, 1));
    const below = BASE - 0x8000_0000;
    expect(space.rangeIsFree(below - K, K)).toBe(false);
    expect(space.findFree(2 * K, { topDownFrom: below })).toBe(below - 3 * K);
    expect(space.findFree(2 * K, { from: below - 2 * K })).toBe(below);
    expect(space.findFree(2 * K, { hint: below, topDownFrom: BASE })).toBe(below);
  });

  it('says no when memory is used up, but reservations still fit', () => {
    const space = newSpace();
    expect(space.findFree(0x8000_0000, { topDownFrom: BASE })).toBeNull();
    const huge = 64 * GIB;
    const at = space.findFree(huge, { topDownFrom: BASE, withoutMemory: true }) as number;
    expect(at).toBe(BASE - huge);
    space.map(area(at, huge / K, PROT.NONE));
    expect(space.protect(at + K, K, RW)).toBe(true);
    space.writeU8(at + K, 5);
    expect(space.protect(at + K + 0x8000_0000, K, RW)).toBe(false);
    expect(space.readU8(at + K)).toBe(5);
  });

  it('never gives out the last page before the end of guest memory', () => {
    const space = newSpace();
    expect(space.rangeIsFree(0x7fff_f000, K)).toBe(false);
    expect(space.rangeIsFree(0x7fff_e000, K)).toBe(true);
  });

  it('keeps reserved memory for growth', () => {
    const space = newSpace();
    space.reserved = [{ start: BASE - 10 * K - 0x8000_0000, end: BASE - 0x8000_0000 }];
    expect(space.findFree(K, { topDownFrom: BASE })).toBe(BASE - 11 * K);
    expect(space.findFree(K, { topDownFrom: BASE, ignoreReserved: true })).toBe(BASE - K);
  });
});

describe('the list of mappings', () => {
  it('splits and merges as Linux does', () => {
    const space = newSpace();
    const shape = (): string[] => space.mappings().map((m) => `${(m.start - BASE) / K}-${(m.end - BASE) / K}:${m.prot}`);
    space.map(area(BASE, 4));
    space.map(area(BASE + 4 * K, 4));
    expect(shape()).toEqual(['0-8:3']);
    space.protect(BASE + 2 * K, 2 * K, PROT.READ);
    expect(shape()).toEqual(['0-2:3', '2-4:1', '4-8:3']);
    space.unmap(BASE + 5 * K, K);
    expect(shape()).toEqual(['0-2:3', '2-4:1', '4-5:3', '6-8:3']);
    space.protect(BASE + 2 * K, 2 * K, RW);
    space.map(area(BASE + 5 * K, 1));
    expect(shape()).toEqual(['0-8:3']);
  });

  it('keeps file offsets right when splitting, and apart what does not follow', () => {
    const space = newSpace();
    const file = fakeFile(new Uint8Array(8 * K));
    const mapped = { file, inode: 2, device: 1, name: '/f' };
    space.map(area(BASE, 4, PROT.READ, { ...mapped, fileOffset: K }));
    space.unmap(BASE + K, K);
    expect(space.mappings().map((m) => m.fileOffset)).toEqual([K, 3 * K]);
    space.map(area(BASE + K, 1, PROT.READ, { ...mapped, fileOffset: 0 }));
    expect(space.mappings()).toHaveLength(3);
    space.map(area(BASE + K, 1, PROT.READ, { ...mapped, fileOffset: 2 * K }));
    expect(space.mappings()).toHaveLength(1);
  });
});

describe('a buffer that the kernel fills in part', () => {
  const PAGES = 25_600;
  const MEBIBYTE = 1024 * 1024;

  function withWitness(): { readonly space: AddressSpace; readonly wrote: [number, number][] } {
    const space = newSpace();
    space.map(area(BASE, PAGES));
    const wrote: [number, number][] = [];
    const told: Partial<SpaceWitness> = { wrote: (_, address, length) => void wrote.push([address - BASE, length]), reading: () => undefined };
    space.witness = told as SpaceWitness;
    return { space, wrote };
  }

  it('costs by what is stored: little is made ready, and only what was stored is told', () => {
    const { space, wrote } = withWitness();
    const before = space.touchedBytes;
    for (const bytes of [[], [1, 2, 3]]) {
      expect(space.fill(BASE, PAGES * K, (target) => {
        target.set(bytes);
        return bytes.length;
      })).toBe(bytes.length);
    }
    expect(space.fill(BASE, PAGES * K, () => -11)).toBe(-11);
    expect(wrote).toEqual([[0, 3]]);
    expect(space.touchedBytes - before).toBeLessThan(MEBIBYTE);
  });

  it('is given in larger and larger portions while there is more', () => {
    const { space, wrote } = withWitness();
    let left = 5 * MEBIBYTE + 1;
    const sizes: number[] = [];
    expect(space.fill(BASE + 1, PAGES * K - 1, (target, done) => {
      const count = Math.min(left, target.length);
      left -= count;
      sizes.push(done);
      target.fill(7, 0, count);
      return count;
    })).toBe(5 * MEBIBYTE + 1);
    expect(sizes.length).toBeLessThan(6);
    expect(wrote.reduce((sum, [, length]) => sum + length, 0)).toBe(5 * MEBIBYTE + 1);
    expect([space.readU8(BASE), space.readU8(BASE + 1), space.readU8(BASE + 5 * MEBIBYTE + 1), space.readU8(BASE + 5 * MEBIBYTE + 2)]).toEqual([0, 7, 7, 0]);
  });

  it('ends where the guest could not write; if that is at once, it is a bad address', () => {
    const { space } = withWitness();
    const end = BASE + PAGES * K;
    const all = (target: Uint8Array): number => target.length;
    expect(space.fill(end - MEBIBYTE, 2 * MEBIBYTE, all)).toBe(MEBIBYTE);
    expect(space.fill(end - 3, 10, all)).toBe(3);
    expect(() => space.fill(end, 10, all)).toThrow(BadAddress);
    expect(space.fill(end, 0, () => 0)).toBe(0);
  });
});
