import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_SIZE, guestAddr } from '../../base/types.js';
import { AddressSpace, PROT, anonymousMapping } from '../addressSpace.js';
import { LinearMemory } from '../linearMemory.js';
import { writtenSharedPages } from './filePages.js';
import { SpaceHasher } from './hashSpace.js';
import { PageStore } from './pageStore.js';
import { SpaceHistory, type SpaceSnapshot } from './spaceHistory.js';
import { TEST_FILE, SpaceModel, isOpenForWriting, type ModelState } from './spaceModelTesting.js';

const BASE = 0x7ffff7000000;
/** The same linear pages as BASE. */
const TWIN = BASE - 0x8000_0000;
const RW = PROT.READ | PROT.WRITE;

/** Mostly the same few pages. */
const page = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(20) });
const place = fc.tuple(fc.constantFrom(BASE, BASE, BASE, TWIN), page).map(([start, n]) => start + n * PAGE_SIZE);
const count = fc.integer({ min: 1, max: 18 });
const few = fc.integer({ min: 1, max: 3 });
const prot = fc.constantFrom(PROT.NONE, PROT.READ, RW, RW, RW | PROT.EXEC, PROT.READ | PROT.EXEC);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 });
const address = fc.tuple(place, fc.constantFrom(0, 8, 100, PAGE_SIZE - 4)).map(([page, offset]) => page + offset);

type Step =
  | { readonly do: 'map'; readonly at: number; readonly count: number; readonly prot: number; readonly kind: 'anonymous' | 'private' | 'shared' }
  | { readonly do: 'unmap' | 'forget' | 'takeWritten'; readonly at: number; readonly count: number }
  | { readonly do: 'protect'; readonly at: number; readonly count: number; readonly prot: number }
  | { readonly do: 'write' | 'poke' | 'guestWrite'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly do: 'read' | 'translate'; readonly at: number }
  | { readonly do: 'copy'; readonly at: number; readonly to: number; readonly count: number }
  | { readonly do: 'capture' | 'check' | 'clear' }
  | { readonly do: 'restore' | 'release'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('map' as const), at: place, count, prot, kind: fc.constantFrom('anonymous' as const, 'private' as const, 'shared' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('unmap' as const, 'forget' as const, 'takeWritten' as const), at: place, count: few }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('protect' as const), at: place, count: few, prot }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('write' as const, 'poke' as const, 'guestWrite' as const, 'guestWrite' as const), at: address, bytes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), at: address }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('translate' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const), at: place, to: place, count: few }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('capture' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('check' as const, 'check' as const, 'clear' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('restore' as const, 'restore' as const, 'restore' as const, 'release' as const), which: fc.nat(9) }) },
);

describe('SpaceHistory, with random steps', () => {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  const hasher = new SpaceHasher(linear);
  const hashes = new Map<string, string>();
  const keys = new Map<string, string>();

  /** A hash for each state, and a state for each hash. */
  function checkHash(model: SpaceModel): void {
    const [hash, key] = [hasher.hash(space), model.key()];
    expect(hash).toBe(hashes.get(key) ?? hash);
    expect(key).toBe(keys.get(hash) ?? key);
    hashes.set(key, hash);
    keys.set(hash, key);
  }

  it('brings back any state that was captured', () => {
    fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 90 }), (steps) => {
      const store = new PageStore();
      const model = new SpaceModel(space);
      const history = new SpaceHistory(space, store);
      const taken: { snapshot: SpaceSnapshot; state: ModelState }[] = [];
      model.map(BASE, 20, RW | PROT.EXEC, 'anonymous');
      for (const s of steps) {
        if (s.do === 'capture') {
          taken.push({ snapshot: history.capture(), state: model.state() });
          checkHash(model);
        } else if (s.do === 'restore') {
          const back = taken[s.which % Math.max(taken.length, 1)];
          if (back === undefined) continue;
          const survivors = model.rightlyTranslated(back.state);
          history.restore(back.snapshot);
          model.restored(back.state);
          checkHash(model);
          for (const page of survivors) expect(model.isTranslated(page)).toBe(true);
        } else if (s.do === 'release') {
          const [gone] = taken.splice(s.which % Math.max(taken.length, 1), 1);
          if (gone !== undefined) history.release(gone.snapshot);
        } else take(model, s);
      }
      for (const { snapshot, state } of taken) {
        history.restore(snapshot);
        model.restored(state);
        model.check();
        checkHash(model);
        history.release(snapshot);
      }
      history.dispose();
      expect(store.bytes).toBe(0);
      model.clear();
    }), { numRuns: process.env['CULPRIT_LONG'] === undefined ? 150 : 15_000 });
  });

  function take(model: SpaceModel, s: Exclude<Step, { do: 'capture' | 'restore' | 'release' }> | Step): void {
    switch (s.do) {
      case 'map':
        return model.map(s.at, s.count, s.prot, s.kind);
      case 'unmap':
      case 'forget':
      case 'takeWritten':
        return model[s.do](s.at, s.count);
      case 'protect':
        return model.protect(s.at, s.count, s.prot);
      case 'write':
      case 'poke':
        return model.write(s.at, s.bytes, s.do === 'poke');
      case 'guestWrite':
        return model.guestWrite(s.at, s.bytes);
      case 'read':
        return model.read(s.at, 4);
      case 'translate':
        return model.translate(s.at);
      case 'copy':
        return model.copy(s.at, s.to, s.count);
      case 'check':
        return model.check();
      case 'clear':
        return model.clear();
      default:
        return undefined;
    }
  }
});

