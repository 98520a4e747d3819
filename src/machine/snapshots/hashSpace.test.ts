import { describe, expect, it } from 'vitest';
import { PAGE_SIZE, guestAddr } from '../../base/types.js';
import { AddressSpace, PROT, anonymousMapping, type Mapping } from '../addressSpace.js';
import { LinearMemory } from '../linearMemory.js';
import { hashSpace } from './hashSpace.js';
import { FILE_PAGES, TEST_FILE } from './spaceModelTesting.js';

const BASE = 0x7ffff7000000;
const RW = PROT.READ | PROT.WRITE;

describe('hashSpace', () => {
  const [a, b] = [new AddressSpace(new LinearMemory()), new AddressSpace(new LinearMemory())];

  function both(prepare: (space: AddressSpace) => void): void {
    for (const space of [a, b]) {
      space.clear();
      prepare(space);
    }
    expect(hashSpace(a)).toBe(hashSpace(b));
  }

  function area(start: number, pages: number, more: Partial<Mapping> = {}): Mapping {
    return anonymousMapping({ start: guestAddr(start), end: guestAddr(start + pages * PAGE_SIZE), prot: RW, ...more });
  }

  const fileArea = (pages: number): Mapping => area(BASE + 0x100000, pages, { file: TEST_FILE, inode: 2, device: 1, name: '/f' });

  it('does not depend on when pages are touched, loaded or zeroed', () => {
    both((space) => {
      space.map(area(BASE, 40));
      space.fillBytes(BASE, 3 * PAGE_SIZE, 5);
      space.map(fileArea(FILE_PAGES + 2));
    });
    a.writeU8(BASE + 30 * PAGE_SIZE, 0);
    a.peek(BASE + 0x100000, FILE_PAGES * PAGE_SIZE);
    a.writeU8(BASE + PAGE_SIZE, 9);
    expect(hashSpace(a)).not.toBe(hashSpace(b));
    a.writeU8(BASE + PAGE_SIZE, 5);
    expect(hashSpace(a)).toBe(hashSpace(b));
    // Leftovers that no program can see.
    a.discard(BASE, PAGE_SIZE);
    b.fillBytes(BASE, PAGE_SIZE, 0);
    expect(hashSpace(a)).toBe(hashSpace(b));
    expect(a.residentBytes).not.toBe(b.residentBytes);
  });

  it('changes nothing', () => {
    both((space) => space.map(fileArea(4)));
    expect(a.residentBytes).toBe(0);
  });

  it('sees every bit and where it is', () => {
    both((space) => {
      space.map(area(BASE, 40));
      space.fillBytes(BASE, 2 * PAGE_SIZE, 3);
    });
    const seen = new Set([hashSpace(a)]);
    const places = [0, 1, 7, 8, 31, 32, 33, 40, 2048, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 8, 20 * PAGE_SIZE, 21 * PAGE_SIZE];
    for (const place of places) {
      for (const bit of [1, 0x80]) {
        const before = a.readU8(BASE + place);
        a.writeU8(BASE + place, before ^ bit);
        seen.add(hashSpace(a));
        a.writeU8(BASE + place, before);
      }
    }
    // The same bytes swapped, and shifted by a lane.
    for (const [first, second] of [[0, 8], [0, 32], [8, 40], [0, PAGE_SIZE]] as const) {
      for (const [x, y] of [[1, 2], [2, 1]] as const) {
        a.writeU8(BASE + first, x);
        a.writeU8(BASE + second, y);
        seen.add(hashSpace(a));
        for (const at of [first, second]) a.writeU8(BASE + at, 3);
      }
    }
    expect(seen.size).toBe(1 + 2 * places.length + 8);
    expect(hashSpace(a)).toBe(hashSpace(b));
  });

  it('sees mappings: address, permissions, name and offset', () => {
    const hashes = [
      area(BASE, 2), area(BASE + PAGE_SIZE, 2), area(BASE, 3), area(BASE, 2, { prot: PROT.READ }), area(BASE, 2, { shared: true }), area(BASE, 2, { name: '[heap]' }),
      area(BASE, 2, { fileOffset: PAGE_SIZE }), area(BASE - 0x8000_0000, 2),
    ].map((m) => {
      a.clear();
      a.map(m);
      return hashSpace(a);
    });
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not walk through reservations', () => {
    a.clear();
    a.map(area(0x10_0000_0000, 2 ** 30, { prot: PROT.NONE }));
    const before = hashSpace(a);
    a.protect(0x100_0000_0000, PAGE_SIZE, RW);
    a.writeU8(0x100_0000_0000, 1);
    a.protect(0x100_0000_0000, PAGE_SIZE, PROT.NONE);
    expect(hashSpace(a)).not.toBe(before);
    a.clear();
  });
});
