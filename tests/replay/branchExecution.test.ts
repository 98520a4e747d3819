/**
 * What-if branches as executions: gone through in both directions, altered anywhere, and the same whenever they are
 * run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuestAddr, guestAddr, time } from '../../src/base/types.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { Alteration } from '../../src/replay/branch/alterations.js';
import type { Branch } from '../../src/replay/branch/branch.js';
import { compareStates, stateOf } from '../../src/replay/branch/compareStates.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import type { PlainAlteration, RecordedBranch } from '../../src/replay/branch/recordedBranch.js';
import { at } from '../../src/replay/log/position.js';
import { type Condition, memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { type Recorded, record } from './recorded.js';
import { hashesOf, inventory } from './unharmed.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const LONG = process.env['CULPRIT_LONG'] === '1';
const HOST = new NodeHost();
const CORE = buildCoreModule();

interface Subject extends Recorded {
  readonly timeline: Timeline;
  readonly branches: TimelineBranches;
}

let folder: string;
let program: string;
let addresses: (name: string) => GuestAddr;

async function subject(kind: string): Promise<Subject> {
  const run = await record([program, folder, kind], { scheduleSeed: kind === 'threads' ? 3 : 0, engine: { coreModule: CORE } });
  const timeline = new Timeline(run.options);
  return { ...run, timeline, branches: new TimelineBranches(timeline, run.options, HOST) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'branchExecution-'));
  writeFileSync(join(folder, 'input'), 'some bytes to add up'.repeat(10));
  writeFileSync(join(folder, 'victim'), 'as it was');
  program = await buildProgram('choices.c', VARIANT);
  const { symbols } = new ElfFile(program, new Uint8Array(readFileSync(program)));
  addresses = (name) => guestAddr(symbols.find(name)?.address ?? Number.NaN);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

function outputOf(branch: RecordedBranch): string {
  return branch.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

function int32(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

describe('a branch as an execution', () => {
  it('does what was recorded, if nothing is altered', async () => {
    for (const kind of LONG ? ['plain', 'threads', 'crash'] : ['threads', 'crash']) {
      const run = await subject(kind);
      const branch = await run.branches.branchAt(at(1000));
      expect(branch.position).toEqual(at(1000));
      const conditions: Condition[] = [{ kind: 'syscall' }, { kind: 'switch' }, { kind: 'signal' }];
      const expected = await run.timeline.all(conditions, at(1000));
      await branch.seekEnd();
      expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: run.status.kind } });
      const found: unknown[] = [];
      await branch.each(conditions, (hit) => (found.push(hit), 'go on'), at(1000));
      expect(found).toEqual(expected);
      await branch.seek(at(branch.endTime));
      expect(outputOf(branch)).toBe(run.output);
      branch.drop();
    }
  });

  it('goes another way, and can be gone back', async () => {
    for (const kind of LONG ? ['plain', 'threads'] : ['threads']) {
      const run = await subject(kind);
      const start = at(Math.floor(run.instructions / 2));
      const branch = await run.branches.branchAt(start);
      const thread = branch.state.current!.id;
      await branch.writeMemory(thread, addresses('choice'), int32(0));
      expect([...branch.state.read(thread, addresses('choice'), 4)!]).toEqual([0, 0, 0, 0]);
      const conditions: Condition[] = [{ kind: 'syscall' }, { kind: 'switch' }, writesToTotal()];
      const hits = [];
      for (let hit = await branch.forward(conditions); hit !== undefined; hit = await branch.forward(conditions)) hits.push(hit);
      expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
      expect(outputOf(branch)).toMatch(/right\ninput is gone: -1\nsecond \d+\n$/);
      expect(branch.departure?.time).toBeGreaterThan(start.time);
      const back = [];
      for (let hit = await branch.backward(conditions); hit !== undefined; hit = await branch.backward(conditions)) back.push(hit);
      expect(back.length).toBeGreaterThan(3);
      expect(back.map(({ position }) => position).reverse()).toEqual(hits.map(({ position }) => position));
      expect(branch.position.time).toBe(start.time);
      branch.drop();
    }
  });
});

function work(rounds: number): bigint {
  let sum = 0n;
  for (let i = 0n; i < rounds; i++) sum += (i % 7n) * (sum & 3n);
  return sum;
}

describe('in the middle of a branch', () => {
  let run: Subject;
  beforeAll(async () => void (run = await subject('plain')), 60_000);

  it('functions are called, and jumps flipped', async () => {
    const branch = await run.branches.branchAt(at(Math.floor(run.instructions / 3)));
    const thread = branch.state.current!.id;
    const registers = (): (bigint | undefined)[] => ['rip', 'rsp', 'rdi', 'eflags', 'xmm0', 'st0'].map((name) => branch.state.register(thread, name));
    for (const [name, value] of [['xmm0', 1n << 100n], ['st0', 0x3fff_8000_0000_0000_0000n], ['eflags', 0x246n]] as const) {
      await branch.setRegister(thread, name, value);
      expect(branch.state.register(thread, name)).toBe(value);
    }
    const before = registers();
    expect(await branch.callFunction({ thread, address: addresses('work'), arguments: [100n] })).toBe(work(100));
    expect(registers()).toEqual(before);
    const { time } = branch.position;
    await branch.flip();
    expect(branch.position.time).toBeGreaterThan(time);
    expect((await branch.lastWrite([memoryRange(addresses('total'), 8)]))?.position).toBeUndefined();
    branch.drop();
  });

  it('it can be altered again, and what came after is forgotten; a fork does not notice', async () => {
    const branch = await run.branches.branchAt(at(Math.floor(run.instructions / 2)));
    const thread = branch.state.current!.id;
    await branch.writeMemory(thread, addresses('choice'), int32(0));
    await branch.seekEnd();
    const [output, end] = [outputOf(branch), branch.position];
    const place = at(Math.floor((branch.start.time + end.time) / 2));
    await branch.seek(place);
    const fork = await branch.fork();
    await fork.seekEnd();
    expect([outputOf(fork), fork.position]).toEqual([output, end]);
    await branch.setRegister(thread, 'rip', 0n);
    expect(branch.position.time).toBe(place.time);
    await branch.seekEnd();
    expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: 'signaled', signal: 11 } });
    expect(branch.position.time).toBe(place.time);
    // Before the first alteration everything is as recorded.
    expect(await branch.backward([])).toBeUndefined();
    expect([...branch.state.read(thread, addresses('choice'), 4)!]).toEqual([1, 0, 0, 0]);
    await branch.writeMemory(thread, addresses('total'), int32(5));
    await branch.seekEnd();
    expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
    expect(outputOf(branch)).toMatch(/left\n/);
    expect(outputOf(fork)).toBe(output);
    branch.drop();
    fork.drop();
  });

  it('a search back through one that is over after a few instructions comes to its beginning', async () => {
    const branch = await run.branches.branchAt(at(0));
    await branch.seek(at(3));
    await branch.setRegister(branch.state.current!.id, 'rsp', 0x735e_0000_0000_0029n);
    await branch.seekEnd();
    expect(branch.endTime).toBeLessThan(100);
    expect(await branch.backward([{ kind: 'signal', signals: [63] }])).toBeUndefined();
    branch.drop();
  });

  it('one that runs for ever can be given up', async () => {
    const branch = await run.branches.branchAt(at(1000));
    const thread = branch.state.current!.id;
    await branch.writeMemory(thread, Number(branch.state.register(thread, 'rip')), Uint8Array.of(0xeb, 0xfe));
    let asked = 0;
    await expect(branch.forward([{ kind: 'syscall' }], { isCancelled: () => ++asked > 20 })).rejects.toThrow('cancelled');
    expect(branch.position).toEqual(at(1000));
    expect(branch.endTime).toBeGreaterThan(1000);
    await branch.seek(at(60_000));
    expect(branch.end).toBeUndefined();
    branch.drop();
  });
});

const register = fc.constantFrom('rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rsp', 'rbp', 'r8', 'r12', 'r15', 'rip', 'eflags', 'xmm3');
const alteration = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), name: register, value: fc.oneof(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })) }),
  fc.record({ kind: fc.constant('memory' as const), place: fc.constantFrom('choice', 'total', 'work', 'main'), offset: fc.nat(64), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constant('skip' as const) }),
);
const step = fc.record({ run: fc.oneof(fc.nat(3), fc.nat(3000), fc.nat(30_000)), alteration });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function given(one: Step['alteration'], thread: number): PlainAlteration {
  return one.kind === 'memory' ? { kind: 'memory', thread, address: addresses(one.place) + one.offset, bytes: one.bytes } : { ...one, thread };
}

/** Does the same to both; whether that was possible. */
async function alterBoth(branch: RecordedBranch, plain: Branch, change: Step['alteration']): Promise<boolean> {
  const thread = branch.state.current?.id ?? 0;
  const refused = (error: unknown): string => {
    expect(String(error)).toMatch(/no instruction|nothing is mapped|has ended|no thread/);
    return 'refused';
  };
  const outcomes = [await branch.alter(given(change, thread)).catch(refused), await plain.alter(given(change, thread) as Alteration).catch(refused)];
  return outcomes[0] === outcomes[1];
}

