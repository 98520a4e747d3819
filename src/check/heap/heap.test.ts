import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr, pageCeil } from '../../base/types.js';
import { AddressSpace, anonymousMapping, BadAddress, PROT } from '../../machine/addressSpace.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { type Block, Blocks, type Moment } from './blocks.js';
import { Heap } from './heap.js';

const START = 0x7fff_f000_0000;
const moment = (time: number): Moment => ({ time, tid: 1, pid: 1, by: 'malloc' });

/** A heap in an address space of its own; `limit` bytes can be mapped. */
function makeHeap(limit = 1 << 28, hasViews = true) {
  const space = new AddressSpace(new LinearMemory());
  let next = START;
  const pages = {
    map(length: number): number | undefined {
      if (next + length > START + limit) return undefined;
      const start = next;
      next += pageCeil(length);
      space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(next), prot: PROT.READ | PROT.WRITE }));
      return start;
    },
    unmap: (address: number, length: number) => void space.unmap(address, length),
  };
  return { space, pages, heap: new Heap(space, pages, hasViews) };
}

function allocate(heap: Heap, size: number, more: object = {}): Block {
  const block = heap.allocate({ size, family: 'malloc', ...more }, moment(1));
  if (block === undefined) throw new Error('no memory');
  return block;
}

function isReadable(space: AddressSpace, address: number): boolean {
  try {
    space.read(address, 1);
    return true;
  } catch (error) {
    if (error instanceof BadAddress) return false;
    throw error;
  }
}

describe('a block', () => {
  it('can be accessed from its first byte to its last', () => {
    const { space, heap } = makeHeap();
    for (const size of [1, 15, 16, 17, 4095, 4096, 4097, 200_000]) {
      const { begin } = allocate(heap, size);
      expect([begin - 1, begin, begin + size - 1, begin + size].map((address) => isReadable(space, address))).toEqual([false, true, true, false]);
    }
  });

  it('of no bytes has an address, but nothing there', () => {
    const { space, heap } = makeHeap();
    const [a, b] = [allocate(heap, 0), allocate(heap, 0)];
    expect(a.begin).not.toBe(b.begin);
    expect(isReadable(space, a.begin)).toBe(false);
  });

  it('that is freed is gone, also when its memory serves again', () => {
    const { space, heap } = makeHeap();
    const first = allocate(heap, 32);
    heap.free(first, moment(2));
    const second = allocate(heap, 32);
    expect(second.real).toBe(first.real);
    expect(isReadable(space, first.begin)).toBe(false);
    expect(heap.blocks.of(first.begin + 4)).toMatchObject({ id: first.id, freed: { time: 2 } });
    expect(heap.blocks.of(second.begin + 4)).toMatchObject({ id: second.id });
  });

  it('is aligned and zeroed as asked', () => {
    const { space, heap } = makeHeap();
    const used = allocate(heap, 100);
    space.fillBytes(used.begin, 100, 7);
    heap.free(used, moment(2));
    const zeroed = allocate(heap, 100, { zeroed: true });
    expect(zeroed.real).toBe(used.real);
    expect(space.read(zeroed.begin, 100)).toEqual(new Uint8Array(100));
    for (const alignment of [32, 64, 4096, 65536]) expect(allocate(heap, 10, { alignment }).begin % alignment).toBe(0);
  });

  it('cannot be had if there is no memory', () => {
    const { heap } = makeHeap(1 << 20);
    expect(heap.allocate({ size: 2 << 20, family: 'malloc' }, moment(1))).toBeUndefined();
    expect(heap.allocate({ size: 2 ** 60, family: 'malloc' }, moment(1))).toBeUndefined();
  });

  it('that is far from an address with its tag is not taken for the one', () => {
    const { heap } = makeHeap();
    const { begin } = allocate(heap, 64);
    expect(heap.blocks.of(begin + 100_000)?.begin).toBe(begin);
    expect(heap.blocks.of(begin + 100_000_000)).toBeUndefined();
  });
});

