/** What the engine does must not only be right but done once: these tests count work. */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RSP } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);

function machine(code: readonly number[], hotThreshold: number) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 8192), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(code));
  const cpu = new Cpu(linear);
  cpu.rip = CODE;
  cpu.setNum(RSP, DATA + 4096);
  return { cpu, space, engine: new Engine(linear, cpu, space, { hotThreshold, noCompiler: false }) };
}

const INC_EAX = [0xff, 0xc0];

describe('translation', () => {
  it('falls in with the blocks there are after a stop in the middle of one', () => {
    // again: inc eax, 1000 times; jmp again
    const length = 1000;
    const back = -(length * INC_EAX.length + 5);
    const code = [...Array.from({ length }, () => INC_EAX).flat(), 0xe9, back & 0xff, (back >> 8) & 0xff, 0xff, 0xff];
    const { cpu, engine } = machine(code, 1_000_000);
    engine.run(length + 1);
    const { blocks } = engine.stats;
    const stops = 30;
    // Each stop is at another place.
    for (let i = 0; i < stops; i++) engine.run(length + 8);
    expect(cpu.num(RAX)).toBe(length * (stops + 1) + 7 * stops);
    expect(engine.stats.blocks - blocks).toBeLessThanOrEqual(stops);
  });
});
