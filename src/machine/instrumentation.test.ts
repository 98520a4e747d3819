import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { buildCoreModule } from '../jit/coreModule.js';
import { GPR, RAX, RSP } from '../layout/cpuState.js';
import { anonymousMapping, PROT } from './addressSpace.js';
import { Engine } from './engine.js';
import { type Instrumentation, NO_HOOKS, PLAIN } from './instrumentation.js';
import { forkMachine, type Machine, newMachine, wipe } from './machinePool.js';
import { looking, lookingPass } from './testing/lookingPass.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const ROUNDS = 1000;
/** mov ecx, ROUNDS; again: call f; add [DATA], rax; dec ecx; jnz again; int3; f: add rax, 3; ret */
const PROGRAM = [
  0xb9, ROUNDS & 0xff, ROUNDS >> 8, 0, 0, 0xe8, 13, 0, 0, 0, 0x48, 0x01, 0x04, 0x25, 0, 0, 0x50, 0, 0xff, 0xc9, 0x75, 0xef, 0xcc, 0x48, 0x83, 0xc0, 3, 0xc3,
];
const F = CODE + 23;
const ADD = CODE + 10;
/** Up to the trap, and with it. */
const BEFORE_TRAP = 1 + 6 * ROUNDS;
const INSTRUCTIONS = BEFORE_TRAP + 1;
const coreModule = buildCoreModule();
const TIERS = { interpreted: { hotThreshold: 20, noCompiler: true, coreModule }, compiled: { hotThreshold: 20, noCompiler: false, coreModule } };

function load({ space, cpu }: Machine): void {
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(PROGRAM));
  // What has been accessed before leaves compiled code no more.
  for (const at of [DATA, DATA + 4096]) space.writeU8(at, 0);
  rewind({ cpu });
}

function rewind({ cpu }: Pick<Machine, 'cpu'>): void {
  cpu.rip = CODE;
  cpu.setNum(RAX, 0);
  cpu.setNum(RSP, DATA + 8192);
}

function loaded(options = TIERS.interpreted): { readonly machine: Machine; readonly engine: Engine } {
  const machine = newMachine();
  load(machine);
  return { machine, engine: new Engine(machine.linear, machine.cpu, machine.space, options) };
}

function registers({ cpu }: Engine): bigint[] {
  return GPR.map((slot) => cpu.big(slot));
}

