/** What-if branches: what becomes of them, and that nothing becomes of anything else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuestAddr, guestAddr } from '../../src/base/types.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { RSI } from '../../src/layout/cpuState.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import type { AddressSpace } from '../../src/machine/addressSpace.js';
import type { Alteration } from '../../src/replay/branch/alterations.js';
import type { Branch } from '../../src/replay/branch/branch.js';
import { compareStates, stateOf } from '../../src/replay/branch/compareStates.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { Player } from '../../src/replay/play/player.js';
import { at, type Position } from '../../src/replay/log/position.js';
import { memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { type Recorded, record } from './recorded.js';
import { hashesOf, inventory } from './unharmed.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const SYS_WRITE = 1;
const HOST = new NodeHost();
const CORE = buildCoreModule();

interface Subject extends Recorded {
  readonly timeline: Timeline;
  readonly branches: TimelineBranches;
}

let folder: string;
let program: string;
let addresses: (name: string) => GuestAddr;
let plain: Subject;
let threaded: Subject;
let crashed: Subject;

async function subject(kind: string): Promise<Subject> {
  const run = await record([program, folder, kind], { scheduleSeed: kind === 'threads' ? 3 : 0, engine: { coreModule: CORE } });
  const timeline = new Timeline(run.options);
  return { ...run, timeline, branches: new TimelineBranches(timeline, run.options, HOST) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'branches-'));
  writeFileSync(join(folder, 'input'), 'some bytes to add up'.repeat(10));
  writeFileSync(join(folder, 'victim'), 'as it was');
  program = await buildProgram('choices.c', VARIANT);
  const { symbols } = new ElfFile(program, new Uint8Array(readFileSync(program)));
  addresses = (name) => guestAddr(symbols.find(name)?.address ?? Number.NaN);
  plain = await subject('plain');
  threaded = await subject('threads');
  crashed = await subject('crash');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

function outputOf(branch: Branch): string {
  return branch.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

function int32(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

describe('a branch without an alteration', () => {
  it('does what was recorded', async () => {
    for (const run of [plain, threaded, crashed]) {
      const branch = await run.branches.at(at(0));
      expect(await branch.run()).toMatchObject({ kind: 'ended', status: { kind: run.status.kind } });
      expect([outputOf(branch), branch.time, branch.isFollowing]).toEqual([run.output, run.instructions, true]);
      branch.drop();
    }
  });

  it('does the same if it leaves the recording', async () => {
    for (const run of [plain, threaded]) {
      for (const part of [0, 0.5, 0.95]) {
        const branch = await run.branches.at(at(Math.floor(run.instructions * part)));
        branch.leaveAtNextCall();
        const stop = await branch.run();
        expect(stop, `from ${part}`).toEqual({ kind: 'ended', status: run.status });
        expect(branch.isFollowing).toBe(false);
        expect(run.output.endsWith(outputOf(branch)), `${JSON.stringify(outputOf(branch))} from ${part}`).toBe(true);
        if (run === plain) expect(branch.time).toBe(run.instructions);
        expect(branch.warnings).toEqual([]);
        branch.drop();
      }
    }
  });

  it.each(['processes', 'sockets'])('does so with several %s, in the middle of everything', async (kind) => {
    const run = await subject(kind);
    for (let part = 0.3; part < 1; part += 0.13) {
      const branch = await run.branches.at(at(Math.floor(run.instructions * part)));
      branch.leaveAtNextCall();
      const stop = await branch.run();
      expect(stop, `from ${part}`).toEqual({ kind: 'ended', status: run.status });
      expect(run.output.endsWith(outputOf(branch)), `${JSON.stringify(outputOf(branch))} from ${part}`).toBe(true);
      branch.drop();
    }
  });

  it('finds files as they were when it left', async () => {
    const run = await subject('log');
    expect(run.output).toMatch(/made 0 0\nsize \d+\n/);
    for (const part of [0.1, 0.7, 0.9]) {
      const before = inventory(folder);
      const branch = await run.branches.at(at(Math.floor(run.instructions * part)));
      branch.leaveAtNextCall();
      await branch.run();
      expect(run.output.endsWith(outputOf(branch)), `${JSON.stringify(outputOf(branch))} from ${part}`).toBe(true);
      expect([branch.time, branch.warnings]).toEqual([run.instructions, []]);
      expect(inventory(folder)).toEqual(before);
      branch.drop();
    }
    for (const made of ['log', 'made']) rmSync(join(folder, made), { recursive: true });
  });

  it('stops where it is asked to', async () => {
    const branch = await plain.branches.at(at(1000));
    for (let i = 0; i < 5; i++) {
      expect(await branch.run(777)).toEqual({ kind: 'reached' });
      expect(branch.time).toBe(1000 + 777 * (i + 1));
    }
    await plain.timeline.seek(at(branch.time));
    expect(compareStates(branch.state, stateOf(plain.timeline.player.world))).toEqual({ registers: [], memory: [], onlyInFirst: [], onlyInSecond: [] });
  });
});

describe('an altered branch', () => {
  it('goes the other way, and changes files that no other program sees', async () => {
    const before = inventory(folder);
    const branch = await plain.branches.at(at(Math.floor(plain.instructions / 2)));
    await branch.alter({ kind: 'memory', address: addresses('choice'), bytes: int32(0) });
    expect(await branch.run()).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
    expect(outputOf(branch)).toMatch(/^first \d+\nright\ninput is gone: -1\nsecond \d+\n$/);
    expect(branch.departure?.why).toMatch(/write is about other bytes|another argument/);
    expect(inventory(folder)).toEqual(before);
  });

  it('follows the recording as long as it asks the same', async () => {
    const branch = await plain.branches.at(at(0));
    // Takes longer, and comes to the same.
    await branch.alter({ kind: 'memory', address: addresses('threads'), bytes: int32(5) });
    expect(await branch.run()).toMatchObject({ kind: 'ended' });
    expect([outputOf(branch), branch.isFollowing]).toEqual([plain.output, true]);
  });

  it('goes on after an instruction that crashed', async () => {
    expect(crashed.status).toMatchObject({ kind: 'signaled', signal: 11 });
    await crashed.timeline.seekEnd();
    const branch = await crashed.branches.at(crashed.timeline.position);
    await branch.alter({ kind: 'skip' });
    expect(await branch.run()).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
    expect(outputOf(branch)).toMatch(/^left\nsecond \d+\n$/);
  });

  it('takes the other way at a jump', async () => {
    const choice = memoryRange(addresses('choice'), 4);
    const [hit] = await plain.timeline.all([{ kind: 'memory', access: 'read', ranges: [choice] }]);
    const branch = await plain.branches.at(hit!.position);
    await branch.alter({ kind: 'flip' });
    await branch.run();
    expect(outputOf(branch)).toMatch(/^right\n/);
  });

  it('can be branched and compared', async () => {
    const first = await plain.branches.at(at(Math.floor(plain.instructions / 2)));
    await first.alter({ kind: 'register', name: 'r15', value: 0x1234n });
    await first.run(500);
    const second = await first.fork();
    expect(compareStates(first.state, second.state)).toEqual({ registers: [], memory: [], onlyInFirst: [], onlyInSecond: [] });
    const address = addresses('total');
    await second.alter({ kind: 'memory', address, bytes: Uint8Array.of(0xaa, 0xbb) });
    await second.alter({ kind: 'register', name: 'r14', value: 7n });
    const { registers, memory } = compareStates(first.state, second.state);
    expect(registers).toMatchObject([{ register: 'r14', values: [expect.anything(), 7n] }]);
    expect(memory).toEqual([{ space: 'space 1', start: address, end: address + 2, kind: 'changed' }]);
    await second.alter({ kind: 'memory', address: addresses('choice'), bytes: int32(0) });
    await second.run();
    const third = await second.fork();
    expect([third.time, outputOf(third)]).toEqual([second.time, outputOf(second)]);
    await first.run();
    expect([outputOf(first), first.time]).toEqual([plain.output.slice(plain.output.length - outputOf(first).length), plain.instructions]);
    second.drop();
    await expect(second.run()).rejects.toThrow('dropped');
  });

  it('says what it cannot do', async () => {
    const branch = await plain.branches.at(at(10));
    await expect(branch.alter({ kind: 'register', name: 'nonsense', value: 0n })).rejects.toThrow('no register is called nonsense');
    await expect(branch.alter({ kind: 'memory', address: 16, bytes: int32(0) })).rejects.toThrow('nothing is mapped at 0x10');
  });
});

describe('replay', () => {
  it('notices that a system call is about other bytes', async () => {
    const player = new Player(plain.options);
    const [write] = await plain.timeline.all([{ kind: 'syscall', numbers: [SYS_WRITE] }]);
    player.advance(write!.position.time, write!.position.done);
    player.space?.machine.space.poke(player.space.machine.cpu.num(RSI), Uint8Array.of(0x21));
    expect(() => player.advance(plain.instructions)).toThrow(/in the \d+ bytes at 0x[0-9a-f]+ that the system call read recorded "first \d+\\n", found "!irst \d+\\n"/);
  });
});

function expectSame(branch: Branch, copy: Branch): void {
  expect([copy.time, outputOf(copy)]).toEqual([branch.time, outputOf(branch)]);
  expect(compareStates(branch.state, copy.state)).toEqual({ registers: [], memory: [], onlyInFirst: [], onlyInSecond: [] });
  copy.drop();
}

const register = fc.constantFrom('rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rsp', 'rbp', 'r8', 'r12', 'r15', 'rip');
const alteration = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), name: register, value: fc.oneof(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })) }),
  fc.record({ kind: fc.constant('memory' as const), place: fc.constantFrom('choice', 'total', 'work', 'main'), offset: fc.nat(64), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constantFrom('skip' as const, 'flip' as const) }),
);

describe('the original', () => {
  it('has its own shared memory', async () => {
    const run = await subject('shared');
    const parts = [0.75, 0.8, 0.85, 0.95];
    const place = (part: number): Position => at(Math.floor(run.instructions * part));
    const pointerIn = (space: AddressSpace): number => Number(new DataView(space.peek(addresses('shared'), 8)!.buffer).getBigUint64(0, true));
    const { player } = run.timeline;
    const count = (part: number): number => {
      player.advance(place(part).time);
      const { space } = player.space!.machine;
      const bytes = space.peek(pointerIn(space), 4);
      return bytes === null ? -1 : new DataView(bytes.buffer).getInt32(0, true);
    };
    const before = parts.map(count);
    expect(before.at(-1)).toBe(505);
    await run.timeline.seek(place(0.7));
    const after = [count(0.75)];
    // The player goes on where it stands: nothing is restored meanwhile.
    for (const part of parts.slice(0, -1)) {
      const branch = await run.branches.at(place(part));
      const address = pointerIn(branch.space);
      if (address !== 0) await branch.alter({ kind: 'memory', address: address + 4096, bytes: int32(5000) });
      await branch.run();
      if (address !== 0 && part < 0.88) expect(Number(/shared (\d+)/.exec(outputOf(branch))?.[1] ?? 5000)).toBeGreaterThanOrEqual(5000);
      branch.drop();
      after.push(count(parts[parts.indexOf(part) + 1]!));
    }
    expect(after).toEqual(before);
  });

  it('is the same after 50 random alterations', async () => {
    const before = inventory(folder);
    const hashes = [await hashesOf(plain), await hashesOf(threaded)];
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.double({ min: 0, max: 0.99, noNaN: true }), fc.array(alteration, { minLength: 1, maxLength: 3 }), async (many, part, list) => {
        const run = many ? threaded : plain;
        const branch = await run.branches.at(at(Math.floor(run.instructions * part)));
        try {
          for (const one of list) {
            const given: Alteration = one.kind === 'memory' ? { kind: 'memory', address: addresses(one.place) + one.offset, bytes: one.bytes } : one;
            await branch.alter(given).catch((error: unknown) => expect(String(error)).toMatch(/no instruction|nothing is mapped|ends before|has ended/));
            await branch.run(2000);
          }
          expect((await branch.run(100_000)).kind).toMatch(/reached|ended|deadlock|unsupported/);
          if (list.length === 1) expectSame(branch, await branch.fork());
        } finally {
          branch.drop();
        }
      }),
      { numRuns: 50 },
    );
    expect([await hashesOf(plain), await hashesOf(threaded)]).toEqual(hashes);
    expect(inventory(folder)).toEqual(before);
  });
});
