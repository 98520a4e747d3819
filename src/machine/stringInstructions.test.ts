/**
 * Repeated string instructions where single cases against the CPU do not reach: many pages, overlap, faults on the way.
 */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { DF, RAX, RCX, RDI, RSI } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { DEFAULT_ENGINE_OPTIONS } from './engineOptions.js';
import { LinearMemory } from './linearMemory.js';
import type { Stop } from './stop.js';

const CODE = 0x400000;
const DATA = 0x555555560000;
const PAGES = 8;
const END = DATA + PAGES * 4096;

const REP = { movsb: [0xf3, 0xa4], movsq: [0xf3, 0x48, 0xa5], stosb: [0xf3, 0xaa], stosd: [0xf3, 0xab], cmpsb: [0xf3, 0xa6], scasb: [0xf2, 0xae], lodsw: [0xf3, 0x66, 0xad] };

function machine(code: readonly number[]) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  const cpu = new Cpu(linear);
  space.map(anonymousMapping({ start: guestAddr(CODE), end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: guestAddr(DATA), end: guestAddr(END), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(code));
  cpu.rip = guestAddr(CODE);
  const engine = new Engine(linear, cpu, space, { ...DEFAULT_ENGINE_OPTIONS, noCompiler: true });
  const run = (registers: { rcx: number; rsi?: number; rdi?: number; rax?: number; df?: number }): Stop => {
    cpu.setNum(RCX, registers.rcx);
    cpu.setNum(RSI, registers.rsi ?? 0);
    cpu.setNum(RDI, registers.rdi ?? 0);
    cpu.setNum(RAX, registers.rax ?? 0);
    cpu.setI32(DF, registers.df ?? 0);
    return engine.run(1);
  };
  return { cpu, space, run };
}

function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
}

describe('rep movs', () => {
  it('copies across pages', () => {
    const m = machine(REP.movsb);
    const bytes = pattern(10_000);
    m.space.poke(DATA + 5, bytes);
    expect(m.run({ rcx: 10_000, rsi: DATA + 5, rdi: DATA + 17_001 })).toEqual({ kind: 'budget' });
    expect(m.space.peek(DATA + 17_001, 10_000)).toEqual(bytes);
    expect([m.cpu.num(RCX), m.cpu.num(RSI), m.cpu.num(RDI)]).toEqual([0, DATA + 10_005, DATA + 27_001]);
  });

  it.each([1, 3, 8, 17, 100])('repeats what lies before an overlapping target, %i bytes away', (distance) => {
    const m = machine(REP.movsb);
    m.space.poke(DATA, pattern(distance));
    m.run({ rcx: 9000, rsi: DATA, rdi: DATA + distance });
    const expected = Uint8Array.from({ length: 9000 }, (_, i) => pattern(distance)[i % distance]!);
    expect(m.space.peek(DATA, 9000)).toEqual(expected);
  });

  it('moves whole elements when they overlap', () => {
    const m = machine(REP.movsq);
    m.space.poke(DATA, pattern(64));
    m.run({ rcx: 4, rsi: DATA, rdi: DATA + 3 });
    const expected = pattern(64);
    for (let i = 0; i < 4; i++) expected.set(expected.slice(i * 8, i * 8 + 8), 3 + i * 8);
    expect(m.space.peek(DATA, 64)).toEqual(expected);
  });

  it('copies downwards with DF', () => {
    const m = machine(REP.movsb);
    const bytes = pattern(9000);
    m.space.poke(DATA, bytes);
    m.run({ rcx: 9000, rsi: DATA + 8999, rdi: DATA + 9999, df: 1 });
    expect(m.space.peek(DATA + 1000, 9000)).toEqual(bytes);
    expect(m.cpu.num(RDI)).toBe(DATA + 999);
  });

  it('stops at a fault with the registers where it got to', () => {
    const m = machine(REP.movsb);
    const stop = m.run({ rcx: 100, rsi: DATA, rdi: END - 40 });
    expect(stop).toEqual({ kind: 'pageFault', address: BigInt(END), access: 'write', mapped: false });
    expect([m.cpu.num(RCX), m.cpu.num(RSI), m.cpu.num(RDI), m.cpu.rip]).toEqual([60, DATA + 40, END, CODE]);
  });

  it('does nothing for a count of 0', () => {
    const m = machine(REP.movsb);
    expect(m.run({ rcx: 0, rsi: 1, rdi: 2 })).toEqual({ kind: 'budget' });
    expect(m.cpu.rip).toBe(CODE + 2);
  });
});

describe('rep stos and lods', () => {
  it.each([['stosb', 1, 0x5a], ['stosd', 4, 0], ['stosd', 4, 0x12345678]] as const)('%s fills with elements of %i bytes', (name, size, value) => {
    const m = machine(REP[name]);
    m.run({ rcx: 3000, rdi: DATA + 1, rax: value });
    const element = [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >> 24) & 0xff];
    const expected = Uint8Array.from({ length: 3000 * size }, (_, i) => element[i % size]!);
    expect(m.space.peek(DATA + 1, 3000 * size)).toEqual(expected);
    expect(m.cpu.num(RDI)).toBe(DATA + 1 + 3000 * size);
  });

  it('lods keeps the upper bytes of rax', () => {
    const m = machine(REP.lodsw);
    m.space.poke(DATA + 4094, Uint8Array.from([1, 2, 3, 4]));
    m.run({ rcx: 2, rsi: DATA + 4094, rax: 0x1_0000_0000_0000 });
    expect(m.cpu.num(RAX)).toBe(0x1_0000_0000_0403);
  });
});

describe('repe cmps and repne scas', () => {
  it('find the first difference', () => {
    const m = machine(REP.cmpsb);
    m.space.poke(DATA, pattern(8000));
    m.space.poke(DATA + 10_000, pattern(8000));
    m.space.poke(DATA + 17_000, Uint8Array.of(0));
    m.run({ rcx: 8000, rsi: DATA, rdi: DATA + 10_000 });
    expect([m.cpu.num(RCX), m.cpu.num(RSI)]).toEqual([999, DATA + 7001]);
  });

  it('find the end of a string', () => {
    const m = machine(REP.scasb);
    m.space.poke(DATA + 4000, new Uint8Array(5000).fill(65));
    m.run({ rcx: 0xffff_ffff, rdi: DATA + 4000 });
    expect(m.cpu.num(RDI)).toBe(DATA + 9001);
  });
});
