import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MovableFrame, MovableGlobal, MovableSlot } from './layout.js';
import { packFrame } from './packFrame.js';
import { planLayouts } from './planLayouts.js';

const kind = fc.constantFrom('buffer', 'address', 'other');
const globals = fc.array(fc.record({ kind, size: fc.integer({ min: 1, max: 300 }), power: fc.integer({ min: 0, max: 4 }) }), { maxLength: 9 })
  .map((all): MovableGlobal[] => all.map(({ size, power, ...one }, i) => ({
    name: `g${i}`, address: 0x4000 + i * 0x1000, size: one.kind === 'address' ? 8 : size, alignment: one.kind === 'address' ? 8 : 2 ** power, isBuffer: one.kind === 'buffer', isAddress: one.kind === 'address',
  })));

function overlap(pieces: readonly { readonly begin: number; readonly end: number }[]): boolean {
  const sorted = pieces.toSorted((a, b) => a.begin - b.begin);
  return sorted.some(({ begin }, i) => i > 0 && begin < (sorted[i - 1]?.end ?? 0));
}

describe('layouts of globals', () => {
  it('bring every buffer before every variable once, in as many runs as there are of the more numerous', () => {
    fc.assert(fc.property(globals, (all) => {
      const { layouts } = planLayouts({ globals: all, frames: [], unmovable: [] });
      const [buffers, variables] = [all.filter(({ isBuffer }) => isBuffer), all.filter(({ isAddress }) => isAddress)];
      const pairs = layouts.filter((layout) => layout.kind === 'pairs').flatMap(({ serves }) => serves).filter((pair) => !pair.endsWith('nothing'));
      expect(pairs.toSorted()).toEqual(buffers.flatMap((buffer) => variables.map((variable) => `${buffer.name}, ${variable.name}`)).toSorted());
      expect(layouts.filter((layout) => layout.kind === 'pairs').length).toBe(Math.max(buffers.length > 0 ? 1 : 2, pairs.length === 0 ? 0 : Math.max(buffers.length, variables.length)));
    }));
  });

  it('place everything once, aligned, and nothing over anything else', () => {
    fc.assert(fc.property(globals, (all) => {
      for (const { globals: placed, bytes, gaps } of planLayouts({ globals: all, frames: [], unmovable: [] }).layouts) {
        expect(placed.map(({ address }) => address).toSorted()).toEqual(all.map(({ address }) => address).toSorted());
        const pieces = placed.map(({ address, offset }) => ({ begin: offset, end: offset + (all.find((one) => one.address === address)?.size ?? 0) }));
        expect(overlap([...pieces, ...gaps.map((begin) => ({ begin, end: begin + 4096 }))])).toBe(false);
        expect(pieces.every(({ end }) => end <= bytes)).toBe(true);
        for (const { address, offset } of placed) expect(offset % (all.find((one) => one.address === address)?.alignment ?? 1)).toBe(0);
      }
    }));
  });
});

function slot(name: string, offset: number, size: number, more: Partial<MovableSlot> = {}): MovableSlot {
  return { name, offset, size, alignment: 1, isBuffer: false, isAddress: false, lowest: -Infinity, ...more };
}

const FRAME: MovableFrame = {
  function: 'f', address: 0x1000, lowest: -64, fixed: [{ offset: -8, size: 8 }],
  slots: [slot('i', -12, 4, { isAddress: true, alignment: 4, lowest: -128 }), slot('line', -32, 20, { isBuffer: true }), slot('p', -40, 8, { isAddress: true, alignment: 8 }), slot('data', -64, 16, { isBuffer: true, alignment: 4 })],
};

describe('layouts of frames', () => {
  it('have each buffer as high as it goes once, and before each variable', () => {
    const { layouts, remarks } = planLayouts({ globals: [], frames: [FRAME], unmovable: [] });
    expect(remarks).toEqual([]);
    expect(layouts.map(({ serves }) => serves)).toEqual([
      ['f: line, return address'], ['f: data, return address'], ['f: line, i', 'f: data, p'], ['f: line, p', 'f: data, i'],
    ]);
    expect(layouts[0]?.frames[0]?.slots[0]).toEqual({ from: -32, to: -28 });
    const placed = new Map(layouts[2]?.frames[0]?.slots.map(({ from, to }) => [from, to]));
    expect((placed.get(-32) ?? 0) + 20).toBe(placed.get(-12));
    for (const { frames } of layouts) {
      const pieces = (frames[0]?.slots ?? []).map(({ from, to }) => ({ begin: to, end: to + (FRAME.slots.find(({ offset }) => offset === from)?.size ?? 0) }));
      expect(overlap([...pieces, { begin: -8, end: 0 }])).toBe(false);
    }
  });

  it('are not made if something has no room', () => {
    expect(packFrame({ fixed: [], lowest: -16 }, [slot('a', -8, 8), slot('b', -16, 9)])).toEqual({ kind: 'impossible', why: 'the frame has no room for b' });
    expect(packFrame({ fixed: [], lowest: -300 }, [slot('large', -300, 200), slot('i', -4, 4, { lowest: -128 })])).toEqual({ kind: 'impossible', why: 'instructions that name i have no room for -204' });
  });
});