describe('a heap', () => {
  it('keeps what its blocks hold, whatever is allocated, resized and freed', () => {
    const sizes = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 100_000, max: 300_000 }));
    const steps = fc.array(fc.record({ what: fc.constantFrom('allocate', 'allocate', 'free', 'resize'), which: fc.nat(), size: sizes }), { maxLength: 60 });
    fc.assert(fc.property(steps, (all) => {
      const { space, heap } = makeHeap();
      const live: { block: Block; fill: number }[] = [];
      const dead: number[] = [];
      all.forEach(({ what, which, size }, i) => {
        const fill = i % 251;
        const chosen = live.length === 0 ? undefined : live[which % live.length];
        if (what === 'allocate' || chosen === undefined) {
          const block = allocate(heap, size);
          space.fillBytes(block.begin, size, fill);
          live.push({ block, fill });
          return;
        }
        live.splice(live.indexOf(chosen), 1);
        dead.push(chosen.block.begin);
        if (what === 'free') return heap.free(chosen.block, moment(i));
        const block = heap.resize(chosen.block, size, moment(i));
        if (block === undefined) throw new Error('no memory');
        const common = Math.min(size, chosen.block.size);
        expect(space.read(block.begin, common).every((byte) => byte === chosen.fill)).toBe(true);
        space.fillBytes(block.begin, size, fill);
        live.push({ block, fill });
      });
      for (const { block, fill } of live) expect(space.read(block.begin, block.size).every((byte) => byte === fill)).toBe(true);
      for (const address of dead) expect(isReadable(space, address)).toBe(false);
    }), { numRuns: 30 });
  });

  it('of a copy goes its own way', () => {
    const { space, pages, heap } = makeHeap();
    const block = allocate(heap, 24);
    const copy = new AddressSpace(new LinearMemory());
    copy.copyFrom(space);
    const child = new Heap(copy, pages, true, heap);
    child.free(child.blocks.at(block.begin) as Block, moment(5));
    expect(isReadable(copy, block.begin)).toBe(false);
    expect(isReadable(space, block.begin)).toBe(true);
    expect(heap.blocks.at(block.begin)?.freed).toBeUndefined();
    expect(allocate(heap, 24).id).toBe(allocate(child, 24).id);
  });
});

describe('a heap without addresses of their own', () => {
  it('has blocks where their bytes are', () => {
    const { space, heap } = makeHeap(1 << 28, false);
    const { begin, real } = allocate(heap, 100);
    expect(begin).toBe(real);
    expect(isReadable(space, begin + 99)).toBe(true);
    expect(heap.blocks.of(begin + 99)?.begin).toBe(begin);
    expect(heap.blocks.of(begin + 100)).toBeUndefined();
  });

  it('does not give memory out again that has just been freed', () => {
    const { heap } = makeHeap(1 << 28, false);
    const first = allocate(heap, 64);
    heap.free(first, moment(2));
    for (let i = 0; i < 1000; i++) {
      const block = allocate(heap, 64);
      expect(block.begin).not.toBe(first.begin);
      heap.free(block, moment(3));
    }
    expect(heap.blocks.of(first.begin)).toMatchObject({ id: first.id, freed: { time: 2 } });
    let used = 0;
    while (allocate(heap, 64).begin !== first.begin) heap.free(allocate(heap, 64), moment(4 + used++));
    expect(heap.blocks.of(first.begin)).toMatchObject({ freed: undefined });
    expect(used * 64).toBeGreaterThan(4 << 20);
  });

  it('gives freed memory out again in the order in which it was freed, and a copy of the heap does, too', () => {
    const { space, pages, heap } = makeHeap(1 << 28, false);
    const [waiting, largest] = [8 << 20, 64 << 10];
    // What waits is few large pieces at first, then many small ones: there has to be room for more while the oldest is
    // somewhere in the middle.
    const sizes = [...Array<number>(1500).fill(largest), ...Array<number>(120_000).fill(256)];
    const freed = new Map<number, number>();
    let total = 0;
    let again = 0;
    const step = (of: Heap, size: number): void => {
      const row = of.allocateQuickly(size, 16, false, 0, 0);
      const begin = row < 0 ? allocate(of, size).begin : of.blocks.rows.begin(row);
      const before = freed.get(begin);
      if (before !== undefined) {
        again++;
        const waited = total - before;
        if (waited < waiting || waited > waiting + largest) expect.fail(`used again after ${waited} bytes`);
      }
      of.freeRow(of.blocks.rowAt(begin), 0);
      freed.set(begin, total);
      total += size;
    };
    for (const size of sizes) step(heap, size);
    const copy = new Heap(space, pages, false, heap);
    for (let i = 0; i < 40_000; i++) step(copy, 256);
    expect(again).toBeGreaterThan(100_000);
  });
});

it('remembers many that are gone, and forgets them in the end', () => {
  const blocks = new Blocks(undefined, undefined, 100);
  const made = (begin: number): number => blocks.add(START + begin, 16, START + begin, 0, 16, blocks.family('malloc'), blocks.doer(moment(1)));
  const kept = blocks.block(made(0));
  const gone = Array.from({ length: 450 }, (_, i) => {
    const row = made(16 + i * 16);
    const { id } = blocks.block(row);
    blocks.time = i;
    blocks.bury(row, 0);
    return id;
  });
  expect(blocks.gone().map(({ id }) => id)).toEqual(gone.slice(-100));
  expect(gone.map((id) => blocks.numbered(id)?.id)).toEqual(gone.map((id, i) => (i < 350 ? undefined : id)));
  expect(blocks.alive()).toEqual([kept]);
  expect([blocks.of(START + 16), blocks.of(START + 450 * 16 + 15)?.id]).toEqual([undefined, gone.at(-1)]);
});
