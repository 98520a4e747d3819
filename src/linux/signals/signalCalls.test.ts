import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { Wait } from '../waiting.js';
import { ERESTART } from './restart.js';
import { SI } from './siginfo.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { CODE, DATA, PID, TestMachine } from './testMachine.js';

const HANDLER = CODE + 0x800;
const NULL_PAGE = 0x10;
const SECOND = 1e9;

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});

describe('rt_sigaction', () => {
  function writeAction(flags: number, mask: bigint): void {
    machine.space.writeNum64(DATA, HANDLER);
    machine.space.writeNum64(DATA + 8, flags);
    machine.space.writeNum64(DATA + 16, CODE);
    machine.space.writeU64(DATA + 24, mask);
  }

  it('stores and reports, without flags and signals that there are not', () => {
    writeAction(0x8400_0404, setOf(SIG.KILL, SIG.HUP));
    expect(machine.call('rt_sigaction', SIG.USR1, DATA, 0, 8)).toBe(0);
    expect(machine.call('rt_sigaction', SIG.USR1, 0, DATA + 64, 8)).toBe(0);
    expect(machine.space.readNum64(DATA + 64)).toBe(HANDLER);
    expect(machine.space.readNum64(DATA + 72)).toBe(0x8400_0004);
    expect(machine.space.readNum64(DATA + 80)).toBe(CODE);
    expect(machine.space.readU64(DATA + 88)).toBe(setOf(SIG.HUP));
  });

  it('has its errors', () => {
    expect(machine.call('rt_sigaction', SIG.USR1, DATA, 0, 16)).toBe(-E.INVAL);
    for (const signal of [0, 65, -1, SIG.KILL, SIG.STOP]) expect(machine.call('rt_sigaction', signal, DATA, 0, 8)).toBe(-E.INVAL);
    expect(machine.call('rt_sigaction', SIG.KILL, 0, DATA, 8)).toBe(0);
    expect(() => machine.call('rt_sigaction', 0, NULL_PAGE, 0, 8)).toThrow(BadAddress);
  });
});

describe('rt_sigprocmask and rt_sigpending', () => {
  it('block, unblock and set', () => {
    machine.space.writeU64(DATA, setOf(SIG.HUP, SIG.KILL));
    expect(machine.call('rt_sigprocmask', 0, DATA, 0, 8)).toBe(0);
    expect(machine.signals.thread.blocked).toBe(setOf(SIG.HUP));
    machine.space.writeU64(DATA, setOf(SIG.INT));
    expect(machine.call('rt_sigprocmask', 2, DATA, DATA + 8, 8)).toBe(0);
    expect(machine.space.readU64(DATA + 8)).toBe(setOf(SIG.HUP));
    expect(machine.call('rt_sigprocmask', 1, DATA, 0, 8)).toBe(0);
    expect(machine.signals.thread.blocked).toBe(0n);
    expect(machine.call('rt_sigprocmask', 3, DATA, 0, 8)).toBe(-E.INVAL);
    expect(machine.call('rt_sigprocmask', 3, 0, DATA, 8)).toBe(0);
    expect(machine.call('rt_sigprocmask', 0, 0, DATA, 4)).toBe(-E.INVAL);
  });

  it('show what is blocked and pending', () => {
    machine.signals.thread.blocked = setOf(SIG.HUP, 40);
    for (const signal of [SIG.HUP, 40, SIG.USR1]) machine.call('kill', PID, signal);
    expect(machine.call('rt_sigpending', DATA, 8)).toBe(0);
    expect(machine.space.readU64(DATA)).toBe(setOf(SIG.HUP, 40));
    expect(machine.call('rt_sigpending', DATA, 9)).toBe(-E.INVAL);
  });
});

