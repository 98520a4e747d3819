/** What the engine does must not only be right but done once: these tests count work. */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { GPR, RAX, RCX, RDX, RSP, type Slot } from '../layout/cpuState.js';
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

  it('does not cut a loop in two because its end was known first', () => {
    // jmp test; again: inc eax; test: dec ecx; jnz again; int3
    const { cpu, engine } = machine([0xeb, 0x02, ...INC_EAX, 0xff, 0xc9, 0x75, 0xfa, 0xcc], 1_000_000);
    cpu.setNum(RCX, 10);
    engine.run(20);
    expect(engine['code'].cache.get(CODE + 2)?.instructions).toBe(3);
  });
});

describe('compiled code', () => {
  const HOT = 50;

  it('that was taken back does not end the slice: the rest of an exact run is not interpreted', () => {
    // mov ecx, 0x7fffffff; again: call f; dec ecx; jnz again. f, on the next page, is too long to be followed: inc eax,
    // 60 times; ret
    const toF = 4096 - 10;
    const { cpu, space, engine } = machine([0xb9, 0xff, 0xff, 0xff, 0x7f, 0xe8, toF & 0xff, toF >> 8, 0, 0, 0xff, 0xc9, 0x75, 0xf7], HOT);
    space.poke(guestAddr(CODE + 4096), Uint8Array.from([...Array.from({ length: 60 }, () => INC_EAX).flat(), 0xc3]));
    engine.run(5_000_000);
    expect(engine.stats.regions).toBeGreaterThan(1);

    // The calling region stays, and still calls f's function within its module.
    space.poke(guestAddr(CODE + 4096 + 0x800), Uint8Array.of(1));
    const { core } = countInterpreting(engine);
    engine.run(400_000);
    expect(core.interpreted).toBeLessThan(100);
    expect(cpu.num(RAX)).toBe(expectedSum(5_400_000));
  });

  it('is made of a hot block that is entered anew, although it was reported before', () => {
    const code = [
      0xff, 0xc9, // 0: a: dec ecx
      0x74, 0x02, // jz 6
      0xeb, 0x0b, // jmp 17
      0x49, 0x89, 0xd0, // 6: mov r8, rdx (goes on at c)
      0xb9, 0x00, 0x12, 0x7a, 0, // mov ecx, 8000000
      0x41, 0xff, 0xe1, // 14: c: jmp r9 (b)
      0xff, 0xc0, // 17: b: inc eax
      0x41, 0xff, 0xe0, // jmp r8
    ];
    const { cpu, engine } = machine(code, HOT);
    cpu.setNum(RCX, 1_000_000);
    cpu.setNum(GPR[8] as Slot, CODE);
    cpu.setNum(RDX, CODE + 14);
    cpu.setNum(GPR[9] as Slot, CODE + 17);
    const b = () => engine['code'].cache.get(CODE + 17);
    // First it is in the middle of another region.
    engine.run(4_000_000);
    expect(b()).toMatchObject({ compiled: 0, copies: 1 });
    engine.run(8_000_000);
    expect(b()?.compiled).not.toBe(0);
  });
});

/** Counts the blocks that are interpreted alone. */
function countInterpreting(engine: Engine): { core: { interpreted: number } } {
  const core = engine['core'];
  const counting = {
    interpreted: 0,
    run: () => core.run(),
    interpret(pc: number, stay: number): number {
      this.interpreted++;
      return core.interpret(pc, stay);
    },
  };
  Object.defineProperty(engine, 'core', { value: counting });
  return { core: counting };
}

/** What eax is after so many instructions: each round has a call, 60 increments, ret, dec and jnz. */
function expectedSum(instructions: number): number {
  const round = 64;
  const done = instructions - 1;
  return Math.floor(done / round) * 60 + Math.min(Math.max((done % round) - 1, 0), 60);
}

describe('a run that need not be exact', () => {
  it('ends a little early, where nothing has to be interpreted for it', () => {
    // again: inc eax, 40 times; jmp again
    const { cpu, engine } = machine([...Array.from({ length: 40 }, () => INC_EAX).flat(), 0xeb, -82 & 0xff], 50);
    engine.run(2_000_000);
    const { core } = countInterpreting(engine);
    const before = engine.instructions;
    for (let i = 0; i < 50; i++) expect(engine.run(100_000 + i, false)).toEqual({ kind: 'budget' });
    const retired = engine.instructions - before;
    expect(retired).toBeLessThanOrEqual(50 * 100_050);
    expect(retired).toBeGreaterThan(50 * 99_000);
    expect(core.interpreted).toBeLessThan(10);
    expect(cpu.num(RAX)).toBe(engine.instructions - Math.floor(engine.instructions / 41));
  });
});
