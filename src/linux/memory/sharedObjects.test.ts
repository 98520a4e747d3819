import { describe, expect, it } from 'vitest';
import { AddressSpace, PROT } from '../../machine/addressSpace.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { MAP } from './mmapFlags.js';
import { ProcessMemory } from './processMemory.js';
import { SharedObjects } from './sharedObjects.js';

const PAGES = 6;
const K = 4096;
const RW = PROT.READ | PROT.WRITE;
const STEPS = 4000;

interface Mapped {
  readonly memory: ProcessMemory;
  readonly at: number;
}

function process(objects: SharedObjects): ProcessMemory {
  return new ProcessMemory(new AddressSpace(new LinearMemory()), { brkStart: 0x4000_0000, mmapBase: 0x7ffff7fff000, sharedObjects: objects });
}

function fork(memory: ProcessMemory): ProcessMemory {
  const space = new AddressSpace(new LinearMemory());
  space.copyFrom(memory.space);
  return memory.fork(space, {});
}

/** A small generator: the same numbers every time. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe('memory that processes share', () => {
  it.each([1, 2, 3])('is one memory, whichever process reads and writes in turn (%d)', (seed) => {
    const random = generator(seed);
    const objects = new SharedObjects();
    const first = process(objects);
    const at = first.mmap({ address: 0, length: PAGES * K, prot: RW, flags: MAP.SHARED | MAP.ANONYMOUS, offset: 0 }, null);
    const all: Mapped[] = [{ memory: first, at }];
    const expected = new Uint8Array(PAGES * K);
    let acting = first;
    for (let step = 0; step < STEPS; step++) {
      const index = random(all.length);
      const { memory, at: start } = all[index] as Mapped;
      if (memory !== acting) acting.sharedFiles.publish();
      acting = memory;
      const place = random(PAGES * K);
      const action = random(1000);
      if (action < 5 && all.length < 5) all.push({ memory: fork(memory), at: start });
      else if (action === 5 && all.length > 1) {
        memory.close();
        all.splice(index, 1);
        acting = (all[0] as Mapped).memory;
      } else if (action < 400) {
        const value = random(256);
        memory.space.writeU8(start + place, value);
        expected[place] = value;
      } else expect(memory.space.readU8(start + place)).toBe(expected[place]);
    }
    acting.sharedFiles.publish();
    for (const { memory, at: start } of all) expect(Buffer.compare(memory.space.read(start, PAGES * K), expected)).toBe(0);
  });

  it('belongs to no process when the last has gone', () => {
    const objects = new SharedObjects();
    const first = process(objects);
    const at = first.mmap({ address: 0, length: K, prot: RW, flags: MAP.SHARED | MAP.ANONYMOUS, offset: 0 }, null);
    const child = fork(first);
    first.munmap(at, K);
    expect(objects.isEmpty).toBe(false);
    child.close();
    expect(objects.isEmpty).toBe(true);
  });

  it('is not shared by what two processes map anonymously, each for itself', () => {
    const objects = new SharedObjects();
    const [one, two] = [process(objects), process(objects)];
    const request = { address: 0, length: K, prot: RW, flags: MAP.SHARED | MAP.ANONYMOUS, offset: 0 };
    const [a, b] = [one.mmap(request, null), two.mmap(request, null)];
    one.space.writeU8(a, 7);
    one.sharedFiles.publish();
    expect(two.space.readU8(b)).toBe(0);
  });
});
