import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { WatchedAccess } from './stop.js';
import { CODE, DATA, DATA_BYTES, loopOf, SNIPPETS } from './testing/accessSnippets.js';
import { MemoryOperands } from './testing/memoryOperands.js';
import { TestMachine } from './testing/testMachine.js';
import type { WatchedRange } from './watch.js';

const TIMES = process.env['CULPRIT_LONG'] === '1' ? 100 : 1;
const MOST = 1e6;
const ROUNDS = 70;
/** Enough for code to be compiled anew because of what is watched near it: so that it looks at lines, then at bytes. */
const ENOUGH_FOR_BYTES = 1500;
const MANY_ROUNDS = 3000;

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
  for (;;) {
    const [time, at] = [engine.instructions, cpu.rip];
    const { result, accesses } = operands.during(() => engine.run(1));
    const hit = hitOf(time, at, accesses, ranges);
    if (hit !== undefined) hits.push(hit);
    if (result.kind === 'budget') continue;
    expect(result).toEqual({ kind: 'trap', vector: 3 });
    return { hits, state: machine.state() };
  }
}

function watched(machine: TestMachine, ranges: readonly WatchedRange[]): Outcome {
  const { cpu, engine } = machine;
  const hits: string[] = [];
  engine.instrument({ ...engine.instrumentation, watched: ranges });
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
const MACHINES = Object.entries(TIERS).map(([tier, options]) => ({ tier, machine: new TestMachine(options) }));

function compare(code: Uint8Array, ranges: readonly WatchedRange[], rounds = ROUNDS): Outcome {
  plain.load(code, rounds);
  const expected = bruteForce(plain, ranges);
  for (const { tier, machine } of MACHINES) {
    machine.load(code, rounds);
    expect(watched(machine, ranges), tier).toEqual(expected);
  }
  return expected;
}

afterEach(() => {
  for (const { machine } of MACHINES) machine.engine.instrument({ ...machine.engine.instrumentation, watched: [] });
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

  it.each([
    ['mov %al, -40(%rbx)', '8843d8'],
    ['mov -40(%rbx), %dx', '668b53d8'],
    ['mov %eax, -40(%rbx)', '8943d8'],
    ['mov -40(%rbx), %rdx', '488b53d8'],
    ['movups %xmm0, -40(%rbx)', '0f1143d8'],
    ['addw $1, -41(%rbx)', '668343d701'],
    ['lock cmpxchg8b -41(%rbx)', 'f00fc74bd7'],
    ['fnstenv -41(%rbx)', 'd973d7'],
    ['movups -41(%rbx), %xmm1; movups %xmm1, 0x240(%r14)', '0f104bd7410f118e40020000'],
  ])('at every distance from an access, in code that also works around it: %s', (_, hex) => {
    // mov %eax, 0x200(%r14); mov 0x210(%r14), %edx
    const code = loopOf(['41898600020000418b9610020000', hex]);
    const bytes = { start: DATA + 0x208, end: DATA + 0x20a };
    for (const kind of ['write', 'read'] as const) compare(code, [{ ...bytes, kind }], ENOUGH_FOR_BYTES);
  });

  it('any ranges and any code', () => {
    const pieces = fc.array(fc.constantFrom(...SNIPPETS.map(([, hex]) => hex)), { minLength: 1, maxLength: 8 });
    fc.assert(fc.property(pieces, fc.array(range, { maxLength: 4 }), (list, ranges) => {
      compare(loopOf(list), ranges);
    }), { numRuns: 30 * TIMES });
  });

  it('in code that runs for long, the same ones in both tiers', () => {
    const [interpreted, compiled] = ['interpreted', 'compiled'].map((tier) => MACHINES.find((one) => one.tier === tier)?.machine);
    const pieces = fc.array(fc.constantFrom(...SNIPPETS.map(([, hex]) => hex)), { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(pieces, fc.array(range, { minLength: 1, maxLength: 2 }), (list, ranges) => {
      const [expected, actual] = [interpreted, compiled].map((machine) => {
        machine?.load(loopOf(list), MANY_ROUNDS);
        return machine === undefined ? undefined : watched(machine, ranges);
      });
      expect(actual).toEqual(expected);
    }), { numRuns: 20 * TIMES });
  });
});
