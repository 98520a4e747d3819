import { describe, expect, it } from 'vitest';
import { FPU_CONTROL, RAX, RBX, RCX, RDX, XMM } from '../layout/cpuState.js';
import { SYS } from '../ir/sysCalls.js';
import { Cpu } from './cpu.js';
import { cpuid } from './cpuid.js';
import { LinearMemory } from './linearMemory.js';
import { VECTOR } from './stop.js';
import { SysCalls } from './sysCalls.js';

function machine(now = 0) {
  const cpu = new Cpu(new LinearMemory());
  const memory = new Uint8Array(4096);
  const sys = new SysCalls(cpu, {
    peek: (address, length) => memory.slice(address, address + length),
    poke: (address, bytes) => {
      memory.set(bytes, address);
      return true;
    },
  }, () => now);
  return { cpu, memory, sys };
}

describe('cpuid', () => {
  it('advertises x86-64-v2 and nothing beyond', () => {
    const { ecx, edx } = cpuid(1, 0);
    const bit = (word: number, n: number): boolean => ((word >>> n) & 1) === 1;
    // cmov cx8 fpu fxsr mmx sse sse2; cx16 popcnt sse3 sse4.1 sse4.2 ssse3
    for (const n of [15, 8, 0, 24, 23, 25, 26]) expect(bit(edx, n), `edx ${n}`).toBe(true);
    for (const n of [13, 23, 0, 19, 20, 9]) expect(bit(ecx, n), `ecx ${n}`).toBe(true);
    // pclmul fma movbe aes xsave osxsave avx f16c rdrand
    for (const n of [1, 12, 22, 25, 26, 27, 28, 29, 30]) expect(bit(ecx, n), `ecx ${n}`).toBe(false);
    expect(cpuid(7, 0)).toEqual({ eax: 0, ebx: 0, ecx: 0, edx: 0 });
    expect(cpuid(0x80000001, 0).ecx).toBe(1);
  });

  it('answers in the registers, upper halves cleared', () => {
    const { cpu, sys } = machine();
    for (const slot of [RAX, RBX, RCX, RDX]) cpu.setBig(slot, 0xdead_0000_0000n);
    expect(sys.call(SYS.CPUID, 0)).toBe(0);
    const text = [RBX, RDX, RCX].map((slot) => String.fromCharCode(...[0, 8, 16, 24].map((n) => (cpu.num(slot) >>> n) & 0xff))).join('');
    expect(text).toBe('GenuineIntel');
    expect(cpu.num(RAX)).toBe(0xd);
  });

  it('lists caches until a null entry', () => {
    expect([0, 1, 2, 3, 4].map((n) => cpuid(4, n).eax & 0x1f)).toEqual([1, 2, 3, 3, 0]);
  });
});

it('rdtsc splits the counter', () => {
  const { cpu, sys } = machine(0x5_0000_0007);
  sys.call(SYS.RDTSC, 0);
  expect([cpu.num(RAX), cpu.num(RDX)]).toEqual([7, 5]);
});

it('fxrstor takes back what fxsave stored, and refuses reserved bits of MXCSR', () => {
  const { cpu, memory, sys } = machine();
  cpu.setI32(FPU_CONTROL, 0x37f);
  cpu.setMxcsr(0x1fa0);
  cpu.setBig(XMM[3]!, 0x1234n);
  sys.call(SYS.FXSAVE64, 64);
  cpu.setBig(XMM[3]!, 0n);
  expect(sys.call(SYS.FXRSTOR64, 64)).toBe(0);
  expect(cpu.big(XMM[3]!)).toBe(0x1234n);
  memory[64 + 27] = 1;
  expect(sys.call(SYS.FXRSTOR64, 64)).toBe(VECTOR.GP + 1);
});
