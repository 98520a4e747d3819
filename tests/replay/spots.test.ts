/**
 * Spots: what is told of stores, places and calls is what stepping and watching see, in any stretch, in both tiers; and
 * what was stored, done to a copy of the memory, makes what the memory is at the end.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { EngineOptions } from '../../src/machine/engineOptions.js';
import { at } from '../../src/replay/log/position.js';
import type { MemoryAccess, MemoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { memoryOf, steppedInstructions, watchedAccesses } from './bruteForce.js';
import { record, type Recorded } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static', '-pthread'] } as never;
const LONG = process.env['CULPRIT_LONG'] === '1';
const KINDS = ['strings', 'faults', 'traps', 'changes', 'threads', 'processes', 'signals', 'crash'];
const LONGEST = 4000;
const CORE = buildCoreModule();
const TIERS: readonly Partial<EngineOptions>[] = [{ hotThreshold: 4 }, { noCompiler: true }];

let program: string;

beforeAll(async () => {
  program = await buildProgram('observed.c', VARIANT);
}, 60_000);

interface Truth {
  readonly run: Recorded;
  readonly instructions: readonly string[];
  readonly accesses: ReadonlyMap<number, MemoryAccess[]>;
  readonly memory: readonly MemoryRange[];
}

async function truth(kind: string): Promise<Truth> {
  const run = await record([program, kind], { scheduleSeed: 3, engine: { coreModule: CORE } });
  const instructions = steppedInstructions(new Timeline(run.options), 0, run.instructions);
  const timeline = new Timeline(run.options);
  const memory = await memoryOf(timeline, Array.from({ length: 12 }, (_, i) => Math.floor((run.instructions * (i + 1)) / 12)));
  return { run, instructions, memory, accesses: await watchedAccesses(timeline, memory, timeline.start, at(run.instructions)) };
}

/** The bytes of the ranges that were written, as text, by time. */
function bytesIn(ranges: readonly MemoryRange[], [first, end]: readonly [number, number]): string[] {
  const bytes: string[] = [];
  for (const range of ranges) for (let at = Math.max(first, range.start); at < Math.min(end, range.end); at++) bytes.push(at.toString(16));
  return bytes;
}

function add(all: Map<number, Set<string>>, time: number, bytes: readonly string[]): void {
  if (bytes.length === 0) return;
  const known = all.get(time) ?? new Set<string>();
  for (const byte of bytes) known.add(byte);
  all.set(time, known);
}

const text = (all: ReadonlyMap<number, ReadonlySet<string>>): string[] => [...all].sort(([a], [b]) => a - b).map(([time, bytes]) => `${time}: ${[...bytes].sort().join(' ')}`);

async function expectStores(timeline: Timeline, { accesses }: Truth, ranges: readonly MemoryRange[], from: number, to: number): Promise<void> {
  const [found, wanted] = [new Map<number, Set<string>>(), new Map<number, Set<string>>()];
  await timeline.observe({ spots: { memory: ranges, passes: new Set(), calls: new Set() } }, {
    stored({ by }, time, address, bytes) {
      if (by === 'program') add(found, time, bytesIn(ranges, [address, address + bytes]));
    },
  }, at(from), at(to));
  for (const [time, all] of accesses) if (time >= from && time < to) for (const { address, bytes, write } of all) if (write) add(wanted, time, bytesIn(ranges, [address, address + bytes]));
  expect(text(found)).toEqual(text(wanted));
}

/** Some of the memory, in pieces of all sizes. */
function pieces(accesses: ReadonlyMap<number, MemoryAccess[]>): fc.Arbitrary<MemoryRange[]> {
  const written = [...new Set([...accesses.values()].flat().filter(({ write }) => write).map(({ address }) => address))];
  const piece = fc.tuple(fc.nat(written.length - 1), fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 90 }));
  return fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => all.map(([i, off, size]) => ({ start: ((written[i] as number) + off) as never, end: ((written[i] as number) + off + size) as never })));
}

describe.each(KINDS)('%s', (kind) => {
  it('tells the stores to any memory, in any stretch, in both tiers', async () => {
    const known = await truth(kind);
    const { run, memory } = known;
    for (const tier of TIERS) {
      const options = { ...run.options, engine: { ...run.options.engine, ...tier }, checkpointInterval: Math.ceil(run.instructions / 7) };
      const timeline = new Timeline(options);
      const whole = tier.noCompiler === true ? Math.min(run.instructions, LONGEST) : run.instructions;
      await expectStores(timeline, known, memory, 0, whole);
      await fc.assert(fc.asyncProperty(pieces(known.accesses), fc.nat(run.instructions), async (ranges, from) => {
        await expectStores(timeline, known, ranges, from, Math.min(run.instructions, from + LONGEST));
      }), { numRuns: LONG ? 100 : 4 });
      await expectCopy(new Timeline(options), known);
      await expectPlaces(timeline, known);
    }
  }, 600_000);
});

/** Stores, also those of the kernel, make of the memory at one time what it is at another. */
async function expectCopy(timeline: Timeline, { run }: Truth): Promise<void> {
  const from = Math.floor(run.instructions / 2);
  const to = Math.min(run.instructions, from + LONGEST);
  await timeline.seek(at(from));
  const { current } = timeline.state;
  if (current === undefined) return;
  const thread = current.id;
  const mapping = timeline.state.mappings(thread).find(({ name }) => name === '[stack]');
  if (mapping === undefined) return;
  const range = { start: Math.max(mapping.start, mapping.end - 65_536) as never, end: mapping.end };
  const copy = timeline.state.read(thread, range.start, range.end - range.start)?.slice() as Uint8Array;
  const space = await spaceOf(timeline, from);
  await timeline.observe({ spots: { memory: [range], passes: new Set(), calls: new Set() } }, {
    stored(place, _time, address, bytes, content, first) {
      if (place.space !== space) return;
      for (let i = 0; i < bytes; i++) if (address + i >= range.start && address + i < range.end) copy[address + i - range.start] = content.getUint8(first + i);
    },
  }, at(from), at(to));
  await timeline.seek(at(to));
  const after = timeline.state.read(thread, range.start, range.end - range.start);
  if (after !== null) expect(Buffer.compare(copy, after)).toBe(0);
}

async function spaceOf(timeline: Timeline, time: number): Promise<number> {
  let space = -1;
  await timeline.observe({ addresses: false }, { ran: (run) => void (space = space < 0 ? run.space : space) }, at(time), at(time + 1));
  return space;
}

/** Instructions are told whenever they are come to, and calls when they return. */
async function expectPlaces(timeline: Timeline, { run, instructions }: Truth): Promise<void> {
  const address = (line: string): number => Number.parseInt(line.split(' ')[1] as string, 16);
  const chosen = new Set([0.3, 0.5, 0.7].map((part) => address(instructions[Math.floor(run.instructions * part)] as string)));
  const found: string[] = [];
  await timeline.observe({ spots: { memory: [], passes: chosen, calls: new Set() } }, {
    came: ({ thread, instruction }, time) => void found.push(`${time} ${thread} ${instruction.toString(16)}`),
  }, at(0), at(run.instructions));
  expect(found).toEqual(instructions.flatMap((line, time) => (chosen.has(address(line)) ? [`${time} ${line}`] : [])));
}
