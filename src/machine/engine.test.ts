import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX, RCX, RSP } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);

function machine(code: readonly number[], options = { hotThreshold: 30, noCompiler: true }) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(code));
  const cpu = new Cpu(linear);
  cpu.rip = CODE;
  cpu.setNum(RSP, DATA + 4096);
  return { cpu, space, engine: new Engine(linear, cpu, space, options) };
}

describe('Engine', () => {
  it('runs exactly as many instructions as asked', () => {
    // mov eax, 5; mov rbx, rax; lea rcx, [rax + rbx*2]
    const { cpu, engine } = machine([0xb8, 5, 0, 0, 0, 0x48, 0x89, 0xc3, 0x48, 0x8d, 0x0c, 0x58]);
    expect(engine.run(2)).toEqual({ kind: 'budget' });
    expect(cpu.num(RBX)).toBe(5);
    expect(cpu.rip).toBe(CODE + 8);
    expect(engine.run(1)).toEqual({ kind: 'budget' });
    expect(cpu.num(RCX)).toBe(15);
    expect(engine.instructions).toBe(3);
  });

  it('stops at an access to unmapped memory with exact registers', () => {
    // mov eax, 1; mov rcx, [0x10]; mov eax, 2
    const { cpu, engine } = machine([0xb8, 1, 0, 0, 0, 0x48, 0x8b, 0x0c, 0x25, 0x10, 0, 0, 0, 0xb8, 2, 0, 0, 0]);
    expect(engine.run(10)).toEqual({ kind: 'pageFault', address: 0x10n, access: 'read', mapped: false });
    expect(cpu.rip).toBe(CODE + 5);
    expect(cpu.num(RAX)).toBe(1);
    expect(engine.instructions).toBe(1);
  });

  for (const [tier, options] of [
    ['interpreted', { hotThreshold: 30, noCompiler: true }],
    ['compiled', { hotThreshold: 2, noCompiler: false }],
  ] as const) {
    it(`sums in a loop, ${tier}, and stops at any count`, () => {
      // xor eax, eax; mov ecx, 100000; again: add rax, rcx; mov [rsp-8], rax; dec ecx; jnz again; int3
      const code = [0x31, 0xc0, 0xb9, 0xa0, 0x86, 1, 0, 0x48, 0x01, 0xc8, 0x48, 0x89, 0x44, 0x24, 0xf8, 0xff, 0xc9, 0x75, 0xf4, 0xcc];
      const { cpu, engine, space } = machine(code, options);
      expect(engine.run(2 + 4 * 50_000)).toEqual({ kind: 'budget' });
      expect(cpu.num(RCX)).toBe(50_000);
      expect(engine.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
      expect(cpu.num(RAX)).toBe(5000050000);
      expect(space.readNum64(DATA + 4096 - 8)).toBe(5000050000);
      expect(engine.instructions).toBe(2 + 4 * 100_000 + 1);
      expect(cpu.rip).toBe(CODE + code.length);
      expect(engine.stats.modules > 0).toBe(tier === 'compiled');
    });
  }
});
