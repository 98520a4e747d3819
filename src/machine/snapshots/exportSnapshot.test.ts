import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAGE_SIZE, guestAddr } from '../../base/types.js';
import { AddressSpace, PROT, anonymousMapping } from '../addressSpace.js';
import { LinearMemory } from '../linearMemory.js';
import { exportSnapshot, importSnapshot, type ExportedSnapshot } from './exportSnapshot.js';
import { hashSpace } from './hashSpace.js';
import { PageStore, type SharedSlabs } from './pageStore.js';
import { SpaceHistory } from './spaceHistory.js';
import { TEST_FILE } from './spaceModelTesting.js';

const BASE = 0x7ffff7000000;
const RW = PROT.READ | PROT.WRITE;

/** As if it came from another thread. */
function sent<T>(value: T): T {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received = receiveMessageOnPort(port2) as { message: T };
  port1.close();
  return received.message;
}

describe('snapshots', () => {
  const [space, other] = [new AddressSpace(new LinearMemory()), new AddressSpace(new LinearMemory())];
  let store: PageStore;
  let history: SpaceHistory;

  beforeEach(() => {
    store = new PageStore();
    history = new SpaceHistory(space, store);
    space.map(anonymousMapping({ start: guestAddr(BASE), end: guestAddr(BASE + 40 * PAGE_SIZE), prot: RW, name: '[heap]' }));
    space.map(anonymousMapping({ start: guestAddr(BASE - 8 * PAGE_SIZE), end: guestAddr(BASE - 4 * PAGE_SIZE), prot: RW, file: TEST_FILE, inode: 2, device: 1, name: '/f' }));
    space.reserved = [{ start: BASE - 100 * PAGE_SIZE, end: BASE - 50 * PAGE_SIZE }];
    space.stackLimit = Infinity;
    for (let i = 0; i < 20; i++) space.writeU32(BASE + i * PAGE_SIZE, i + 1);
    space.writeU8(BASE - 8 * PAGE_SIZE, 77);
  });

  afterEach(() => {
    for (const s of [space, other]) {
      s.pages.changes = undefined;
      s.clear();
    }
  });

  function expectSame(): void {
    expect(hashSpace(other)).toBe(hashSpace(space));
    expect(other.mappings()).toEqual(space.mappings());
    expect([other.stackLimit, other.reserved, other.residentBytes, other.peakMappedBytes]).toEqual([space.stackLimit, space.reserved, space.residentBytes, space.peakMappedBytes]);
    expect([other.readU32(BASE + 5 * PAGE_SIZE), other.readU8(BASE - 8 * PAGE_SIZE)]).toEqual([6, 77]);
  }

  it('go to another thread, which reads the same pages and stores its own', () => {
    const snapshot = history.capture();
    const there = new PageStore(sent<SharedSlabs>(store.share()));
    const exported = sent<ExportedSnapshot>(exportSnapshot(snapshot, () => 3));
    const imported = importSnapshot(exported, there, (number) => (number === 3 ? TEST_FILE : expect.fail()));
    const otherHistory = new SpaceHistory(other, there);
    otherHistory.restore(imported);
    expectSame();
    expect(there.bytes).toBe(0);
    other.writeU32(BASE, 99);
    const ofOther = otherHistory.capture();
    expect(there.bytes).toBe(PAGE_SIZE);
    otherHistory.restore(imported);
    expect(other.readU32(BASE)).toBe(1);
    otherHistory.restore(ofOther);
    expect(other.readU32(BASE)).toBe(99);

    // Later ones need slabs that the other thread does not know yet.
    space.map(anonymousMapping({ start: guestAddr(BASE + 0x1000000), end: guestAddr(BASE + 0x1000000 + 3000 * PAGE_SIZE), prot: RW }));
    for (let i = 0; i < 3000; i++) space.writeU32(BASE + 0x1000000 + i * PAGE_SIZE, i + 1);
    const later = sent(exportSnapshot(history.capture(), () => 3));
    there.know(sent(store.share()));
    otherHistory.restore(importSnapshot(later, there, () => TEST_FILE));
    expect(other.readU32(BASE + 0x1000000 + 2999 * PAGE_SIZE)).toBe(3000);
    expectSame();
  });
});
