import { beforeEach, describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { GPR, RAX, RCX, RDI, RSI, type Slot } from '../layout/cpuState.js';
import { anonymousMapping, PROT } from './addressSpace.js';
import { PLAIN } from './instrumentation.js';
import { newMachine } from './machinePool.js';
import { CODE, DATA, loopOf } from './testing/accessSnippets.js';
import { CODE_BYTES, MAPPED_BYTES, TestMachine } from './testing/testMachine.js';

/** Long enough for code to be compiled anew, should it come to that. */
const ROUNDS = 20_000;
/** mov [r14], eax; mov edx, [r14 + 16]; mov [r14 + 24], edx */
const FIELDS = '418906418b561041895618';
const BREAKPOINT_TRAP = { kind: 'trap', vector: 3 };
const R14 = GPR[14] as Slot;

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function watchedBytes(offset: number, length: number, kind: 'write' | 'read' | 'access' = 'access') {
  return [{ start: DATA + offset, end: DATA + offset + length, kind }];
}

describe.each([
  ['interpreted', { hotThreshold: 30, noCompiler: true }],
  ['compiled', { hotThreshold: 2, noCompiler: false }],
] as const)('watched memory, %s', (tier, options) => {
  const shared = new TestMachine(options);
  const { engine, cpu, space } = shared;

  beforeEach(() => {
    engine.instrument({ ...engine.instrumentation, watched: [] });
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set() });
  });

  it('does not disturb a loop that works beside it', () => {
    shared.load(loopOf([FIELDS]), ROUNDS);
    const { regions } = engine.stats;
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(8, 4) });
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
    // Compiled, and twice more because of what is watched: to look at lines, and at every access.
    expect(engine.stats.regions - regions).toBe(tier === 'compiled' ? 3 : 0);
    expect(engine.instructions).toBe(8 * ROUNDS + 1);
    const again = (): void => {
      cpu.rip = guestAddr(CODE);
      cpu.setNum(GPR[15] as Slot, ROUNDS);
      expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
    };
    again();
    expect(engine.stats.regions - regions).toBe(tier === 'compiled' ? 3 : 0);
    // The code that looks at every access is given up when there is no more need for it.
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(4000, 4) });
    again();
    expect(engine.stats.regions - regions).toBeLessThanOrEqual(tier === 'compiled' ? 5 : 0);
  });

  it('in a hot loop does not make it be compiled for ever', () => {
    shared.load(loopOf([FIELDS]), ROUNDS);
    const { regions } = engine.stats;
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(16, 1) });
    for (let i = 0; i < ROUNDS; i++) {
      expect(engine.run(1e6)).toEqual({ kind: 'watched', at: CODE + 17, accesses: [{ address: DATA + 16, bytes: 4, write: false }] });
      if (engine.instructions !== 8 * i + 5) expect.fail(`hit ${i} at ${engine.instructions}`);
    }
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
    expect(engine.stats.regions - regions).toBeLessThanOrEqual(6);
  });

  it('is another from one run to the next', () => {
    shared.load(loopOf([FIELDS]), ROUNDS);
    for (let i = 0; i < 200; i++) {
      const [offset, write] = ([[0, true], [16, false], [24, true]] as const)[i % 3] as readonly [number, boolean];
      engine.instrument({ ...engine.instrumentation, watched: watchedBytes(offset + 3, 1, write ? 'write' : 'read') });
      expect(engine.run(1e6)).toMatchObject({ kind: 'watched', accesses: [{ address: DATA + offset, bytes: 4, write }] });
      engine.instrument({ ...engine.instrumentation, watched: [] });
      expect(engine.run(20)).toEqual({ kind: 'budget' });
    }
  });

  it('is reported rather than the end of the time, a breakpoint after it', () => {
    shared.load(loopOf([FIELDS]), 10);
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(16, 4, 'read') });
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([CODE + 17, CODE + 21]) });
    expect(engine.run(4)).toEqual({ kind: 'budget' });
    expect(engine.run(1)).toMatchObject({ kind: 'watched', at: CODE + 17 });
    expect(engine.instructions).toBe(5);
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([CODE + 21]) });
    for (let i = 1; i < 10; i++) {
      expect(engine.run(100)).toMatchObject({ kind: 'watched', at: CODE + 17 });
      expect(engine.instructions).toBe(8 * i + 5);
    }
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([CODE + 17]) });
    cpu.rip = guestAddr(CODE);
    expect(engine.run(100)).toEqual({ kind: 'breakpoint', at: CODE + 17 });
    expect(engine.run(100)).toMatchObject({ kind: 'watched', at: CODE + 17 });
  });

  it('is not what lies 2 GiB further', () => {
    shared.load(loopOf([FIELDS]), 3000);
    engine.instrument({ ...engine.instrumentation, watched: [{ start: DATA + 0x8000_0000, end: DATA + 0x8000_0040, kind: 'access' }] });
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
  });

  it('can be all there is', () => {
    shared.load(loopOf([FIELDS]), 2);
    engine.instrument({ ...engine.instrumentation, watched: [{ start: 0, end: 2 ** 47, kind: 'write' }] });
    for (const at of [14, 21, 14, 21]) expect(engine.run(1e6)).toMatchObject({ kind: 'watched', at: CODE + at });
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
  });

  it('is met by accesses that begin on the page before, and by the first of all', () => {
    // mov [r14 + 4090], rax
    const fresh = 0x7000_0000;
    shared.load(loopOf(['498986fa0f0000']), 50);
    space.map(anonymousMapping({ start: guestAddr(fresh), end: guestAddr(fresh + 8192), prot: PROT.READ | PROT.WRITE }));
    cpu.setNum(R14, fresh);
    engine.instrument({ ...engine.instrumentation, watched: [{ start: fresh + 4097, end: fresh + 4098, kind: 'write' }] });
    for (let i = 0; i < 50; i++) expect(engine.run(1e6)).toMatchObject({ kind: 'watched', accesses: [{ address: fresh + 4090, bytes: 8, write: true }] });
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
    space.unmap(guestAddr(fresh), 8192);
  });

  it('says nothing of an instruction that faults', () => {
    // push qword [r14], where there is no stack
    shared.load(loopOf(['41ff36']), 2);
    cpu.setNum(GPR[4] as Slot, 0x1000);
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(0, 8, 'read') });
    expect(engine.run(1e6)).toMatchObject({ kind: 'pageFault', address: 0xff8n });
    expect(engine.instructions).toBe(3);
    cpu.setNum(GPR[4] as Slot, DATA + 64);
    expect(engine.run(1e6)).toMatchObject({ kind: 'watched', accesses: [{ address: DATA, bytes: 8, write: false }] });
    expect(engine.instructions).toBe(4);
  });

  it('shows what a repetition has done before it faults', () => {
    const rep = (): void => {
      shared.load(bytes('f3aacc'), 1);
      cpu.setNum(RDI, DATA + MAPPED_BYTES - 100);
      cpu.setNum(RCX, 200);
      cpu.setNum(RAX, 7);
    };
    rep();
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(MAPPED_BYTES - 20, 30) });
    expect(engine.run(100)).toEqual({ kind: 'watched', at: CODE, accesses: [{ address: DATA + MAPPED_BYTES - 20, bytes: 20, write: true }], partial: true });
    expect([engine.instructions, cpu.num(RCX), cpu.rip]).toEqual([0, 100, CODE]);
    expect(engine.run(100)).toMatchObject({ kind: 'pageFault', address: BigInt(DATA + MAPPED_BYTES) });
    rep();
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(MAPPED_BYTES + 10, 4) });
    expect(engine.run(100)).toMatchObject({ kind: 'pageFault', address: BigInt(DATA + MAPPED_BYTES) });
  });

  it('may be copied onto itself', () => {
    shared.load(bytes('f3a4cc'), 1);
    cpu.setNum(RSI, DATA);
    cpu.setNum(RDI, DATA + 1);
    cpu.setNum(RCX, 5000);
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(100, 50) });
    expect(engine.run(100)).toMatchObject({ kind: 'watched', accesses: [{ address: DATA + 100, bytes: 50, write: true }, { address: DATA + 100, bytes: 50, write: false }] });
    expect(space.peek(DATA, 5001)).toEqual(new Uint8Array(5001));
  });

  it('may hold the code that runs', () => {
    // again: add eax, 1 (its operand is written to); mov [rip - 9], cl; dec r15; jnz again; int3
    shared.load(bytes('83c001880df9ffffff49ffcf75f2cc'), 40);
    space.protect(CODE, CODE_BYTES, PROT.READ | PROT.WRITE | PROT.EXEC);
    cpu.setNum(RAX, 0);
    cpu.setNum(RCX, 3);
    engine.instrument({ ...engine.instrumentation, watched: [{ start: CODE + 2, end: CODE + 3, kind: 'access' }] });
    for (let i = 0; i < 40; i++) {
      expect(engine.run(1e6)).toEqual({ kind: 'watched', at: CODE + 3, accesses: [{ address: CODE + 2, bytes: 1, write: true }] });
      expect(engine.instructions).toBe(4 * i + 2);
    }
    expect(engine.run(1e6)).toEqual(BREAKPOINT_TRAP);
    expect(cpu.num(RAX)).toBe(1 + 39 * 3);
    space.protect(CODE, CODE_BYTES, PROT.READ | PROT.EXEC);
  });

  it('is the business of one engine', () => {
    shared.load(loopOf([FIELDS]), ROUNDS);
    engine.instrument({ ...engine.instrumentation, watched: watchedBytes(8, 20) });
    for (let i = 0; i < 700; i++) expect(engine.run(1e6)).toMatchObject({ kind: 'watched' });
    const child = newMachine();
    child.space.copyFrom(space);
    child.cpu.bytes().set(cpu.bytes());
    const forked = engine.fork(child.linear, child.cpu, child.space);
    expect(forked.run(1e6)).toMatchObject({ kind: 'watched' });
    forked.instrument(PLAIN);
    expect(forked.run(1e6)).toEqual(BREAKPOINT_TRAP);
    forked.instrument({ ...forked.instrumentation, watched: watchedBytes(24, 1) });
    child.cpu.rip = guestAddr(CODE);
    expect(forked.run(1e6)).toMatchObject({ kind: 'watched', at: CODE + 21 });
    expect(engine.run(1e6)).toMatchObject({ kind: 'watched' });
    forked.retire();
    const next = forked.another(child.linear, child.cpu, child.space);
    expect(next.instrumentation.watched).toBe(forked.instrumentation.watched);
    next.instrument(PLAIN);
    child.cpu.rip = guestAddr(CODE);
    expect(next.run(1000)).toEqual({ kind: 'budget' });
  });
});
