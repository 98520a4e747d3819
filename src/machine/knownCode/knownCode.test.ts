import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assert } from '../../base/assert.js';
import { guestAddr } from '../../base/types.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { GPR, RAX, RCX, RSP } from '../../layout/cpuState.js';
import { anonymousMapping, PROT } from '../addressSpace.js';
import { Engine } from '../engine.js';
import { NO_HOOKS, PLAIN } from '../instrumentation.js';
import { newMachine } from '../machinePool.js';
import { CodeLibrary } from './codeLibrary.js';
import { KnownCode } from './knownCode.js';
import type { MachineCode } from './machineCode.js';

const CODE = guestAddr(0x400000);
const STACK = guestAddr(0x500000);
const HOT = 50;
const ROUNDS = 20_000;
const coreModule = buildCoreModule();

/**
 * mov ecx, ROUNDS; again: call f; add rax, [rsp-8]; dec ecx; jnz again; int3; f, on the next page: inc rax, 50 times;
 * mov rdx, imm64; add rax, rdx; ret. What follows is for variants: the immediate.
 */
function program(constant: number): Uint8Array {
  const bytes = new Uint8Array(8192).fill(0xcc);
  bytes.set([0xb9, ROUNDS & 0xff, ROUNDS >> 8, 0, 0, 0xe8, 0xf6, 0x0f, 0, 0, 0x48, 0x03, 0x44, 0x24, 0xf8, 0xff, 0xc9, 0x75, 0xf2, 0xcc]);
  bytes.set([...Array.from({ length: 50 }, () => [0x48, 0xff, 0xc0]).flat(), 0x48, 0xba, constant, 0, 0, 0, 0, 0, 0, 0x10, 0x48, 0x01, 0xd0, 0xc3], 4096);
  return bytes;
}

