/** Searches by several threads find what one finds. The threads run what was built. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestAddr, time } from '../../src/base/types.js';
import { NodeSearchers } from '../../src/cli/threads/nodeSearchers.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { openRecordingFile } from '../../src/host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/machine/engineOptions.js';
import type { Searcher } from '../../src/replay/timeline/parallel/searchers.js';
import { CHUNK } from '../../src/replay/format/chunks.js';
import { at } from '../../src/replay/log/position.js';
import { openRecording } from '../../src/replay/recordingFile/openRecording.js';
import { type Condition, type MemoryRange, memoryRange } from '../../src/replay/timeline/conditions.js';
import { StateHasher } from '../../src/replay/timeline/stateHash.js';
import { Timeline, type TimelineOptions } from '../../src/replay/timeline/timeline.js';
import { Cancelled } from '../../src/replay/timeline/work.js';
import { culprit, ROOT } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';

const SCRIPT = `${ROOT}dist/searchThread.cjs`;
const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
/** Short programs, cut into very many pieces. */
const PARALLEL = { worthIt: 1000, smallestPiece: 10_000, aloneAtFirst: 2000 };
const THREADS = 2;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parallel-'));

afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The first instructions of main, what its output goes through, and whatever else there is to stop at. */
function conditionsFor(program: string): Condition[] {
  const { symbols } = new ElfFile(program, new Uint8Array(fs.readFileSync(program)));
  const range = (name: string): MemoryRange => {
    const symbol = symbols.find(name);
    return memoryRange(guestAddr(symbol?.address ?? 0), symbol?.size ?? 0);
  };
  const main = range('main');
  return [
    { kind: 'address', addresses: Array.from({ length: 100 }, (_, i) => guestAddr(main.start + i)) },
    { kind: 'memory', access: 'write', ranges: [range('_IO_2_1_stdout_')] },
    { kind: 'syscall' },
    { kind: 'switch' },
  ];
}

function open(file: string): [TimelineOptions, CountedSearchers] {
  const { reader, fd } = openRecordingFile(file);
  const recording = openRecording(reader, file);
  const options = { ...recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: recording.header.startSeconds, checkpointInterval: 20_011 };
  return [options, new CountedSearchers({ fd, name: file }, THREADS, SCRIPT)];
}

/** Knows how much the threads had to do. */
class CountedSearchers extends NodeSearchers {
  jobs = 0;

  override get all(): readonly Searcher[] {
    return super.all.map((one) => ({ search: (job) => (this.jobs++, one.search(job)), giveUp: () => one.giveUp(), done: one.done }));
  }
}

