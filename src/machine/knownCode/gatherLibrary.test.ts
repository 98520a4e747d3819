import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assert } from '../../base/assert.js';
import { guestAddr } from '../../base/types.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { GPR, RSP } from '../../layout/cpuState.js';
import { anonymousMapping, PROT } from '../addressSpace.js';
import { Engine } from '../engine.js';
import { newMachine } from '../machinePool.js';
import { gatherLibrary } from './gatherLibrary.js';
import { CodeLibrary } from './codeLibrary.js';
import { KnownCode } from './knownCode.js';

const CODE = guestAddr(0x400000);
const STACK = guestAddr(0x500000);
const ROUNDS = 30_000;
const [TABLE, POINTER, CALLEE, OTHER] = [64, 80, 58, 96];
const CASES = [26, 31, 37, 44];
const coreModule = buildCoreModule();

/**
 * mov ecx, ROUNDS; again: mov eax, ecx; and eax, 3; lea rdx, [table]; movsxd rax, [rdx+rax*4]; add rax, rdx; jmp rax;
 * inc rbx, jmp next; add rbx, 3, jmp next; call stub, jmp next; dec rbx; next: dec ecx; jnz again; int3; stub: jmp
 * [pointer]; callee: add rbx, 5, ret; table; pointer; another callee.
 */
function program(): Uint8Array {
  const bytes = new Uint8Array(4096).fill(0xcc);
  bytes.set([
    0xb9, ROUNDS & 0xff, ROUNDS >> 8, 0, 0, 0x89, 0xc8, 0x83, 0xe0, 3, 0x48, 0x8d, 0x15, 47, 0, 0, 0, 0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0,
    0x48, 0xff, 0xc3, 0xeb, 16, 0x48, 0x83, 0xc3, 3, 0xeb, 10, 0xe8, 10, 0, 0, 0, 0xeb, 3, 0x48, 0xff, 0xcb, 0xff, 0xc9, 0x75, 0xd2, 0xcc,
    0xff, 0x25, 22, 0, 0, 0, 0x48, 0x83, 0xc3, 5, 0xc3,
  ]);
  bytes.set([0x48, 0x83, 0xeb, 7, 0xc3], OTHER);
  const view = new DataView(bytes.buffer);
  CASES.forEach((at, i) => view.setInt32(TABLE + i * 4, at - TABLE, true));
  view.setBigUint64(POINTER, BigInt(CODE + CALLEE), true);
  return bytes;
}

function load(knownCode?: KnownCode, noCompiler = false): Engine {
  const { linear, cpu, space } = newMachine();
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC | PROT.WRITE }));
  space.map(anonymousMapping({ start: STACK, end: guestAddr(STACK + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, program());
  cpu.rip = CODE;
  cpu.setNum(RSP, STACK + 4096);
  return new Engine(linear, cpu, space, { hotThreshold: 20, noCompiler, coreModule, knownCode });
}

function state(engine: Engine): unknown {
  return { rip: engine.cpu.rip, instructions: engine.instructions, registers: GPR.map((slot) => engine.cpu.big(slot)) };
}

function afterOneRun(): KnownCode {
  const known = new KnownCode();
  load(known).run(100_000_000);
  const opened = CodeLibrary.open(true, known.library('').encode());
  assert(opened !== undefined, 'it is what was stored');
  return new KnownCode(() => opened);
}

describe('regions that are made when it is known what is hot', () => {
  it('take in where indirect jumps lead to, and what is called by way of a pointer', () => {
    const { modules } = afterOneRun().library('').regions;
    expect(modules.map(({ isGathered }) => isGathered)).toEqual([true]);
    const loop = modules[0]?.regions.find(({ ranges }) => CASES.every((at) => ranges.some(({ start }) => start === CODE + at)));
    expect(loop?.ranges.some(({ start }) => start === CODE + 52)).toBe(true);
    for (const at of CASES) expect(loop?.entries).toContain(CODE + at);
  });

  it('are not made again as long as there is little else', () => {
    const known = afterOneRun();
    load(known).run(100_000_000);
    expect(gatherLibrary(known.library('').regions)).toBeUndefined();
  });

  it('do what the interpreter does, and stop at any instruction', () => {
    const known = afterOneRun();
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 }), (budgets) => {
      const [compiled, interpreted] = [load(known), load(undefined, true)];
      for (const budget of budgets) {
        expect(compiled.run(budget)).toEqual(interpreted.run(budget));
        expect(state(compiled)).toEqual(state(interpreted));
      }
      expect(compiled.run(100_000_000)).toEqual(interpreted.run(100_000_000));
      expect(state(compiled)).toEqual(state(interpreted));
    }), { numRuns: 20 });
  });

  it('call what a pointer says now', () => {
    const known = afterOneRun();
    const [compiled, interpreted] = [load(known), load(undefined, true)];
    for (const engine of [compiled, interpreted]) {
      engine.run(50_001);
      engine.space.poke(guestAddr(CODE + POINTER), Uint8Array.of(...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => Number((BigInt(CODE + OTHER) >> BigInt(i * 8)) & 255n))));
      engine.run(100_000_000);
    }
    expect(state(compiled)).toEqual(state(interpreted));
  });
});
