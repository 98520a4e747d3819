import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { SI } from './siginfo.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { CODE, DATA, TestMachine } from './testMachine.js';

const HANDLER = CODE + 0x800;
const SECOND = 1e9;
const OLD = DATA + 256;

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
  machine.signals.thread.blocked = setOf(SIG.ALRM, SIG.VTALRM, SIG.PROF, 40);
});

function writeTimes(interval: readonly [number, number], value: readonly [number, number]): void {
  [...interval, ...value].forEach((n, i) => machine.space.writeNum64(DATA + i * 8, n));
}

function readTimes(): number[] {
  return [0, 8, 16, 24].map((offset) => machine.space.readNum64(OLD + offset));
}

function advance(nanoseconds: number): boolean {
  machine.now += nanoseconds;
  machine.signals.checkTimers();
  return machine.signals.pendingSet !== 0n;
}

function take(): number | undefined {
  return machine.signals.takeFrom(~0n)?.signal;
}

describe('alarm', () => {
  it('fires once, and reports what was left, rounded as Linux rounds', () => {
    expect(machine.call('alarm', 10)).toBe(0);
    machine.now += 3.4 * SECOND;
    expect(machine.call('alarm', 5)).toBe(7);
    machine.now += 4.9 * SECOND;
    expect(machine.call('alarm', 2)).toBe(1);
    expect(machine.signals.nextTimerDue(true)).toBe(2 * SECOND);
    expect(advance(1.9 * SECOND)).toBe(false);
    expect(advance(0.2 * SECOND)).toBe(true);
    expect(machine.signals.takeFrom(~0n)).toMatchObject({ signal: SIG.ALRM, code: SI.KERNEL });
    expect(machine.signals.nextTimerDue(true)).toBeUndefined();
    expect(machine.call('alarm', 0)).toBe(0);
  });

  it('set anew while the old one is pending still fires', () => {
    machine.call('alarm', 1);
    advance(SECOND);
    machine.call('alarm', 1);
    expect(take()).toBe(SIG.ALRM);
    expect(advance(SECOND)).toBe(true);
  });

  it('merges with a SIGALRM that is pending', () => {
    machine.signals.raise(SIG.ALRM);
    machine.call('alarm', 1);
    advance(SECOND);
    expect([take(), take()]).toEqual([SIG.ALRM, SIG.ALRM]);
    machine.call('kill', machine.process.pid, SIG.ALRM);
    machine.call('alarm', 1);
    advance(SECOND);
    expect([take(), take()]).toEqual([SIG.ALRM, undefined]);
  });

  it('is delivered without anybody asking for timers', () => {
    machine.signals.thread.blocked = 0n;
    machine.handle(SIG.ALRM, HANDLER);
    machine.call('alarm', 1);
    expect(machine.signals.hasDeliverable()).toBe(false);
    machine.now += SECOND;
    expect(machine.signals.hasDeliverable()).toBe(true);
  });
});

describe('setitimer', () => {
  it.each([[0, SIG.ALRM], [1, SIG.VTALRM], [2, SIG.PROF]])('%i repeats with signal %i', (which, signal) => {
    writeTimes([0, 500_000], [1, 0]);
    expect(machine.call('setitimer', which, DATA, 0)).toBe(0);
    expect(advance(SECOND)).toBe(true);
    expect(take()).toBe(signal);
    expect(advance(0.4 * SECOND)).toBe(false);
    expect(machine.call('getitimer', which, OLD)).toBe(0);
    expect(readTimes()).toEqual([0, 500_000, 0, 100_000]);
    expect(advance(0.2 * SECOND)).toBe(true);
    // A null pointer disarms.
    expect(machine.call('setitimer', which, 0, OLD)).toBe(0);
    expect(readTimes()[1]).toBe(500_000);
    take();
    expect(advance(10 * SECOND)).toBe(false);
  });

  it('has its errors', () => {
    writeTimes([0, 0], [0, 1_000_000]);
    expect(machine.call('setitimer', 0, DATA, 0)).toBe(-E.INVAL);
    writeTimes([0, 0], [-1, 0]);
    expect(machine.call('setitimer', 0, DATA, 0)).toBe(-E.INVAL);
    expect(machine.call('setitimer', 3, 0, 0)).toBe(-E.INVAL);
    expect(machine.call('getitimer', -1, OLD)).toBe(-E.INVAL);
    expect(() => machine.call('getitimer', 0, 16)).toThrow(BadAddress);
  });
});

