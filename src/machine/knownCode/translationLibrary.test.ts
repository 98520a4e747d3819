import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { RAX, RBX, XMM } from '../../layout/cpuState.js';
import { anonymousMapping, PROT } from '../addressSpace.js';
import { Engine } from '../engine.js';
import { type Machine, newMachine } from '../machinePool.js';

const CODE = guestAddr(0x400000);
const OPTIONS = { hotThreshold: 100, noCompiler: true };
const TRAP = { kind: 'trap', vector: 3 };

function load(code: readonly number[]): Machine {
  const machine = newMachine();
  machine.space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 8192), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  machine.space.write(CODE, Uint8Array.from(code));
  machine.cpu.rip = CODE;
  return machine;
}

function first(code: readonly number[]): Engine {
  const { linear, cpu, space } = load(code);
  const engine = new Engine(linear, cpu, space, OPTIONS);
  // From the first other engine on, translations are kept.
  another(engine, [0xcc]);
  return engine;
}

function another(engine: Engine, code: readonly number[]): Engine {
  const { linear, cpu, space } = load(code);
  return engine.another(linear, cpu, space);
}

/** mov rbx, imm64; add rbx, rbx; pcmpeqd xmm1, xmm1 (all ones); cmp rbx, rbx; jne +0; mov rax, imm64; int3 */
const program = (a: number, b: number): number[] => [
  0x48, 0xbb, a, 2, 3, 4, 5, 6, 7, 8, 0x48, 0x01, 0xdb, 0x66, 0x0f, 0x76, 0xc9, 0x48, 0x39, 0xdb, 0x75, 0, 0x48, 0xb8, b, 2, 3, 4, 5, 6, 7, 8, 0xcc,
];

function check(engine: Engine, a: number, b: number): void {
  expect(engine.run(100)).toMatchObject(TRAP);
  expect(engine.cpu.big(RBX)).toBe((0x0807060504030200n + BigInt(a)) * 2n);
  expect(engine.cpu.big(RAX)).toBe(0x0807060504030200n + BigInt(b));
  const ones = engine.cpu.bytes().subarray((XMM[1] as { offset: number }).offset).subarray(0, 16);
  expect(ones.every((byte) => byte === 0xff)).toBe(true);
}

describe('translations of other processes', () => {
  it('are taken over where the same bytes lie at the same address, with their constants', () => {
    const engine = first(program(1, 9));
    check(engine, 1, 9);
    expect(engine.stats.blocks).toBe(2);
    const second = another(engine, program(1, 9));
    check(second, 1, 9);
    expect(second.stats.blocks).toBe(0);
    expect(second.instructions).toBe(engine.instructions);
  });

  it('are not where a byte differs', () => {
    const engine = first(program(1, 9));
    check(engine, 1, 9);
    const second = another(engine, program(1, 8));
    check(second, 1, 8);
    expect(second.stats.blocks).toBe(1);
    const third = another(engine, program(2, 8));
    check(third, 2, 8);
    expect(third.stats.blocks).toBe(1);
  });

  it('give way to code that the process writes', () => {
    const engine = first(program(1, 9));
    check(engine, 1, 9);
    const second = another(engine, program(1, 9));
    check(second, 1, 9);
    second.space.writeU8(CODE + 2, 77);
    second.cpu.rip = CODE;
    check(second, 77, 9);
  });

  it('are forgotten with everything else when another program is loaded', () => {
    const engine = first(program(1, 9));
    check(engine, 1, 9);
    const second = another(engine, program(1, 9));
    check(second, 1, 9);
    second.restart();
    second.cpu.rip = CODE;
    check(second, 1, 9);
    expect(second.stats.blocks).toBe(0);
  });
});
