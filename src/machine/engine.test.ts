import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX, RCX, RDX, RSP } from '../layout/cpuState.js';
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

  it.each([1, 3, 13])('runs code that changes its very next instruction, stopping every %d instructions', (step) => {
    // mov ecx, 200; again: mov byte [rdx + 8], 0; call rdx; add rbx, rax; dec ecx; jnz again; int3
    const { cpu, engine, space } = machine([0xb9, 200, 0, 0, 0, 0xc6, 0x42, 8, 0, 0xff, 0xd2, 0x48, 0x01, 0xc3, 0xff, 0xc9, 0x75, 0xf3, 0xcc], { hotThreshold: 2, noCompiler: false });
    const FUNCTION = guestAddr(0x600000);
    space.map(anonymousMapping({ start: FUNCTION, end: guestAddr(FUNCTION + 4096), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
    // mov byte [rip + 1], 42: the constant of what follows; mov eax, 0; ret
    space.poke(FUNCTION, Uint8Array.of(0xc6, 0x05, 1, 0, 0, 0, 42, 0xb8, 0, 0, 0, 0, 0xc3));
    cpu.setNum(RDX, FUNCTION);
    let stop = engine.run(step);
    while (stop.kind === 'budget') stop = engine.run(step);
    expect(stop).toMatchObject({ kind: 'trap', vector: 3 });
    expect(cpu.num(RBX)).toBe(200 * 42);
  });

  describe('compiled code', () => {
    const HOT = { hotThreshold: 2, noCompiler: false };

    it('accesses memory across pages', () => {
      // mov ecx, 20000; again: inc qword [rdx]; mov rax, [rdx]; dec ecx; jnz again; int3
      const { cpu, engine, space } = machine(
        [0xb9, 0x20, 0x4e, 0, 0, 0x48, 0xff, 0x02, 0x48, 0x8b, 0x02, 0xff, 0xc9, 0x75, 0xf6, 0xcc], HOT);
      cpu.setNum(RDX, DATA + 4096 - 3);
      expect(engine.run(1e6)).toMatchObject({ kind: 'trap', vector: 3 });
      expect(space.readNum64(DATA + 4096 - 3)).toBe(20_000);
      expect(cpu.num(RAX)).toBe(20_000);
      expect(engine.instructions).toBe(1 + 4 * 20_000 + 1);
    });

    it('faults with exact registers and count', () => {
      // mov ecx, 5000; again: add rax, rcx; mov [rdx], al; inc rdx; dec ecx; jnz again: runs out of memory after 4096
      // rounds
      const { cpu, engine } = machine(
        [0xb9, 0x88, 0x13, 0, 0, 0x48, 0x01, 0xc8, 0x88, 0x02, 0x48, 0xff, 0xc2, 0xff, 0xc9, 0x75, 0xf4], HOT);
      cpu.setNum(RDX, DATA + 4096);
      expect(engine.run(1e6)).toEqual({ kind: 'pageFault', address: BigInt(DATA + 8192), access: 'write', mapped: false });
      expect(cpu.rip).toBe(CODE + 8);
      expect(cpu.num(RCX)).toBe(5000 - 4096);
      expect(engine.instructions).toBe(1 + 5 * 4096 + 1);
      let sum = 0;
      for (let i = 5000; i >= 5000 - 4096; i--) sum += i;
      expect(cpu.num(RAX)).toBe(sum);
    });

    it('sees code that it has changed itself', () => {
      // mov ecx, 3000; again: add eax, 1; cmp ecx, 1000; jne skip; mov byte [rip + imm of add], 2; skip: dec ecx; jnz
      // again; int3
      const code = [
        0xb9, 0xb8, 0x0b, 0, 0, 0x83, 0xc0, 0x01, 0x81, 0xf9, 0xe8, 0x03, 0, 0, 0x75, 0x07,
        0xc6, 0x05, 0xf0, 0xff, 0xff, 0xff, 0x02, 0xff, 0xc9, 0x75, 0xea, 0xcc,
      ];
      const { cpu, engine, space } = machine(code, HOT);
      space.protect(CODE, 4096, PROT.READ | PROT.WRITE | PROT.EXEC);
      expect(engine.run(1e6)).toMatchObject({ kind: 'trap', vector: 3 });
      expect(cpu.num(RAX)).toBe(2001 + 2 * 999);
    });

    it('returns to where the stack says, even if it was followed into a call', () => {
      // mov ecx, 3000; again: call f; after: dec ecx; jnz again; int3; other: add rbx, 1; jmp after+0
      // f: cmp ecx, 1500; jne plain; mov rax, [rsp]; add rax, 5 (after -> other); mov [rsp], rax; plain: ret
      const code = [
        0xb9, 0xb8, 0x0b, 0, 0, // mov ecx, 3000
        0xe8, 0x0d, 0, 0, 0, // again: call f (at +23)
        0xff, 0xc9, // after: dec ecx
        0x75, 0xf7, // jnz again
        0xcc, // int3
        0x48, 0x83, 0xc3, 0x01, // other: add rbx, 1
        0xeb, 0xf5, // jmp after
        0x90, 0x90,
        0x81, 0xf9, 0xdc, 0x05, 0, 0, // f: cmp ecx, 1500
        0x75, 0x0c, // jne plain
        0x48, 0x8b, 0x04, 0x24, // mov rax, [rsp]
        0x48, 0x83, 0xc0, 0x05, // add rax, 5
        0x48, 0x89, 0x04, 0x24, // mov [rsp], rax
        0xc3, // plain: ret
      ];
      const { cpu, engine } = machine(code, HOT);
      expect(engine.run(1e6)).toMatchObject({ kind: 'trap', vector: 3 });
      expect(cpu.num(RBX)).toBe(1);
      expect(cpu.num(RCX)).toBe(0);
    });
  });
});