describe('POSIX timers', () => {
  const EVENT = DATA + 512;

  function create(signal: number, notify: number, value: number): number {
    machine.space.writeNum64(EVENT, value);
    machine.space.writeU32(EVENT + 8, signal);
    machine.space.writeU32(EVENT + 12, notify);
    expect(machine.call('timer_create', 1, EVENT, OLD)).toBe(0);
    return machine.space.readU32(OLD);
  }

  it('send signals with value, number and overrun', () => {
    create(40, 0, 1);
    const id = create(40, 0, 0xabcdef);
    writeTimes([0, 1000], [0, 5000]);
    expect(machine.call('timer_settime', id, 0, DATA, 0)).toBe(0);
    expect(advance(5000 + 3500)).toBe(true);
    const info = machine.signals.takeFrom(~0n);
    const view = new DataView(info!.bytes.buffer);
    expect(info).toMatchObject({ signal: 40, code: SI.TIMER });
    expect([view.getInt32(16, true), view.getInt32(20, true), view.getUint32(24, true)]).toEqual([id, 3, 0xabcdef]);
    expect(machine.call('timer_getoverrun', id)).toBe(3);
    expect(machine.call('timer_gettime', id, OLD)).toBe(0);
    expect(readTimes()).toEqual([0, 1000, 0, 500]);
    expect(machine.call('timer_delete', id)).toBe(0);
    expect(advance(SECOND)).toBe(false);
    expect(machine.call('timer_gettime', id, OLD)).toBe(-E.INVAL);
  });

  it('take absolute times, and SIGEV_NONE sends nothing', () => {
    const id = create(40, 0, 0);
    const silent = create(0, 1, 0);
    writeTimes([0, 0], [5, 0]);
    machine.call('timer_settime', id, 1, DATA, 0);
    machine.call('timer_settime', silent, 1, DATA, 0);
    expect(machine.now + (machine.signals.nextTimerDue(true) ?? 0)).toBe(5 * SECOND);
    machine.call('timer_gettime', silent, OLD);
    expect(readTimes()).toEqual([0, 0, 4, 0]);
    expect(advance(5 * SECOND)).toBe(true);
    expect([take(), take()]).toEqual([40, undefined]);
    machine.call('timer_gettime', silent, OLD);
    expect(readTimes()).toEqual([0, 0, 0, 0]);
  });

  it('send SIGALRM with their number if nothing was asked for', () => {
    machine.call('timer_create', 0, 0, OLD);
    writeTimes([0, 0], [0, 1]);
    machine.call('timer_settime', 0, 0, DATA, 0);
    advance(1);
    expect(machine.signals.takeFrom(~0n)).toMatchObject({ signal: SIG.ALRM, code: SI.TIMER });
  });

  it('go on counting while their signal is ignored', () => {
    machine.signals.thread.blocked = 0n;
    machine.signals.setAction(40, { handler: 1n, flags: 0, restorer: 0n, mask: 0n });
    const id = create(40, 0, 0);
    writeTimes([1, 0], [1, 0]);
    machine.call('timer_settime', id, 0, DATA, 0);
    expect(advance(1.5 * SECOND)).toBe(false);
    expect(machine.now + (machine.signals.nextTimerDue(true) ?? 0)).toBe(3 * SECOND);
  });

  it('have their errors', () => {
    expect(machine.call('timer_create', 99, 0, OLD)).toBe(-E.INVAL);
    expect(machine.call('timer_create', 4, 0, OLD)).toBe(-E.OPNOTSUPP);
    machine.space.writeU32(EVENT + 8, 65);
    expect(machine.call('timer_create', 1, EVENT, OLD)).toBe(-E.INVAL);
    machine.space.writeU32(EVENT + 8, 1);
    machine.space.writeU32(EVENT + 12, 9);
    expect(machine.call('timer_create', 1, EVENT, OLD)).toBe(-E.INVAL);
    expect(machine.call('timer_settime', 0, 0, 0, 0)).toBe(-E.INVAL);
    expect(machine.call('timer_settime', 0, 0, DATA, 0)).toBe(-E.INVAL);
    expect(machine.call('timer_delete', 0)).toBe(-E.INVAL);
    expect(machine.call('timer_getoverrun', 0)).toBe(-E.INVAL);
  });
});