describe.each(Object.entries(TIERS))('what is wanted of an engine, %s', (_, options) => {
  it('passes: their code is executed with the program\'s, which is the same', () => {
    const plain = loaded(options).engine;
    expect(plain.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
    expect(plain.instructions).toBe(INSTRUCTIONS);
    const { engine } = loaded(options);
    const looks = new Map<number, number>();
    engine.instrument(looking((at) => looks.set(at, (looks.get(at) ?? 0) + 1)));
    expect(engine.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
    expect([engine.instructions, registers(engine)]).toEqual([INSTRUCTIONS, registers(plain)]);
    expect([...looks.keys()].sort((a, b) => a - b)).toEqual([CODE, CODE + 5, ADD, CODE + 18, CODE + 20, CODE + 22, F, F + 4]);
    expect([looks.get(CODE), looks.get(F)]).toEqual([1, ROUNDS]);
    expect(engine.stats.regions > 0).toBe(!options.noCompiler);
  });

  it('is exchanged as a whole, at any time', () => {
    const { engine } = loaded(options);
    let looks = 0;
    engine.instrument({ ...looking(() => looks++), breakpoints: new Set([F]) });
    for (let i = 0; i < 3; i++) expect(engine.run(1e9)).toEqual({ kind: 'breakpoint', at: F });
    // A run that ends in front of a breakpoint has seen nothing of it.
    expect(looks).toBe(2 + 2 * 6);
    engine.instrument({ ...PLAIN, watched: [{ start: DATA, end: DATA + 1, kind: 'write' }] });
    expect(engine.run(1e9)).toMatchObject({ kind: 'watched', at: ADD });
    engine.instrument({ ...PLAIN, hooks: { ...NO_HOOKS, addresses: new Set([ADD]) } });
    expect(engine.run(1e9)).toEqual({ kind: 'breakpoint', at: ADD });
    engine.instrument(PLAIN);
    expect(engine.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
    expect([engine.instructions, looks]).toEqual([INSTRUCTIONS, 2 + 2 * 6]);
  });

  it('costs nothing where it has not changed', () => {
    const { engine, machine } = loaded(options);
    let looks = 0;
    const value: Instrumentation = { ...looking(() => looks++), breakpoints: new Set([CODE + 22]) };
    engine.instrument(value);
    expect(engine.run(1e9).kind).toBe('breakpoint');
    const { blocks, regions } = engine.stats;
    engine.instrument({ ...value });
    engine.instrument({ ...value, watched: [{ start: DATA + 8, end: DATA + 9, kind: 'write' }] });
    // A pass with the same key makes the same code.
    engine.instrument({ ...value, passes: [lookingPass()] });
    rewind(machine);
    expect(engine.run(1e9).kind).toBe('breakpoint');
    expect(engine.stats).toMatchObject({ blocks, regions });
    expect(looks).toBe(2 * BEFORE_TRAP);
    engine.instrument({ ...value, passes: [lookingPass(2)] });
    rewind(machine);
    expect(engine.run(1e9).kind).toBe('breakpoint');
    expect(engine.stats.blocks).toBeGreaterThan(blocks);
    expect(looks).toBe(4 * BEFORE_TRAP);
  });

  it('is inherited by a copy of the memory, with code and all', () => {
    const { engine, machine } = loaded(options);
    let looks = 0;
    engine.instrument({ ...looking(() => looks++), breakpoints: new Set([F]), watched: [{ start: DATA, end: DATA + 8, kind: 'write' }] });
    for (let i = 0; i < 200; i++) engine.run(1e9);
    const child = newMachine();
    const forked = forkMachine(machine, engine, child);
    expect(forked.instrumentation).toBe(engine.instrumentation);
    const sequence = (of: Engine): unknown[] => {
      looks = 0;
      return Array.from({ length: 20 }, () => [of.run(1e9), looks]);
    };
    const { blocks } = forked.stats;
    expect(sequence(forked)).toEqual(sequence(engine));
    expect([forked.stats.blocks, blocks]).toEqual([0, 0]);
    // It goes its own way from now on.
    forked.instrument(PLAIN);
    expect(forked.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
    expect(engine.run(1e9).kind).not.toBe('trap');
  });

  it('is inherited by another program, in the same memory and in another one', () => {
    const { engine, machine } = loaded(options);
    let looks = 0;
    engine.instrument({ ...looking(() => looks++), watched: [{ start: DATA, end: DATA + 8, kind: 'write' }], breakpoints: new Set([F]) });
    const sequence = (of: Engine): unknown[] => {
      looks = 0;
      return Array.from({ length: 20 }, () => [of.run(1e9), looks]);
    };
    const expected = sequence(engine);
    wipe(machine);
    engine.restart();
    load(machine);
    expect(sequence(engine)).toEqual(expected);
    engine.retire();
    wipe(machine);
    engine.restart();
    load(machine);
    expect(sequence(engine)).toEqual(expected);
    const other = newMachine();
    const another = engine.another(other.linear, other.cpu, other.space);
    load(other);
    expect(sequence(another)).toEqual(expected);
  });

  it('a shadow: begins with a program, and a copy of the memory has what is unwritten there', () => {
    const { engine, machine } = loaded(options);
    engine.instrument({ ...PLAIN, shadow: {} });
    machine.space.unwritten?.add(DATA, 8);
    const child = newMachine();
    const forked = forkMachine(machine, engine, child);
    expect(child.space.unwritten?.firstIn(DATA, 64)).toBe(DATA);
    child.space.unwritten?.remove(DATA, 8);
    expect(machine.space.unwritten?.firstIn(DATA, 64)).toBe(DATA);
    expect(forked.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });

    wipe(machine);
    engine.restart();
    load(machine);
    expect(machine.space.unwritten).toBeUndefined();
    expect(engine.run(1e9)).toMatchObject({ kind: 'trap', vector: 3 });
    expect(machine.space.unwritten?.firstIn(DATA, 64)).toBeUndefined();
    machine.space.unwritten?.add(DATA, 8);
    engine.instrument({ ...engine.instrumentation, breakpoints: new Set([F]) });
    expect(machine.space.unwritten?.firstIn(DATA, 64)).toBe(DATA);
    engine.instrument(PLAIN);
    expect(machine.space.unwritten).toBeUndefined();
  });
});