function load(knownCode: KnownCode | undefined, code = program(1), options = {}): Engine {
  const { linear, cpu, space } = newMachine();
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 8192), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  space.map(anonymousMapping({ start: STACK, end: guestAddr(STACK + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, code);
  cpu.rip = CODE;
  cpu.setNum(RSP, STACK + 4096);
  return new Engine(linear, cpu, space, { hotThreshold: HOT, noCompiler: false, coreModule, knownCode, ...options });
}

function outcome(engine: Engine): unknown {
  const stop = engine.run(100_000_000);
  return { stop, instructions: engine.instructions, registers: GPR.map((slot) => engine.cpu.big(slot)) };
}

function reopened(library: CodeLibrary, machineCode?: MachineCode): KnownCode {
  const opened = CodeLibrary.open(true, library.encode(), machineCode);
  assert(opened !== undefined, 'it is what was stored');
  return new KnownCode(() => opened);
}

/** As another run would find it. */
function stored(known: KnownCode): KnownCode {
  return reopened(known.library(''));
}

function afterOneRun(code = program(1), options = {}): KnownCode {
  const known = new KnownCode();
  load(known, code, options).run(100_000_000);
  return stored(known);
}

const expected = outcome(load(undefined));

describe('what an earlier run has found out', () => {
  it('spares another run all translation and compilation', () => {
    const known = new KnownCode();
    const first = load(known);
    expect(outcome(first)).toEqual(expected);
    expect(first.stats.regions).toBeGreaterThan(0);
    expect(known.library('').isWorthStoring).toBe(true);

    const again = stored(known);
    const second = load(again);
    expect(outcome(second)).toEqual(expected);
    expect(second.stats).toMatchObject({ blocks: 0, regions: 0 });
    expect(again.library('').isWorthStoring).toBe(false);
  });

  it('is shared by those who have hooks that change from run to run, but for the code next to these', () => {
    const runWithHookAt = (address: number): KnownCode => {
      const known = new KnownCode();
      const engine = load(known);
      engine.instrument({ ...PLAIN, hooks: { ...NO_HOOKS, addresses: new Set([address]), changing: new Set([address]), key: 'some' } });
      outcome(engine);
      return known;
    };
    expect(runWithHookAt(CODE + 8000).library('looks(some)').regions.regionCount).toBeGreaterThan(0);
    // At the trap behind the loop.
    expect(runWithHookAt(CODE + 19).library('looks(some)').regions.regionCount).toBe(0);
  });

  it('says nothing of variables that accesses have to stay in: they may be others next time', () => {
    // add rax, [rsp-8]
    const access = CODE + 10;
    const runWithBound = (known: KnownCode, size: number): unknown => {
      const engine = load(known);
      engine.instrument({ ...PLAIN, variables: { returns: new Set(), bounds: new Map([[access, { isInFrame: false, begin: STACK, size }]]), globals: [] } });
      return engine.run(100_000_000);
    };
    const known = new KnownCode();
    expect(runWithBound(known, 8192)).toMatchObject({ kind: 'trap', vector: 3 });
    expect(runWithBound(stored(known), 64)).toMatchObject({ kind: 'trap', vector: 5 });
    expect(runWithBound(stored(known), 8192)).toMatchObject({ kind: 'trap', vector: 3 });
    expect(outcome(load(stored(known)))).toEqual(expected);
  });

  it('grows from run to run', () => {
    const known = afterOneRun();
    const other = load(known, program(2));
    expect(outcome(other)).toEqual(outcome(load(undefined, program(2))));
    expect(known.library('').isWorthStoring).toBe(true);
    const both = stored(known);
    for (const constant of [1, 2]) {
      const engine = load(both, program(constant));
      expect(outcome(engine)).toEqual(outcome(load(undefined, program(constant))));
      expect(engine.stats).toMatchObject({ blocks: 0, regions: 0 });
    }
  });

  it('is not used for other code', () => {
    const known = afterOneRun();
    fc.assert(fc.property(fc.integer({ min: 0, max: 163 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const code = program(1);
      // Anywhere in f, but not its end.
      const where = 4096 + Math.min(at, 150);
      code[where] = (code[where] as number) ^ change;
      const [mine, reference] = [load(known, code), load(undefined, code)].map((engine) => {
        const stop = engine.run(20_000);
        return { stop, instructions: engine.instructions, registers: GPR.map((slot) => engine.cpu.big(slot)) };
      });
      expect(mine).toEqual(reference);
    }), { numRuns: 12 });
  });

  it('is left alone where watched memory is near', () => {
    const engine = load(afterOneRun());
    // The return address of f: written in every round.
    engine.instrument({ ...engine.instrumentation, watched: [{ start: STACK + 4088, end: STACK + 4096, kind: 'write' }] });
    for (let round = 0; round < 20; round++) expect(engine.run(1_000_000)).toMatchObject({ kind: 'watched' });
    engine.instrument({ ...engine.instrumentation, watched: [] });
    expect(outcome(engine)).toEqual(expected);
  });

  it('does not go over breakpoints', () => {
    const engine = load(afterOneRun());
    const middle = CODE + 4096 + 30;
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([middle]) });
    for (let round = 0; round < 3; round++) expect(engine.run(1_000_000)).toEqual({ kind: 'breakpoint', at: middle });
    // What is around them is made anew, the rest is taken as it is: f up to the breakpoint and from there on.
    expect(engine.stats.blocks).toBe(2);
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set() });
    expect(outcome(engine)).toEqual(expected);
  });

  it('gives way to code that the program writes', () => {
    const engine = load(afterOneRun());
    engine.run(500_000);
    // f begins with a return now.
    engine.space.write(CODE + 4096, Uint8Array.of(0xc3));
    const before = engine.cpu.big(RAX);
    engine.run(53 + 4 * 10);
    const sum = engine.cpu.big(RAX) - before;
    expect(engine.run(100_000_000)).toMatchObject({ kind: 'trap' });
    expect(sum).toBeGreaterThan(0n);
    expect(engine.cpu.num(RCX)).toBe(0);
  });

  it('stops exactly where it should, in the middle of anything', () => {
    const known = afterOneRun();
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 30 }), (steps) => {
      const [mine, reference] = [load(known), load(undefined)];
      for (const step of steps) {
        for (const engine of [mine, reference]) engine.run(step);
        expect(GPR.map((slot) => mine.cpu.big(slot))).toEqual(GPR.map((slot) => reference.cpu.big(slot)));
        expect(mine.cpu.rip).toBe(reference.cpu.rip);
      }
    }), { numRuns: 10 });
  });

  it('comes with the machine code that was made of it', () => {
    const revived: Uint8Array[] = [];
    const machineCode = (text: string): MachineCode => ({
      keep: () => new TextEncoder().encode(text),
      revive: (bytes, code) => {
        revived.push(code);
        return new WebAssembly.Module(bytes);
      },
    });
    const library = new CodeLibrary(true, undefined, machineCode('twelve bytes'));
    const first = new KnownCode(() => library);
    load(first).run(100_000_000);
    // Its regions are made anew for the second run, so there is none yet.
    const second = reopened(first.library(''), machineCode('twelve bytes'));
    expect(outcome(load(second))).toEqual(expected);
    expect(revived).toEqual([]);
    expect(second.library('').hasMoreMachineCode).toBe(true);

    const third = reopened(second.library(''), machineCode('twelve bytes'));
    expect(outcome(load(third))).toEqual(expected);
    expect(revived.map((code) => new TextDecoder().decode(code))).toEqual(['twelve bytes']);
    expect(third.library('').hasMoreMachineCode).toBe(false);
  });

  it('is compiled again if its machine code does not fit', () => {
    const unfit: MachineCode = { keep: () => new Uint8Array(5), revive: () => undefined };
    const library = new CodeLibrary(true, undefined, unfit);
    const first = new KnownCode(() => library);
    load(first).run(100_000_000);
    const second = reopened(first.library(''), unfit);
    load(second).run(100_000_000);
    const third = reopened(second.library(''), unfit);
    expect(outcome(load(third))).toEqual(expected);
    expect(third.library('').hasMoreMachineCode).toBe(true);
  });

  it('is nothing if it was something else', () => {
    expect(CodeLibrary.open(true, new Uint8Array(0))).toBeUndefined();
    expect(CodeLibrary.open(true, new Uint8Array(4096).fill(7))).toBeUndefined();
  });
});
