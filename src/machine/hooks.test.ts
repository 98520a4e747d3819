import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RCX, RDI, RDX, RSP } from '../layout/cpuState.js';
import { hookCode, type HookKind } from '../x86/hooks.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import type { HookHandler } from './hooks.js';
import { type Instrumentation, NO_HOOKS, PLAIN } from './instrumentation.js';
import { LinearMemory } from './linearMemory.js';

const CODE = guestAddr(0x400000);
const FUNCTION = CODE + 0x100;
const STACK = guestAddr(0x500000);
const ROUNDS = 3000;
/** mov ecx, ROUNDS; again: mov edi, ecx; call FUNCTION; dec ecx; jnz again; int3 */
const LOOP = [0xb9, ROUNDS & 0xff, ROUNDS >> 8, 0, 0, 0x89, 0xcf, 0xe8, 0xf4, 0, 0, 0, 0xff, 0xc9, 0x75, 0xf5, 0xcc];
/** Of one round, with the hook alone in the function. */
const LENGTH = 5;

function machine(kind: HookKind, noCompiler: boolean, behind: readonly number[] = []) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: STACK, end: guestAddr(STACK + 4096), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(LOOP));
  space.poke(FUNCTION, Uint8Array.from([...hookCode(kind), ...behind]));
  const cpu = new Cpu(linear);
  cpu.rip = CODE;
  cpu.setNum(RSP, STACK + 4096);
  return { cpu, space, engine: new Engine(linear, cpu, space, { hotThreshold: 30, noCompiler }) };
}

function handledBy(handler: HookHandler): Instrumentation {
  return { ...PLAIN, hooks: { ...NO_HOOKS, handler } };
}

describe.each([['interpreted', true], ['compiled', false]] as const)('hooks, %s', (_tier, noCompiler) => {
  it.each([1, 7, 1000, 1e9])('stand in for a function, and know the time, stopping every %d instructions', (step) => {
    const { cpu, engine } = machine('call', noCompiler);
    const calls: number[] = [];
    engine.instrument(handledBy({
      look: () => false,
      make: () => false,
      call: (at, instructions) => {
        expect(at).toBe(FUNCTION);
        calls.push(instructions);
        cpu.setNum(RAX, cpu.num(RDI) * 2);
        return true;
      },
    }));
    let stop = engine.run(step);
    while (stop.kind === 'budget') stop = engine.run(step);
    expect(stop).toMatchObject({ kind: 'trap', vector: 3 });
    expect(calls).toEqual(Array.from({ length: ROUNDS }, (_, i) => 3 + i * LENGTH));
    expect(cpu.num(RAX)).toBe(2);
    expect(cpu.num(RSP)).toBe(STACK + 4096);
  });

  it('are stops where they are refused', () => {
    const { cpu, engine } = machine('call', noCompiler);
    let refused = true;
    engine.instrument(handledBy({ look: () => false, make: () => false, call: () => cpu.num(RDI) !== 5 || !refused }));
    expect(engine.run(1e9)).toEqual({ kind: 'breakpoint', at: FUNCTION });
    expect([cpu.rip, cpu.num(RCX), engine.instructions]).toEqual([FUNCTION, 5, 3 + (ROUNDS - 5) * LENGTH]);
    refused = false;
    expect(engine.run(1)).toEqual({ kind: 'budget' });
    expect(cpu.rip).toBe(CODE + 12);
    expect(engine.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
  });

  it('look at calls that go on', () => {
    // mov eax, 7; ret
    const { cpu, engine } = machine('look', noCompiler, [0xb8, 7, 0, 0, 0, 0xc3]);
    engine.instrument(handledBy({ look: () => cpu.num(RDI) !== 9, make: () => false, call: () => false }));
    expect(engine.run(1e9)).toEqual({ kind: 'breakpoint', at: FUNCTION });
    expect([cpu.num(RCX), cpu.num(RAX)]).toEqual([9, 7]);
  });

  it.each([1, 7, 1e9])('look at calls of functions that have none in their code, which takes no time, stopping every %d instructions', (step) => {
    const { cpu, space, engine } = machine('look', noCompiler);
    // mov eax, 7; ret
    space.poke(FUNCTION, Uint8Array.of(0xb8, 7, 0, 0, 0, 0xc3));
    const looked: number[] = [];
    const handler: HookHandler = { call: () => false, make: () => false, look: (at) => looked.push(at - FUNCTION) > 0 && cpu.num(RDI) !== 9 };
    engine.instrument({ ...PLAIN, hooks: { ...NO_HOOKS, looks: new Set([FUNCTION]), handler } });
    let stop = engine.run(step);
    while (stop.kind === 'budget') stop = engine.run(step);
    expect(stop).toEqual({ kind: 'breakpoint', at: FUNCTION });
    expect([cpu.num(RCX), engine.instructions]).toEqual([9, 3 + (ROUNDS - 9) * 6]);
    engine.passHook();
    stop = engine.run(step);
    while (stop.kind === 'budget') stop = engine.run(step);
    expect(stop).toMatchObject({ kind: 'trap', vector: 3 });
    expect([cpu.num(RAX), engine.instructions]).toEqual([7, 2 + ROUNDS * 6]);
    expect(new Set(looked)).toEqual(new Set([0]));
  });

  it.each([1, 7, 1e9])('do what a function begins or ends with, and know the time, stopping every %d instructions', (step) => {
    // hook; xchg eax, ecx; hook; mov ecx, edx; ret
    const { cpu, engine } = machine('make', noCompiler, [0x91, ...hookCode('make'), 0x89, 0xd1, 0xc3]);
    const made: number[] = [];
    engine.instrument(handledBy({
      look: () => false,
      call: () => false,
      make: (at, instructions) => {
        made.push(at - FUNCTION, instructions);
        if (at === FUNCTION) {
          cpu.setNum(RDX, cpu.num(RCX));
          cpu.setNum(RAX, 3);
          cpu.setNum(RCX, 4);
        } else expect([cpu.num(RAX), cpu.num(RCX)]).toEqual([4, 3]);
        return true;
      },
    }));
    let stop = engine.run(step);
    while (stop.kind === 'budget') stop = engine.run(step);
    expect(stop).toMatchObject({ kind: 'trap', vector: 3 });
    expect(made).toEqual(Array.from({ length: ROUNDS }, (_, i) => [0, 3 + i * 9, 8, 5 + i * 9]).flat());
  });

  it('are undefined instructions without a handler', () => {
    const { cpu, engine } = machine('call', noCompiler);
    expect(engine.run(1e9)).toEqual({ kind: 'trap', vector: 6 });
    expect(cpu.rip).toBe(FUNCTION);
  });
});