function writesToTotal(): Condition {
  return { kind: 'memory', access: 'write', ranges: [memoryRange(addresses('total'), 8)] };
}

/** One after the other, in both directions. */
async function walk(branch: RecordedBranch, conditions: readonly Condition[], end: number): Promise<void> {
  const start = branch.position;
  // It would run for ever, if the program does.
  if (start.time >= end) return;
  const forward: string[] = [];
  const orEnd: readonly Condition[] = [...conditions, { kind: 'time', time: time(end) }];
  for (let hit = await branch.forward(orEnd); hit !== undefined && hit.position.time < end && forward.length < 12; ) {
    forward.push(JSON.stringify(hit.position));
    hit = await branch.forward(orEnd);
  }
  const back: string[] = [];
  for (let hit = await branch.backward(conditions); hit !== undefined && (hit.position.time > start.time || hit.position.done > start.done); hit = await branch.backward(conditions)) {
    back.push(JSON.stringify(hit.position));
  }
  // Several hits may be at one place; going back one stops there once, too. The last one may be where the walk began.
  const met = back.reverse();
  for (const position of forward) expect(met).toContain(position);
  for (const position of met) expect([...forward, JSON.stringify(branch.position)]).toContain(position);
}

describe('any branch', () => {
  it('is what it would be without a reader, and harms no other execution', async () => {
    const subjects = await Promise.all((LONG ? ['plain', 'threads', 'processes', 'shared', 'crash'] : ['threads', 'shared']).map(subject));
    const hashes = await Promise.all(subjects.map(hashesOf));
    const before = inventory(folder);
    await fc.assert(
      fc.asyncProperty(fc.nat(subjects.length - 1), fc.double({ min: 0, max: 0.99, noNaN: true }), fc.array(step, { minLength: 1, maxLength: 3 }), fc.nat(20_000), async (which, part, steps, rest) => {
        const { branches, instructions } = subjects[which]!;
        const start = at(Math.floor(instructions * part));
        const [branch, plain] = [await branches.branchAt(start), await branches.at(start)];
        try {
          for (const { run, alteration: change } of steps) {
            const target = plain.time + run;
            await plain.run(run);
            await branch.seek(at(plain.time)).catch((error: unknown) => expect([String(error), target]).toEqual([]));
            if (!(await alterBoth(branch, plain, change))) return;
          }
          const altered = branch.position;
          const stop = await plain.run(rest);
          await branch.seek(at(plain.time));
          if (stop.kind === 'reached') {
            const { registers, memory } = compareStates(plain.state, stateOf(branch.world));
            expect({ registers, memory }).toEqual({ registers: [], memory: [] });
          }
          expect(outputOf(branch)).toBe(plain.output.map(({ bytes }) => Buffer.from(bytes).toString()).join(''));
          await branch.seek(altered);
          const asked: Condition[] = [{ kind: 'syscall' }, { kind: 'switch' }, { kind: 'signal' }, writesToTotal()];
          await walk(branch, asked, plain.time);
        } finally {
          branch.drop();
          plain.drop();
        }
      }),
      { numRuns: LONG ? 50 : 4 },
    );
    expect(await Promise.all(subjects.map(hashesOf))).toEqual(hashes);
    expect(inventory(folder)).toEqual(before);
  }, LONG ? 3_600_000 : 120_000);
});