describe.each(process.env['CULPRIT_LONG'] === '1' ? ['timeTravel.c', 'sharedLocks.c'] : ['timeTravel.c'])('%s', (source) => {
  let options: TimelineOptions;
  let file: string;
  let searchers: CountedSearchers;
  let conditions: Condition[];
  const hasher = new StateHasher();

  beforeAll(async () => {
    const program = await buildProgram(source, VARIANT);
    file = path.join(folder, `${source}.culprit`);
    expect(culprit(['record', '--schedule-seed', '4', '-o', file, program], { cwd: folder }).status).toBe(0);
    [options, searchers] = open(file);
    conditions = conditionsFor(program);
  });

  afterAll(() => searchers.close());

  it('everything, in order', async () => {
    const expected = await new Timeline(options).all(conditions);
    expect(expected.length).toBeGreaterThan(100);
    const timeline = new Timeline({ ...options, searchers, parallel: PARALLEL });
    const told: number[] = [];
    const work = { progress: (done: number, total: number) => void told.push(done / total) };
    // First while it is played for the first time, then from checkpoints.
    expect(await timeline.all(conditions, at(0), at(timeline.endTime), work)).toEqual(expected);
    expect(Math.max(...told)).toBeGreaterThan(0);
    expect(Math.max(...told)).toBeLessThanOrEqual(1);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(timeline.position.time).toBe(0);
    expect(searchers.jobs).toBeGreaterThan(THREADS);
    expect(await timeline.all(conditions)).toEqual(expected);
    const seen: number[] = [];
    await timeline.each(conditions, ({ position }) => (seen.push(position.time) < 7 ? 'go on' : 'stop'));
    expect(seen).toEqual(expected.slice(0, 7).map(({ position }) => position.time));
  });

  it('the last one, the first one, and none', async () => {
    const [alone, together] = [new Timeline(options), new Timeline({ ...options, searchers, parallel: PARALLEL })];
    const early = time(Math.floor(alone.endTime / 9));
    const rare: Condition[] = [{ kind: 'syscall', numbers: [231] }, { kind: 'time', time: early }];
    for (const timeline of [alone, together]) await timeline.seek(at(timeline.endTime - 100));
    for (const wanted of [conditions.slice(1, 2), rare]) {
      const expected = await alone.backward(wanted);
      expect(expected).toBeDefined();
      expect(await together.backward(wanted)).toEqual(expected);
      expect(hasher.hash(together.player.world)).toBe(hasher.hash(alone.player.world));
      expect(await together.forward(rare)).toEqual(await alone.forward(rare));
    }
    await together.seek(at(together.endTime));
    expect(await together.backward([{ kind: 'address', addresses: [guestAddr(0x1234)] }])).toBeUndefined();
    expect(together.position.time).toBe(0);
  });

  it.each([['alone', false], ['together', true]])('tells of no search that less is done than before: %s', async (_, isHelped) => {
    const timeline = new Timeline({ ...options, ...(isHelped ? { searchers, parallel: PARALLEL } : {}) });
    const searches: ((work: { progress(done: number, total: number): void }) => Promise<unknown>)[] = [
      async (work) => timeline.seekEnd(work),
      // Nothing is found, so that all of it is gone through: by one for a while, then by several.
      async (work) => timeline.backward([{ kind: 'address', addresses: [guestAddr(0x1234)] }], work),
      async (work) => timeline.forward([{ kind: 'address', addresses: [guestAddr(0x1234)] }], work),
      async (work) => timeline.lastWrite([memoryRange(guestAddr(0x1000), 8)], at(timeline.endTime), work),
      async (work) => timeline.all(conditions, at(0), at(timeline.endTime), work),
    ];
    for (const search of searches) {
      const told: number[] = [];
      await search({ progress: (done, total) => void told.push(done / total) });
      expect(told.length).toBeGreaterThan(1);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
    }
  });

  it('everything from stored checkpoints, of which some are damaged', async () => {
    const rest = conditions.slice(1);
    const expected = await new Timeline(options).all(rest);
    const stored = path.join(folder, 'stored.culprit');
    fs.copyFileSync(file, stored);
    expect(culprit(['checkpoint', '--every', '9,001', stored]).status).toBe(0);
    const chunks = openRecordingFile(stored).reader.chunks.filter(({ kind }) => kind === CHUNK.CHECKPOINT);
    const bytes = fs.readFileSync(stored);
    for (const { where } of chunks.filter((_, i) => i % 2 === 1)) bytes.fill(0x55, where.offset + 64, where.offset + 64 + where.storedLength);
    fs.writeFileSync(stored, bytes);
    const [withStored, others] = open(stored);
    expect(withStored.stored?.times.length).toBeGreaterThan(5);
    const timeline = new Timeline({ ...withStored, searchers: others, parallel: PARALLEL });
    expect(await timeline.all(rest)).toEqual(expected);
    expect(others.jobs).toBeGreaterThan(THREADS);
    await others.close();
  });

  it('can be given up', async () => {
    const timeline = new Timeline({ ...options, searchers, parallel: PARALLEL });
    let asked = 0;
    await expect(timeline.all(conditions, at(0), at(timeline.endTime), { isCancelled: () => ++asked > 3 })).rejects.toThrow(Cancelled);
    expect(timeline.position.time).toBe(0);
    const rest = conditions.slice(2);
    expect(await timeline.all(rest)).toEqual(await new Timeline(options).all(rest));
  });
});
