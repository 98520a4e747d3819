/** Searches in both directions find the same, and what really happened. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import type { ElfSymbols } from '../../src/elf/elfSymbols.js';
import { at, comparePositions } from '../../src/replay/log/position.js';
import { type Condition, type Hit, type MemoryRange, memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { Cancelled } from '../../src/replay/timeline/work.js';
import { buildProgram } from '../programs/build.js';
import { hashPlayer, type Recorded, record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const SYS_READ = 0;

let run: Recorded;
let symbols: ElfSymbols;

beforeAll(async () => {
  const path = await buildProgram('timeTravel.c', VARIANT);
  // Threads meet each other in the middle of things.
  run = await record([path], { scheduleSeed: 5 });
  symbols = new ElfFile(path, new Uint8Array(readFileSync(path))).symbols;
});

function rangeOf(name: string): MemoryRange {
  const symbol = symbols.find(name);
  if (symbol === undefined) throw new Error(`no ${name}`);
  return memoryRange(guestAddr(symbol.address), symbol.size);
}

function brief(hits: readonly Hit[]): string[] {
  return hits.map(({ position, conditions, rip, access }) => `${position.time}/${position.done} ${conditions.join()} ${rip.toString(16)} ${access?.address ?? ''} ${access?.by ?? ''}`);
}

describe('searches', () => {
  it('find every change of a variable', async () => {
    const timeline = new Timeline(run.options);
    const victim = rangeOf('victim');
    const hits = await timeline.all([{ kind: 'memory', access: 'write', ranges: [victim] }]);
    const writers = new Set(hits.map(({ position }) => position.time));
    expect(hits.some(({ access }) => access?.by === 'kernel')).toBe(true);
    // Brute force: what the variable is after every instruction, in the parts around the hits.
    for (const hit of hits) {
      const time = hit.position.time;
      await timeline.seek(at(Math.max(0, time - 60)));
      let before = valueAt(timeline, victim.start);
      for (let t = timeline.position.time; t < Math.min(time + 60, run.instructions - 1); t++) {
        await timeline.seek(at(t + 1));
        const after = valueAt(timeline, victim.start);
        if (after !== before) expect(writers, `changed by the instruction at time ${t}`).toContain(t);
        before = after;
      }
    }
  });

  it('find who wrote last', async () => {
    const timeline = new Timeline(run.options);
    const victim = rangeOf('victim');
    const hits = await timeline.all([{ kind: 'memory', access: 'write', ranges: [victim] }]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: run.instructions }), async (time) => {
        const last = await timeline.lastWrite([victim], at(time));
        expect(last === undefined ? [] : brief([last])).toEqual(brief(hits.filter(({ position }) => comparePositions(position, at(time)) < 0).slice(-1)));
      }),
      { numRuns: 15 },
    );
  });

  it('go on in the program that a process becomes', async () => {
    const path = await buildProgram('executesItself.c', VARIANT);
    const { options } = await record([path]);
    const elf = new ElfFile(path, new Uint8Array(readFileSync(path)));
    const marked = guestAddr(elf.symbols.find('marked')?.address ?? 0);
    const condition: Condition = { kind: 'memory', access: 'write', ranges: [memoryRange(marked, 4)] };
    const byProgram = (hits: readonly Hit[]): string[] => brief(hits.filter(({ access }) => access?.by === 'program'));
    const timeline = new Timeline(options);
    const hits = await timeline.all([condition]);
    expect(byProgram(hits)).toHaveLength(3);
    await timeline.seek(at(timeline.endTime));
    const back: Hit[] = [];
    for (let hit = await timeline.backward([condition]); hit !== undefined; hit = await timeline.backward([condition])) back.unshift(hit);
    expect(byProgram(back)).toEqual(byProgram(hits));
  });

  const conditions: readonly (readonly [string, () => Condition[]])[] = [
    ['a function', () => [{ kind: 'address', addresses: [rangeOf('step').start] }]],
    ['reads and writes', () => [{ kind: 'memory', access: 'access', ranges: [rangeOf('buffer'), rangeOf('victim')] }]],
    ['a system call', () => [{ kind: 'syscall', numbers: [SYS_READ] }]],
    ['any system call or switch', () => [{ kind: 'syscall' }, { kind: 'switch' }]],
    ['a mixture', () => [{ kind: 'memory', access: 'write', ranges: [rangeOf('victim')] }, { kind: 'address', addresses: [rangeOf('other').start, rangeOf('main').start] }, { kind: 'syscall' }]],
  ];

  it.each(conditions)('find backward what they find forward: %s', async (_name, make) => {
    const all = await new Timeline(run.options).all(make());
    // Searches go from checkpoint to checkpoint: many of them, and nothing may be lost between two.
    const timeline = new Timeline({ ...run.options, checkpointInterval: 997 });
    expect(all.length).toBeGreaterThan(0);
    const forward: Hit[] = [];
    for (let hit = await timeline.forward(make()); hit !== undefined && forward.length < 30; hit = await timeline.forward(make())) {
      expect(comparePositions(timeline.position, hit.position)).toBe(0);
      forward.push(hit);
    }
    expect(brief(forward)).toEqual(brief(distinct(all).slice(0, forward.length)));
    await timeline.seek(at(run.instructions));
    const backward: Hit[] = [];
    for (let hit = await timeline.backward(make()); hit !== undefined && backward.length < 30; hit = await timeline.backward(make())) backward.push(hit);
    expect(backward.map(({ position }) => position)).toEqual(distinct(all).map(({ position }) => position).reverse().slice(0, backward.length));
  });

  it('report each thing once, with all that it was asked for', async () => {
    const timeline = new Timeline(run.options);
    const [victim, { start }] = [rangeOf('victim'), rangeOf('step')];
    const part = memoryRange(victim.start, 1);
    const one: Condition[] = [{ kind: 'memory', access: 'write', ranges: [victim] }];
    const conditions: Condition[] = [
      { kind: 'memory', access: 'access', ranges: [victim] },
      { kind: 'address', addresses: [start, guestAddr(start + 1)] },
      ...one, { kind: 'memory', access: 'write', ranges: [part] },
      { kind: 'address', addresses: [start] }, { kind: 'syscall' }, { kind: 'syscall', numbers: [SYS_READ] },
    ];
    const hits = await timeline.all(conditions);
    const whole = await timeline.all(one);
    expect(hits.filter(({ conditions: met }) => met.includes(2)).map(({ position }) => position)).toEqual(whole.map(({ position }) => position));
    expect(new Set(hits.map(({ conditions: met }) => met.join()))).toEqual(new Set(['0', '0,2,3', '1,4', '5', '5,6']));
    expect(hits.filter(({ kind }) => kind === 'address')).toHaveLength(200);
  });

  it('stop where functions begin and end', async () => {
    const timeline = new Timeline(run.options);
    const { start, end } = rangeOf('step');
    const hits = await timeline.all([{ kind: 'address', addresses: [start] }, timeline.functionExits({ start, end })]);
    expect(hits.map(({ conditions: met }) => met)).toEqual(Array.from({ length: 400 }, (_, i) => [i % 2]));
    const [entry, exit] = hits as [Hit, Hit];
    const before = await timeline.stateAt(entry.position);
    const stack = before.register(entry.task, 'rsp');
    expect(before.register(entry.task, 'rip')).toBe(BigInt(start));
    expect(before.register(entry.task, 'rdi')).toBe(0n);
    const after = await timeline.stateAt(exit.position);
    expect(after.register(exit.task, 'rsp')).toBe(stack);
    expect(after.threads).toEqual([{ id: entry.task, tid: 20_000, pid: 20_000, name: 'timeTravel' }]);
  });

  it('can be given up, and everything is as before', async () => {
    const timeline = new Timeline(run.options);
    await timeline.seek(at(Math.floor(run.instructions / 2)));
    const before = hashPlayer(timeline.player);
    const nowhere: Condition = { kind: 'address', addresses: [guestAddr(0x1234)] };
    await expect(timeline.backward([nowhere], { isCancelled: () => true })).rejects.toThrow(Cancelled);
    expect(hashPlayer(timeline.player)).toBe(before);
  });

  it('know their limits', async () => {
    const timeline = new Timeline(run.options);
    await expect(timeline.seek(at(run.instructions + 1))).rejects.toThrow(`no such time: ${run.instructions + 1}`);
    await timeline.seekEnd();
    expect(timeline.position.time).toBe(run.instructions);
    expect(timeline.player.task).toBeDefined();
  });
});

function valueAt(timeline: Timeline, address: number): number {
  const bytes = timeline.player.space?.machine.space.peek(address, 4);
  return bytes === undefined || bytes === null ? NaN : new DataView(bytes.buffer).getInt32(0, true);
}

/** One for each position: that is where a search stops. */
function distinct(hits: readonly Hit[]): Hit[] {
  return hits.filter((hit, i) => i === 0 || comparePositions(hit.position, (hits[i - 1] as Hit).position) !== 0);
}
