import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import {
  FPU_CONTROL, FPU_REG, FPU_STATUS, FPU_TAGS, FS_BASE, GPR, MXCSR, RAX, RIP, RSP, XMM, type Slot,
} from '../../layout/cpuState.js';
import type { Cpu } from '../../machine/cpu.js';
import { readEflags, writeEflags } from './eflags.js';
import { saveFx } from './fxState.js';
import { FRAME } from './signalFrame.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { CODE, STACK_TOP, TestMachine } from './testMachine.js';

const HANDLER = CODE + 0x800;

/** Everything a program can see of its registers. */
function visibleState(cpu: Cpu): unknown {
  return {
    registers: [...GPR, RIP, FS_BASE].map((slot) => cpu.big(slot)),
    flags: readEflags(cpu),
    fx: Buffer.from(saveFx(cpu)).toString('hex'),
  };
}

describe('deliver and return', () => {
  const machine = new TestMachine();
  const { cpu, signals } = machine;
  const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });

  it('restores everything', () => {
    const input = fc.record({
      registers: fc.array(word, { minLength: 16, maxLength: 16 }),
      vectors: fc.uint8Array({ minLength: 256, maxLength: 256 }),
      stack: fc.uint8Array({ minLength: 80, maxLength: 80 }),
      flags: fc.nat(0xdd5),
      sp: fc.nat(0x3000),
      mxcsr: fc.nat(0xffff),
      status: fc.nat(0xffff).map((bits) => bits & 0x7f7f),
      // Such as a program could have them: no exception pending, reserved bits as the hardware sets them.
      control: fc.nat(0xffff).map((bits) => (bits & 0x1f00) | 0x7f),
      tags: fc.nat(0xff),
      mask: word,
    });
    fc.assert(fc.property(input, (given) => {
      GPR.forEach((slot, i) => cpu.setBig(slot, given.registers[i] as bigint));
      cpu.setNum(RSP, STACK_TOP - 0x4000 + given.sp);
      cpu.rip = guestAddr(CODE + 0x20);
      cpu.setBig(FS_BASE, given.registers[4] as bigint);
      writeEflags(cpu, given.flags & ~0x100);
      cpu.setMxcsr(given.mxcsr);
      cpu.setI32(FPU_STATUS, given.status);
      cpu.setI32(FPU_CONTROL, given.control);
      cpu.setI32(FPU_TAGS, given.tags);
      FPU_REG.forEach(({ offset }, i) => cpu.bytes().set(given.stack.subarray(i * 10, i * 10 + 10), offset));
      cpu.bytes().set(given.vectors, (XMM[0] as Slot).offset);
      signals.thread.blocked = given.mask & ~setOf(SIG.USR1);
      const mask = signals.thread.blocked;
      const expected = visibleState(cpu);

      machine.handle(SIG.USR1, HANDLER);
      signals.raise(SIG.USR1);
      expect(signals.deliverPending()).toBe('continue');
      expect(cpu.rip).toBe(HANDLER);
      expect((cpu.num(RSP) + 8) % 16).toBe(0);
      // The handler's ret pops the restorer's address.
      cpu.setNum(RSP, cpu.num(RSP) + 8);
      machine.call('rt_sigreturn');
      expect(visibleState(cpu)).toEqual(expected);
      expect(signals.thread.blocked).toBe(mask);
    }), { numRuns: 60 });
  });

  function interrupted(): number {
    cpu.setNum(RSP, STACK_TOP - 0x2008);
    cpu.rip = guestAddr(CODE + 0x30);
    signals.thread.blocked = 0n;
    machine.handle(SIG.USR1, HANDLER);
    signals.raise(SIG.USR1);
    signals.deliverPending();
    return cpu.num(RSP);
  }

  function goBack(frame: number): void {
    cpu.setNum(RSP, frame + 8);
    machine.call('rt_sigreturn');
  }

  it('takes registers, flags and mask that the handler changed', () => {
    const frame = interrupted();
    machine.space.writeU64(frame + FRAME.registers + 13 * 8, 0xfeed_beef_0000_0001n);
    machine.space.writeNum64(frame + FRAME.registers + 16 * 8, CODE + 0x99);
    machine.space.writeU64(frame + FRAME.registers + 17 * 8, 0xffff_ffffn);
    machine.space.writeU64(frame + FRAME.mask, setOf(SIG.KILL, SIG.HUP));
    goBack(frame);
    expect(cpu.big(RAX)).toBe(0xfeed_beef_0000_0001n);
    expect(cpu.rip).toBe(CODE + 0x99);
    // NT and ID are not the handler's to change.
    expect(readEflags(cpu)).toBe(0x40fd7);
    expect(signals.thread.blocked).toBe(setOf(SIG.HUP));
  });

  it.each([
    ['reserved bits in MXCSR', (frame: number) => machine.space.writeU32(machine.space.readNum64(frame + FRAME.fpState) + 24, 0x10000)],
    ['an unaligned image', (frame: number) => machine.space.writeNum64(frame + FRAME.fpState, frame + 1)],
    ['an unmapped image', (frame: number) => machine.space.writeNum64(frame + FRAME.fpState, 0x100)],
    ['a wrong code segment', (frame: number) => machine.space.writeU16(frame + FRAME.segments, 0x10)],
  ])('with %s is SIGSEGV', (_, spoil) => {
    writeEflags(cpu, 0);
    const frame = interrupted();
    spoil(frame);
    goBack(frame);
    expect(signals.deliverPending()).toMatchObject({ killedBy: SIG.SEGV, info: { code: 0x80 } });
  });

  it('without an image resets floating point', () => {
    const frame = interrupted();
    machine.space.writeU64(frame + FRAME.fpState, 0n);
    cpu.setMxcsr(0x1fbf);
    goBack(frame);
    expect(signals.hasDeliverable()).toBe(false);
    expect(cpu.lo(MXCSR)).toBe(0x1f80);
  });

  it('from a stack that is not there is SIGSEGV', () => {
    cpu.setNum(RSP, 0x1000);
    machine.call('rt_sigreturn');
    expect(signals.deliverPending()).toMatchObject({ killedBy: SIG.SEGV });
  });
});
