import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { holds, type RegisterTest, type TestComparison } from '../ir/registerTest.js';
import { buildCoreModule } from '../jit/coreModule.js';
import { RAX, RSP } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { NO_HOOKS, PLAIN } from './instrumentation.js';
import { LinearMemory } from './linearMemory.js';

const CODE = 0x400000;
const DATA = 0x500000;

/** Two nested loops with calls, and where each of their instructions is. */
const PROGRAM: readonly (readonly number[])[] = [
  [0x31, 0xc0], // 0: xor eax, eax
  [0xbb, 40, 0, 0, 0], // 1: mov ebx, 40
  [0xb9, 50, 0, 0, 0], // 2: outer: mov ecx, 50
  [0x48, 0x01, 0xc8], // 3: inner: add rax, rcx
  [0xf6, 0xc1, 0x03], // 4: test cl, 3
  [0x75, 0x05], // 5: jnz skip
  [0xe8, 0x0b, 0, 0, 0], // 6: call f
  [0xff, 0xc9], // 7: skip: dec ecx
  [0x75, 0xef], // 8: jnz inner
  [0xff, 0xcb], // 9: dec ebx
  [0x75, 0xe6], // 10: jnz outer
  [0xcc], // 11: int3
  [0x90, 0x90], // (not executed)
  [0x48, 0x89, 0x44, 0x24, 0xf0], // 13: f: mov [rsp - 16], rax
  [0x48, 0x83, 0xc0, 0x02], // 14: add rax, 2
  [0xc3], // 15: ret
];
const OFFSETS = PROGRAM.map((_, i) => PROGRAM.slice(0, i).flat().length);
const ADDRESSES = OFFSETS.map((offset) => CODE + offset);
const MOST = 1e6;

const CORE = buildCoreModule();
/** Keeps V8 from compiling the core again for every machine. */
const kept = new WebAssembly.Module(CORE);
const TIERS = {
  interpreted: { hotThreshold: 30, noCompiler: true, coreModule: CORE },
  compiled: { hotThreshold: 2, noCompiler: false, coreModule: CORE },
};

afterAll(() => void kept);

function machine(options: (typeof TIERS)[keyof typeof TIERS]) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: guestAddr(CODE), end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: guestAddr(DATA), end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(PROGRAM.flat()));
  const cpu = new Cpu(linear);
  const engine = new Engine(linear, cpu, space, options);
  const restart = (): void => {
    cpu.rip = guestAddr(CODE);
    cpu.setNum(RSP, DATA + 4096);
    engine.instructions = 0;
  };
  restart();
  return { cpu, engine, restart };
}

/** Where the program is before each instruction, and what is in rax. */
const trace = ((): readonly { rip: number; rax: number }[] => {
  const { cpu, engine } = machine(TIERS.interpreted);
  const steps: { rip: number; rax: number }[] = [];
  do steps.push({ rip: cpu.rip, rax: cpu.num(RAX) });
  while (engine.run(1).kind === 'budget');
  return steps;
})();

interface Hit {
  readonly time: number;
  readonly rip: number;
  readonly rax: number;
}

function expected(addresses: ReadonlySet<number>, from = 0): Hit[] {
  return trace.map(({ rip, rax }, time) => ({ time, rip, rax })).filter(({ rip, time }) => time > from && addresses.has(rip));
}

/** Runs to the end, or until there have been so many hits. */
function hitsOf({ cpu, engine }: ReturnType<typeof machine>, most = Infinity): Hit[] {
  const hits: Hit[] = [];
  while (hits.length < most) {
    const stop = engine.run(MOST);
    if (stop.kind !== 'breakpoint') {
      expect(stop).toMatchObject({ kind: 'trap', vector: 3 });
      expect(engine.instructions).toBe(trace.length);
      break;
    }
    expect(stop.at).toBe(cpu.rip);
    hits.push({ time: engine.instructions, rip: cpu.rip, rax: cpu.num(RAX) });
  }
  return hits;
}

describe.each(Object.entries(TIERS))('breakpoints, %s', (tier, options) => {
  it('at every instruction, one by one', () => {
    const m = machine(options);
    for (const address of ADDRESSES) {
      m.restart();
      m.engine.instrument({ ...m.engine.instrumentation, breakpoints: new Set([address]) });
      expect(hitsOf(m)).toEqual(expected(new Set([address])));
    }
  });

  it('at any addresses, in code that has run before or not, changed at any time', () => {
    const m = machine(options);
    const sets = fc.uniqueArray(fc.constantFrom(...ADDRESSES, CODE + 1, DATA), { maxLength: 6 }).map((list) => new Set(list));
    fc.assert(fc.property(sets, sets, fc.nat(100), (first, second, most) => {
      m.restart();
      m.engine.instrument({ ...m.engine.instrumentation, breakpoints: first });
      const before = hitsOf(m, most);
      const all = expected(first);
      expect(before).toEqual(all.slice(0, most));
      if (all.length < most) return;
      const from = m.engine.instructions;
      m.engine.instrument({ ...m.engine.instrumentation, breakpoints: second });
      expect(hitsOf(m)).toEqual(expected(second, from));
    }), { numRuns: 40 });
    expect(m.engine.stats.regions > 0).toBe(tier === 'compiled');
  });

  it('are not in the way when they are gone', () => {
    const m = machine(options);
    m.engine.instrument({ ...m.engine.instrumentation, breakpoints: new Set(ADDRESSES) });
    expect(hitsOf(m, 100)).toHaveLength(100);
    m.engine.instrument({ ...m.engine.instrumentation, breakpoints: new Set() });
    expect(hitsOf(m)).toEqual([]);
  });

  it('come after the end of the time that was asked for', () => {
    const { cpu, engine } = machine(options);
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set(ADDRESSES) });
    for (let i = 1; i < 50; i++) {
      expect(engine.run(1)).toEqual({ kind: 'budget' });
      expect([engine.instructions, cpu.rip]).toEqual([i, trace[i]?.rip]);
    }
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([ADDRESSES[3] as number]) });
    const next = trace.findIndex(({ rip }, time) => time > 50 && rip === ADDRESSES[3]);
    expect(engine.run(next - engine.instructions)).toEqual({ kind: 'budget' });
    expect(cpu.rip).toBe(ADDRESSES[3]);
  });

  it('are noticed where nothing can be executed', () => {
    const { cpu, engine } = machine(options);
    cpu.rip = guestAddr(ADDRESSES[15] as number);
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([0]) });
    expect(engine.run(10)).toEqual({ kind: 'breakpoint', at: 0 });
    expect(engine.run(10)).toMatchObject({ kind: 'pageFault', access: 'execute' });
    expect(engine.instructions).toBe(1);
  });
});