describe('SpaceHistory', () => {
  function newSpace(): { space: AddressSpace; store: PageStore; history: SpaceHistory } {
    const space = new AddressSpace(new LinearMemory());
    const store = new PageStore();
    return { space, store, history: new SpaceHistory(space, store) };
  }
  const area = (start: number, pages: number) => anonymousMapping({ start: guestAddr(start), end: guestAddr(start + pages * PAGE_SIZE), prot: RW });

  it('stores what was written, and nothing for zeros', () => {
    const { space, store, history } = newSpace();
    space.map(area(BASE, 1000));
    space.fillBytes(BASE, 100 * PAGE_SIZE, 1);
    const first = history.capture();
    expect(store.bytes).toBe(100 * PAGE_SIZE);
    expect(isOpenForWriting(space, BASE, 8)).toBe(false);
    space.writeU8(BASE + 50 * PAGE_SIZE, 2);
    space.writeU8(BASE + 900 * PAGE_SIZE, 0);
    expect(isOpenForWriting(space, BASE + 50 * PAGE_SIZE, 8)).toBe(true);
    const second = history.capture();
    expect(store.bytes).toBe(101 * PAGE_SIZE);
    history.release(first);
    expect(store.bytes).toBe(100 * PAGE_SIZE);
    history.release(second);
    history.dispose();
    expect(store.bytes).toBe(0);
  });

  it('shares the pages of a copy with the original', () => {
    const { space, store, history } = newSpace();
    space.map(area(BASE, 50));
    space.fillBytes(BASE, 50 * PAGE_SIZE, 1);
    const snapshot = history.capture();
    const child = new AddressSpace(new LinearMemory());
    child.copyFrom(space);
    child.writeU8(BASE, 7);
    const childHistory = new SpaceHistory(child, store, snapshot);
    const ofChild = childHistory.capture();
    expect(store.bytes).toBe(51 * PAGE_SIZE);
    child.writeU8(BASE + PAGE_SIZE, 8);
    childHistory.restore(ofChild);
    expect([child.readU8(BASE), child.readU8(BASE + PAGE_SIZE), space.readU8(BASE)]).toEqual([7, 1, 1]);
  });

  it('does not change how much counts as resident', () => {
    const { space, history } = newSpace();
    const plain = new AddressSpace(new LinearMemory());
    for (const s of [space, plain]) {
      s.map(area(BASE, 64));
      s.writeU8(BASE, 1);
    }
    history.capture();
    for (const s of [space, plain]) {
      s.writeU8(BASE + 5 * PAGE_SIZE, 1);
      s.writeU8(BASE + 40 * PAGE_SIZE, 1);
    }
    expect(space.residentBytes).toBe(plain.residentBytes);
  });

  it('tells those who share pages of the first write to each, as without snapshots', () => {
    const { space, history } = newSpace();
    space.map({ ...area(BASE, 4), shared: true, file: TEST_FILE, inode: 2, device: 1, name: '/f' });
    const written: number[] = [];
    space.sharing = { beforeLoad: () => {}, beforeFirstWrite: (page) => written.push(page) };
    space.writeU8(BASE + 5, 1);
    const first = history.capture();
    space.writeU8(BASE + 6, 1);
    expect(written).toEqual([BASE]);
    expect(space.takeWrittenPages(BASE, 4 * PAGE_SIZE)).toEqual([BASE]);
    const second = history.capture();
    space.writeU8(BASE + 6, 2);
    expect(written).toEqual([BASE, BASE]);
    history.restore(second);
    expect(writtenSharedPages(space)).toEqual([]);
    history.restore(first);
    expect(writtenSharedPages(space)).toEqual([BASE]);
    expect([...space.read(BASE + 5, 2)]).toEqual([1, 42]);
  });

  it('takes a stack that has grown back', () => {
    const { space, history } = newSpace();
    const top = 0x7ffffffff000;
    space.map({ ...area(top - 4 * PAGE_SIZE, 4), growsDown: true, name: '[stack]' });
    const low = history.capture();
    space.writeU8(top - 100 * PAGE_SIZE, 5);
    const high = history.capture();
    history.restore(low);
    expect([space.mappedBytes, space.find(top - 100 * PAGE_SIZE)]).toEqual([4 * PAGE_SIZE, undefined]);
    history.restore(high);
    expect([space.mappedBytes, space.readU8(top - 100 * PAGE_SIZE)]).toEqual([100 * PAGE_SIZE, 5]);
  });

  it('sees what a space becomes as a copy of another one', () => {
    const { space, history } = newSpace();
    const child = newSpace();
    const empty = child.history.capture();
    space.map(area(BASE, 20));
    space.fillBytes(BASE, 3 * PAGE_SIZE, 1);
    history.capture();
    child.space.copyFrom(space);
    expect(isOpenForWriting(child.space, BASE, 8)).toBe(true);
    const copied = child.history.capture();
    child.space.writeU8(BASE, 2);
    child.space.clear();
    child.history.restore(copied);
    expect([child.space.readU8(BASE), child.space.mappedBytes]).toEqual([1, 20 * PAGE_SIZE]);
    child.history.restore(empty);
    expect([child.space.mappedBytes, child.space.residentBytes]).toEqual([0, 0]);
  });

  it('costs what was written, not what is there', () => {
    const { space, store, history } = newSpace();
    space.map(area(BASE, 4000));
    space.fillBytes(BASE, 4000 * PAGE_SIZE, 1);
    history.capture();
    const before = store.bytes;
    for (let i = 0; i < 4000; i += 8) space.writeU8(BASE + i * PAGE_SIZE + 2000, 2);
    const snapshot = history.capture();
    expect(store.bytes - before).toBe(500 * PAGE_SIZE);
    // A space that has not been written to gets the same table again.
    expect(history.capture().table).toBe(snapshot.table);
  });
});
