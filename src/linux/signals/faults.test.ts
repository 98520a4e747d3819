import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { GPR, RIP, type Slot } from '../../layout/cpuState.js';
import { VECTOR, type Stop } from '../../machine/stop.js';
import { faultOf } from './faults.js';
import { infoAddress } from './siginfo.js';
import { CODE, TestMachine } from './testMachine.js';

/** The other cases are in native.test.ts. */
describe('faults', () => {
  it('of unknown instructions are SIGILL', () => {
    const { cpu, space } = new TestMachine();
    const fault = faultOf({ kind: 'unknownInstruction', at: cpu.rip, bytes: new Uint8Array(2), text: '' }, cpu, space);
    expect(fault).toMatchObject({ info: { signal: 4, code: 2 }, trapNumber: 6, errorCode: 0, resumes: true });
    expect(fault && infoAddress(fault.info)).toBe(cpu.big(RIP));
  });

  it('of floating point that is not pending any more are none', () => {
    const { cpu, space } = new TestMachine();
    expect(faultOf({ kind: 'trap', vector: VECTOR.XM }, cpu, space)).toBeUndefined();
    expect(faultOf({ kind: 'trap', vector: VECTOR.MF }, cpu, space)).toBeUndefined();
  });

  it.each([[0x01, 7], [0x02, 5], [0x04, 3], [0x08, 4], [0x10, 5], [0x20, 6], [0x21, 7]])(
    'of SSE with flags %i have code %i', (flags, code) => {
      const { cpu, space } = new TestMachine();
      cpu.setMxcsr(flags);
      expect(faultOf({ kind: 'trap', vector: VECTOR.XM }, cpu, space)?.info.code).toBe(code);
    },
  );

  it('of push with a memory operand blame the access that failed', () => {
    const { cpu, space } = new TestMachine();
    const wild = 0x4141414141414141n;
    space.poke(CODE, Uint8Array.from([0xff, 0x30]));
    cpu.rip = guestAddr(CODE);
    cpu.setBig(GPR[0] as Slot, wild);
    const stop: Stop = { kind: 'pageFault', address: wild, access: 'read', mapped: false };
    expect(faultOf(stop, cpu, space)).toMatchObject({ info: { signal: 11, code: 128 }, trapNumber: 13 });
  });
});