const COMPARISONS: readonly TestComparison[] = ['==', '!=', '<', '<=', '>', '>='];
/** Of what is in rax: numbers that it has at some time, and others. */
const compared = fc.record({
  kind: fc.constant('compare' as const), register: fc.constant(0), bytes: fc.constantFrom(1 as const, 2 as const, 4 as const, 8 as const), isSigned: fc.boolean(),
  comparison: fc.constantFrom(...COMPARISONS), value: fc.oneof(fc.constantFrom(...trace.map(({ rax }) => BigInt(rax))), fc.bigInt(-300n, 300n)),
});
const { test: registerTest } = fc.letrec<{ test: RegisterTest; compared: RegisterTest; not: RegisterTest; joined: RegisterTest }>((tie) => ({
  test: fc.oneof({ maxDepth: 2 }, tie('compared'), tie('not'), tie('joined')),
  compared,
  not: fc.record({ kind: fc.constant('not' as const), part: tie('test') }),
  joined: fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), parts: fc.array(tie('test'), { maxLength: 3 }) }),
}));

describe.each(Object.entries(TIERS))('tests of registers, %s', (tier, options) => {
  it('stop where they hold, and nowhere else', () => {
    const m = machine(options);
    const tests = fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), registerTest), { minLength: 1, maxLength: 3 }).map((list) => new Map(list));
    fc.assert(fc.property(tests, (asked) => {
      m.restart();
      m.engine.instrument({ ...PLAIN, tests: asked });
      const wanted = trace.map(({ rip, rax }, time) => ({ time, rip, rax })).filter(({ time, rip, rax }) => {
        const test = asked.get(rip);
        return time > 0 && test !== undefined && holds(test, { big: () => BigInt(rax), stackTop: () => undefined });
      });
      expect(hitsOf(m)).toEqual(wanted);
    }), { numRuns: 12 });
    expect(m.engine.stats.regions > 0).toBe(tier === 'compiled');
  });

  it('know where a call returns to', () => {
    const m = machine(options);
    const [f, behind] = [ADDRESSES[13] as number, ADDRESSES[7] as number];
    const hits = (...values: number[]): number => {
      m.restart();
      m.engine.instrument({ ...PLAIN, tests: new Map([[f, { kind: 'stackTop', values }]]) });
      return hitsOf(m).length;
    };
    expect([hits(behind), hits(1, behind), hits(1), hits()]).toEqual([480, 480, 0, 0]);
  });

  it('are not in the way when they are gone, or of the time that was asked for', () => {
    const m = machine(options);
    const [f, end] = [ADDRESSES[13] as number, trace.length - 1];
    m.engine.instrument({ ...PLAIN, tests: new Map([[f, { kind: 'and', parts: [] }]]) });
    expect(hitsOf(m, 10)).toHaveLength(10);
    const next = trace.findIndex(({ rip }, time) => time > m.engine.instructions && rip === f);
    expect(m.engine.run(next - m.engine.instructions)).toEqual({ kind: 'budget' });
    m.engine.instrument(PLAIN);
    expect(m.engine.run(end - m.engine.instructions)).toEqual({ kind: 'budget' });
    expect(m.engine.instructions).toBe(end);
  });
});

describe.each(Object.entries(TIERS))('hooks (%s)', (_, options) => {
  it('stop also a run that begins there, unless they are to be passed', () => {
    const { engine, cpu } = machine(options);
    const f = ADDRESSES[13] as number;
    engine.instrument({ ...PLAIN, hooks: { ...NO_HOOKS, addresses: new Set([f]) } });
    expect(engine.run(MOST)).toEqual({ kind: 'breakpoint', at: f });
    // As if a slice of time had ended right here.
    expect(engine.run(MOST)).toEqual({ kind: 'breakpoint', at: f });
    engine.passHook();
    expect(engine.run(1).kind).toBe('budget');
    expect(cpu.rip).toBe(ADDRESSES[14]);
    let calls = 1;
    for (let stop = engine.run(MOST); stop.kind === 'breakpoint'; stop = engine.run(MOST)) {
      calls++;
      engine.passHook();
    }
    // 12 of 50 turns of the inner loop, 40 times.
    expect(calls).toBe(480);
  });
});
