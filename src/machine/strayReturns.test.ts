import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RCX, RSP } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const F = CODE + 0x20;
const RET = F + 9;
/** Of main's loop, and of f. */
const PER_ROUND = 6;

/** mov ecx, rounds; again: call f; dec ecx; jnz again; int3. f: cmp ecx, 1; jne out; add dword [rsp], 1; out: ret */
function machine(rounds: number, hotThreshold: number) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from([0xb9, rounds & 0xff, rounds >> 8, 0, 0, 0xe8, 0x16, 0, 0, 0, 0xff, 0xc9, 0x75, 0xf7, 0xcc]));
  space.poke(guestAddr(F), Uint8Array.from([0x83, 0xf9, 0x01, 0x75, 0x04, 0x83, 0x04, 0x24, 0x01, 0xc3]));
  const cpu = new Cpu(linear);
  cpu.rip = CODE;
  cpu.setNum(RSP, DATA + 4096);
  return { cpu, engine: new Engine(linear, cpu, space, { hotThreshold, noCompiler: false }) };
}

describe('returns to where no call comes from', () => {
  it.each([['interpreted', 3, 1_000_000], ['compiled', 20_000, 50]] as const)('stop the engine, %s', (_, rounds, hotThreshold) => {
    const { cpu, engine } = machine(rounds, hotThreshold);
    engine.instrument({ ...engine.instrumentation, checksReturns: true });
    expect(engine.run(1_000_000)).toEqual({ kind: 'astray', from: RET });
    expect([cpu.rip, cpu.num(RCX), cpu.num(RSP), engine.instructions]).toEqual([CODE + 11, 1, DATA + 4096, 1 + (rounds - 1) * PER_ROUND + 5]);
    // It goes on from there: `leave`, which finds nothing at rbp.
    expect(engine.run(1)).toMatchObject({ kind: 'pageFault', access: 'read' });
  });

  it('do not count unless an analysis asks', () => {
    const { engine } = machine(3, 1_000_000);
    expect(engine.run(1_000_000)).toMatchObject({ kind: 'pageFault' });
  });
});
