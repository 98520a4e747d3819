import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Guest } from '../../src/linux/guest.js';
import { PROT } from '../../src/machine/addressSpace.js';
import type { WatchedRange } from '../../src/machine/watch.js';
import { RSP } from '../../src/layout/cpuState.js';
import { buildProgram } from '../programs/build.js';
import { watchedRun } from './watchedRun.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const TIMES = LONG ? 30 : 1;
const TIMEOUT = 300_000 * TIMES;
const VARIANT = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static', '-no-pie', '-fno-pie'] } as const;
const UNOPTIMISED = { name: '-O0 dynamic', compiler: 'gcc', flags: ['-O0', '-pie', '-fPIE'] } as const;

/** A place in the program's memory: where its data is, where its heap will be, on its stack. */
function placeIn(guest: Guest, kind: number, fraction: number): number {
  if (kind === 0) return guest.engine.cpu.num(RSP) - Math.floor(fraction * 3000);
  if (kind === 1) return guest.image.brkStart + Math.floor(fraction * 4000);
  const data = guest.space.mappings().filter(({ prot, growsDown }) => (prot & PROT.WRITE) !== 0 && growsDown !== true);
  const { start, end } = data[kind % data.length] ?? { start: 0, end: 1 };
  return start + Math.floor(fraction * (end - start));
}

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const places = fc.array(fc.record({
  region: fc.constantFrom(0, 0, 1, 2, 3), fraction, bytes: fc.integer({ min: 1, max: 24 }), kind: fc.constantFrom('write', 'read', 'access'),
}), { minLength: 8, maxLength: 16 });

describe('watched memory', () => {
  it.each([
    ['longDouble.c', VARIANT], ['repeats.c', UNOPTIMISED], ['selfModifying.c', UNOPTIMISED],
    ...(LONG ? [['recursion.c', UNOPTIMISED], ['containers.cc', VARIANT], ['atomics.c', UNOPTIMISED]] as const : []),
  ] as const)('%s', async (source, variant) => {
    const program = await buildProgram(source, variant);
    const plain = await watchedRun(program, {}, () => ({ breakpoints: new Set(), ranges: [] }));
    await fc.assert(fc.asyncProperty(places, async (list) => {
      const choose = (guest: Guest) => ({
        breakpoints: new Set<number>(),
        // What is right below the first stack pointer is written sooner or later.
        ranges: [{ start: guest.engine.cpu.num(RSP) - 16, end: guest.engine.cpu.num(RSP) - 8, kind: 'write' as const }, ...list.map(({ region, bytes, kind, ...at }): WatchedRange => {
          const start = placeIn(guest, region, at.fraction);
          return { start, end: start + bytes, kind };
        })],
      });
      const compiled = await watchedRun(program, {}, choose);
      expect(compiled.unnoticed).toEqual([]);
      expect(await watchedRun(program, { noCompiler: true }, choose)).toEqual(compiled);
      expect([plain.stdout, plain.instructions]).toEqual([compiled.stdout, compiled.instructions]);
      expect(compiled.stops.length).toBeGreaterThan(0);
    }), { numRuns: TIMES });
  }, TIMEOUT);
});

describe('breakpoints', () => {
  it('are where rip says, in both tiers', async () => {
    const program = await buildProgram('arguments.c', VARIANT);
    const stepped = await watchedRun(program, { noCompiler: true }, () => ({ breakpoints: { has: () => true }, ranges: [] }), true);
    const ripOf = (line: string): number => Number(line.split(' ')[1]);
    const some = fc.uniqueArray(fc.constantFrom(...new Set(stepped.stops.map(ripOf))), { minLength: 1, maxLength: 40 });
    await fc.assert(fc.asyncProperty(some, async (addresses) => {
      const breakpoints = new Set(addresses);
      const expected = { ...stepped, stops: stepped.stops.filter((line) => breakpoints.has(ripOf(line))) };
      for (const tier of [{ hotThreshold: 20 }, { noCompiler: true }]) {
        expect(await watchedRun(program, tier, () => ({ breakpoints, ranges: [] }))).toEqual(expected);
      }
    }), { numRuns: 2 * TIMES });
  }, TIMEOUT);
});
