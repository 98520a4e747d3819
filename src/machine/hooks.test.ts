import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RCX, RDI, RSP } from '../layout/cpuState.js';
import { hookCode, type HookKind } from '../x86/hooks.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
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
  return { cpu, engine: new Engine(linear, cpu, space, { hotThreshold: 30, noCompiler }) };
}

describe.each([['interpreted', true], ['compiled', false]] as const)('hooks, %s', (_tier, noCompiler) => {
  it.each([1, 7, 1000, 1e9])('stand in for a function, and know the time, stopping every %d instructions', (step) => {
    const { cpu, engine } = machine('call', noCompiler);
    const calls: number[] = [];
    engine.hooks = {
      look: () => false,
      call: (at, instructions) => {
        expect(at).toBe(FUNCTION);
        calls.push(instructions);
        cpu.setNum(RAX, cpu.num(RDI) * 2);
        return true;
      },
    };
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
    engine.hooks = { look: () => false, call: () => cpu.num(RDI) !== 5 || !refused };
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
    engine.hooks = { look: () => cpu.num(RDI) !== 9, call: () => false };
    expect(engine.run(1e9)).toEqual({ kind: 'breakpoint', at: FUNCTION });
    expect([cpu.num(RCX), cpu.num(RAX)]).toEqual([9, 7]);
  });

  it('are undefined instructions if nobody is there', () => {
    const { cpu, engine } = machine('call', noCompiler);
    expect(engine.run(1e9)).toEqual({ kind: 'trap', vector: 6 });
    expect(cpu.rip).toBe(FUNCTION);
  });
});