describe('sending', () => {
  it.each([
    ['kill', [PID, 0], 0], ['kill', [PID, 65], -E.INVAL], ['kill', [PID, -1], -E.INVAL], ['kill', [-1, SIG.TERM], -E.SRCH],
    ['kill', [0, 0], 0], ['kill', [-PID, 0], 0], ['kill', [-0x8000_0000, 0], -E.SRCH], ['kill', [PID + 1, 99], -E.INVAL],
    ['tkill', [0, 1], -E.INVAL], ['tkill', [PID + 1, 1], -E.SRCH], ['tkill', [PID, 99], -E.INVAL],
    ['tgkill', [PID, 0, 1], -E.INVAL], ['tgkill', [-1, PID, 1], -E.INVAL], ['tgkill', [PID + 1, PID, 1], -E.SRCH],
    ['tgkill', [PID, PID, 0], 0],
  ] as const)('%s(%j) is %i', (name, args, result) => {
    expect(machine.call(name, ...args)).toBe(result);
    expect(machine.signals.pendingSet).toBe(0n);
  });

  function taken(): { signal: number; code: number; pid: number; uid: number } {
    expect(machine.call('rt_sigtimedwait', DATA, DATA + 64, DATA + 32, 8)).toBeGreaterThan(0);
    const at = (offset: number): number => machine.space.readI32(DATA + 64 + offset);
    return { signal: at(0), code: at(8), pid: at(16), uid: at(20) };
  }

  it('says who sent it', () => {
    machine.space.writeU64(DATA, setOf(SIG.USR1, SIG.USR2));
    machine.signals.thread.blocked = setOf(SIG.USR1, SIG.USR2);
    machine.call('kill', PID, SIG.USR1);
    expect(taken()).toEqual({ signal: SIG.USR1, code: SI.USER, pid: PID, uid: 1000 });
    machine.call('tgkill', PID, PID, SIG.USR2);
    expect(taken()).toEqual({ signal: SIG.USR2, code: SI.TKILL, pid: PID, uid: 1000 });
  });

  it('hands queued values through, in order', () => {
    machine.signals.thread.blocked = setOf(40);
    machine.space.writeU64(DATA, setOf(40));
    for (const value of [7, 8]) {
      machine.space.writeU32(DATA + 128 + 8, SI.QUEUE);
      machine.space.writeNum64(DATA + 128 + 24, value);
      expect(machine.call('rt_sigqueueinfo', PID, 40, DATA + 128)).toBe(0);
    }
    for (const value of [7, 8]) {
      expect(taken().code).toBe(SI.QUEUE);
      expect(machine.space.readNum64(DATA + 64 + 24)).toBe(value);
    }
    expect(machine.call('rt_sigtimedwait', DATA, 0, DATA + 512, 8)).toBeInstanceOf(Wait);
  });

  it('fails when the queue is full', () => {
    machine.signals.process.queueLimit = 1;
    machine.signals.thread.blocked = setOf(40, SIG.HUP);
    machine.space.writeU32(DATA + 8, SI.QUEUE);
    expect(machine.call('rt_sigqueueinfo', PID, 40, DATA)).toBe(0);
    expect(machine.call('rt_sigqueueinfo', PID, 40, DATA)).toBe(-E.AGAIN);
    expect(machine.call('kill', PID, SIG.HUP)).toBe(0);
    expect(machine.call('rt_sigqueueinfo', PID + 1, 40, DATA)).toBe(-E.SRCH);
  });
});

describe('waiting', () => {
  it('rt_sigtimedwait times out, or is interrupted by another signal', () => {
    machine.space.writeU64(DATA, setOf(SIG.USR1));
    machine.space.writeNum64(DATA + 32, 2);
    expect(machine.wait('rt_sigtimedwait', DATA, 0, DATA + 32, 8)).toBe(-E.AGAIN);
    expect(machine.now).toBeGreaterThanOrEqual(3 * SECOND);
    machine.handle(SIG.ALRM, HANDLER);
    machine.call('alarm', 1);
    expect(machine.wait('rt_sigtimedwait', DATA, 0, 0, 8)).toBe(-E.INTR);
    machine.space.writeNum64(DATA + 40, 1e9);
    expect(machine.call('rt_sigtimedwait', DATA, 0, DATA + 32, 8)).toBe(-E.INVAL);
  });

  it('rt_sigsuspend waits with its own mask', () => {
    machine.handle(SIG.ALRM, HANDLER);
    machine.signals.thread.blocked = setOf(SIG.ALRM);
    machine.call('alarm', 1);
    expect(machine.wait('rt_sigsuspend', DATA, 8)).toBe(-ERESTART.NOHAND);
    expect(machine.signals.hasDeliverable()).toBe(true);
    expect(machine.call('rt_sigsuspend', DATA, 4)).toBe(-E.INVAL);
  });
});
