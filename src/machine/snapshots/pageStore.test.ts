import { describe, expect, it } from 'vitest';
import { PAGE_SIZE } from '../../base/types.js';
import { PageStore, ZEROS } from './pageStore.js';

const SLAB_BYTES = 8 * 1024 * 1024;

describe('PageStore', () => {
  const page = new Uint8Array(3 * PAGE_SIZE);
  const words = new BigUint64Array(page.buffer);

  it('keeps contents as long as a snapshot needs them', () => {
    const store = new PageStore();
    page.fill(7, PAGE_SIZE, 2 * PAGE_SIZE);
    const ref = store.add(page, PAGE_SIZE);
    store.retain(ref);
    page.fill(8, PAGE_SIZE, 2 * PAGE_SIZE);
    expect(store.isEqual(ref, words, PAGE_SIZE / 8)).toBe(false);
    store.copyTo(ref, page, PAGE_SIZE);
    expect(store.isEqual(ref, words, PAGE_SIZE / 8)).toBe(true);
    expect([page[PAGE_SIZE - 1], page[PAGE_SIZE], page[2 * PAGE_SIZE - 1], page[2 * PAGE_SIZE]]).toEqual([0, 7, 7, 0]);
    store.release(ref);
    expect(store.bytes).toBe(PAGE_SIZE);
    store.release(ref);
    expect(store.bytes).toBe(0);
    expect(() => store.release(ref)).toThrow();
  });

  it('has zeros for nothing', () => {
    const store = new PageStore();
    expect(store.isEqual(ZEROS, words, 0)).toBe(true);
    expect(store.isEqual(ZEROS, words, PAGE_SIZE / 8)).toBe(false);
    store.retain(ZEROS);
    store.release(ZEROS);
    expect(store.bytes).toBe(0);
  });

  it('gives memory back and uses it again', () => {
    const store = new PageStore();
    const count = (3 * SLAB_BYTES) / PAGE_SIZE;
    const number = new Uint32Array(page.buffer);
    const refs = Array.from({ length: count }, (_, i) => {
      number[0] = i + 1;
      return store.add(page, 0);
    });
    expect(new Set(refs).size).toBe(count);
    const slabs = store.share().slabs.length;
    for (const [i, ref] of refs.entries()) if (i < count - 100) store.release(ref);
    expect(store.share().slabs.length).toBeLessThan(slabs);
    const more = Array.from({ length: 1000 }, () => store.add(page, PAGE_SIZE));
    refs.slice(-100).forEach((ref, i) => {
      store.copyTo(ref, page, 0);
      expect(number[0]).toBe(count - 100 + i + 1);
    });
    for (const ref of [...refs.slice(-100), ...more]) store.release(ref);
    expect(store.bytes).toBe(0);
  });
});
