import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { TICKS } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine, type EngineOptions } from './engine.js';
import { LinearMemory } from './linearMemory.js';
import type { WatchedAccess } from './stop.js';
import { CODE, DATA, DATA_BYTES, loopOf, setUp, SNIPPETS } from './testing/accessSnippets.js';
import { MemoryOperands } from './testing/memoryOperands.js';
import type { WatchedRange } from './watch.js';

const MOST = 1e6;
const ROUNDS = 70;

class TestMachine {
  readonly linear = new LinearMemory();
  readonly space = new AddressSpace(this.linear);
  readonly cpu = new Cpu(this.linear);
  readonly engine: Engine;

  constructor(options: EngineOptions) {
    this.space.map(anonymousMapping({ start: guestAddr(CODE), end: guestAddr(CODE + 8192), prot: PROT.READ | PROT.EXEC }));
    this.space.map(anonymousMapping({ start: guestAddr(DATA), end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
    this.engine = new Engine(this.linear, this.cpu, this.space, options);
  }

  load(code: Uint8Array, rounds = ROUNDS): void {
    this.space.poke(CODE, code);
    this.space.poke(DATA, Uint8Array.from({ length: 8192 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
    setUp(this.cpu, rounds);
    this.engine.instructions = 0;
  }

  /** Everything there is to compare. */
  state(): string {
    const digest = createHash('sha256').update(this.cpu.bytes().subarray(0, TICKS.offset)).update(this.space.view(DATA, 8192, 'read'));
    return `${this.engine.instructions} ${digest.digest('hex')}`;
  }
}

/** Of what an instruction has accessed, the bytes that are watched, in words; undefined if there are none. */
function hitOf(time: number, at: number, accesses: readonly WatchedAccess[], ranges: readonly WatchedRange[]): string | undefined {
  const bytesOf = (write: boolean): string => {
    const bytes = new Set<number>();
    for (const access of accesses) {
      if (access.write !== write) continue;
      for (const { start, end, kind } of ranges) {
        if (kind === (write ? 'read' : 'write')) continue;
        for (let byte = Math.max(start, access.address); byte < Math.min(end, access.address + access.bytes); byte++) bytes.add(byte - DATA);
      }
    }
    return [...bytes].sort((a, b) => a - b).join(' ');
  };
  const [read, written] = [bytesOf(false), bytesOf(true)];
  return read + written === '' ? undefined : `at ${time}, ${at - CODE}: reads ${read}, writes ${written}`;
}

interface Outcome {
  readonly hits: readonly string[];
  readonly state: ReturnType<TestMachine['state']>;
}

/** Every instruction by itself, its accesses taken from its operands. */
function bruteForce(machine: TestMachine, ranges: readonly WatchedRange[]): Outcome {
  const { cpu, engine, space } = machine;
  const operands = new MemoryOperands(cpu, space);
  const hits: string[] = [];
  for (let going = true; going;) {
    const [time, at] = [engine.instructions, cpu.rip];
    const accesses = operands.during(() => {
      const stop = engine.run(1);
      going = stop.kind === 'budget';
      if (!going) expect(stop).toEqual({ kind: 'trap', vector: 3 });
    });
    const hit = hitOf(time, at, accesses, ranges);
    if (hit !== undefined) hits.push(hit);
  }
  return { hits, state: machine.state() };
}

function watched(machine: TestMachine, ranges: readonly WatchedRange[]): Outcome {
  const { cpu, engine } = machine;
  const hits: string[] = [];
  engine.setWatched(ranges);
  for (;;) {
    const stop = engine.run(MOST);
    if (stop.kind !== 'watched') {
      expect(stop).toEqual({ kind: 'trap', vector: 3 });
      return { hits, state: machine.state() };
    }
    const hit = hitOf(engine.instructions - 1, stop.at, stop.accesses, ranges);
    if (hit === undefined) expect.fail(`not watched: ${JSON.stringify(stop)} before ${cpu.rip}`);
    else hits.push(hit);
  }
}

const plain = new TestMachine({ hotThreshold: 30, noCompiler: true });
const TIERS = {
  interpreted: { hotThreshold: 30, noCompiler: true },
  compiled: { hotThreshold: 2, noCompiler: false },
};
const MACHINES = Object.entries(TIERS).flatMap(([tier, options]) => (['accesses', 'writes'] as const).map((watching) =>
  ({ tier, watching, machine: new TestMachine({ ...options, watching }) })));

function compare(code: Uint8Array, ranges: readonly WatchedRange[], rounds = ROUNDS): Outcome {
  plain.load(code, rounds);
  const expected = bruteForce(plain, ranges);
  for (const { tier, watching, machine } of MACHINES) {
    if (watching === 'writes' && ranges.some(({ kind }) => kind !== 'write')) continue;
    machine.load(code, rounds);
    expect(watched(machine, ranges), `${tier}, ${watching}`).toEqual(expected);
  }
  return expected;
}

afterEach(() => {
  for (const { machine } of MACHINES) machine.engine.setWatched([]);
});

const range = fc.record({
  start: fc.nat(DATA_BYTES).map((offset) => DATA + offset),
  length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 300 })),
  kind: fc.constantFrom('write', 'read', 'access'),
}).map(({ start, length, kind }): WatchedRange => ({ start, end: start + length, kind }));

describe('watched memory', () => {
  it.each(SNIPPETS)('%s', (_, hex) => {
    const code = loopOf([hex]);
    const everything = { start: DATA, end: DATA + 4096, kind: 'access' } as const;
    const { hits } = compare(code, [everything], 3);
    // Single bytes of what it accesses.
    const bytes = hits.flatMap((hit) => [...hit.replace(/.*:/, '').matchAll(/\d+/g)].map(([digits]) => DATA + Number(digits)));
    for (const byte of fc.sample(fc.constantFrom(...bytes, DATA), 2)) {
      for (const kind of ['write', 'read'] as const) compare(code, [{ start: byte, end: byte + 1, kind }], 20);
    }
  });

  it('any ranges and any code', () => {
    const pieces = fc.array(fc.constantFrom(...SNIPPETS.map(([, hex]) => hex)), { minLength: 1, maxLength: 8 });
    fc.assert(fc.property(pieces, fc.array(range, { maxLength: 4 }), (list, ranges) => {
      compare(loopOf(list), ranges);
    }), { numRuns: 30 });
  });
});
