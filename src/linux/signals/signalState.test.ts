import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { guestAddr } from '../../base/types.js';
import { RAX, RDI, RDX, RIP, RSP } from '../../layout/cpuState.js';
import { PROT, anonymousMapping } from '../../machine/addressSpace.js';
import { VECTOR, type Stop } from '../../machine/stop.js';
import { SS } from './altStack.js';
import { ERESTART } from './restart.js';
import { SA, SIG_DFL, SIG_IGN } from './signalActions.js';
import { FRAME } from './signalFrame.js';
import { SI } from './siginfo.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { SignalState } from './signalState.js';
import { CODE, DATA, PID, TestMachine } from './testMachine.js';

const HANDLER = CODE + 0x800;
const OTHER = CODE + 0x900;
const ALT = DATA + 0x4000;
const ALT_SIZE = 0x4000;
const UD: Stop = { kind: 'trap', vector: VECTOR.UD };

let machine: TestMachine;
beforeEach(() => {
  machine = new TestMachine();
});

function returnFromHandler(): void {
  machine.cpu.setNum(RSP, machine.cpu.num(RSP) + 8);
  expect(machine.call('rt_sigreturn')).toBe('noreturn');
}

function ignore(signal: number): void {
  machine.signals.setAction(signal, { handler: SIG_IGN, flags: 0, restorer: 0n, mask: 0n });
}

describe('default actions', () => {
  it.each([
    [SIG.TERM, false], [SIG.SEGV, true], [SIG.ABRT, true], [SIG.KILL, false], [SIG.ALRM, false], [40, false],
  ])('signal %i kills, core %s', (signal, dumpsCore) => {
    machine.signals.raise(signal);
    expect(machine.signals.hasDeliverable()).toBe(true);
    expect(machine.signals.deliverPending()).toMatchObject({ killedBy: signal, dumpsCore });
  });

  it('ignores some signals without them ever being pending', () => {
    for (const signal of [SIG.CHLD, SIG.CONT, SIG.URG, SIG.WINCH]) machine.signals.raise(signal);
    expect(machine.signals.pendingSet).toBe(0n);
  });

  it('stops, and SIGCONT takes back stop signals that wait', () => {
    machine.signals.raise(SIG.TSTP);
    expect(machine.signals.deliverPending()).toBe('continue');
    expect(machine.stops).toEqual([SIG.TSTP]);
    machine.signals.thread.blocked = setOf(SIG.TSTP);
    machine.signals.raise(SIG.TSTP);
    machine.signals.raise(SIG.CONT);
    expect(machine.signals.pendingSet).toBe(0n);
  });
});

it('says that signals raised by system calls come from the process itself', () => {
  const { cpu, space } = machine;
  const signals = new SignalState(cpu, space, { now: () => 0 }, { sender: { pid: PID, uid: 7 } });
  signals.raise(SIG.PIPE);
  const info = signals.takeFrom(~0n);
  expect(info).toMatchObject({ signal: SIG.PIPE, code: SI.USER });
  expect([...(info?.bytes.subarray(16, 24) ?? [])]).toEqual([PID & 0xff, PID >> 8, 0, 0, 7, 0, 0, 0]);
});

describe('forced signals', () => {
  it('kill if the signal is blocked', () => {
    machine.handle(SIG.ILL, HANDLER);
    machine.signals.thread.blocked = setOf(SIG.ILL);
    expect(machine.signals.fault(UD)).toMatchObject({ killedBy: SIG.ILL });
  });

  it('kill if the signal is ignored', () => {
    ignore(SIG.ILL);
    expect(machine.signals.fault(UD)).toMatchObject({ killedBy: SIG.ILL });
  });

  it('kill in the handler of the same signal, but not with SA_NODEFER', () => {
    machine.handle(SIG.ILL, HANDLER, SA.NODEFER);
    expect(machine.signals.fault(UD)).toBe('continue');
    expect(machine.signals.fault(UD)).toBe('continue');
    machine.handle(SIG.ILL, HANDLER);
    expect(machine.signals.fault(UD)).toBe('continue');
    expect(machine.signals.fault(UD)).toMatchObject({ killedBy: SIG.ILL });
  });

  it('leave trap number, error code and cr2 for later frames', () => {
    machine.handle(SIG.SEGV, HANDLER);
    machine.signals.fault({ kind: 'pageFault', address: 0x1234n, access: 'write', mapped: false });
    returnFromHandler();
    machine.handle(SIG.USR1, HANDLER);
    machine.signals.raise(SIG.USR1);
    machine.signals.deliverPending();
    const frame = machine.cpu.num(RSP);
    const at = (offset: number): number => machine.space.readNum64(frame + offset);
    expect([at(FRAME.trapNumber), at(FRAME.error), at(FRAME.cr2)]).toEqual([14, 6, 0x1234]);
  });
});

describe('delivery', () => {
  it('resets the action with SA_RESETHAND', () => {
    machine.handle(SIG.USR1, HANDLER, SA.RESETHAND);
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.deliverPending()).toBe('continue');
    expect(machine.signals.process.actions.get(SIG.USR1).handler).toBe(SIG_DFL);
  });

  it('blocks the signal and sa_mask while the handler runs', () => {
    machine.handle(SIG.USR1, HANDLER, 0, setOf(SIG.HUP, SIG.KILL));
    machine.signals.raise(SIG.USR1);
    machine.signals.deliverPending();
    expect(machine.signals.thread.blocked).toBe(setOf(SIG.USR1, SIG.HUP));
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.hasDeliverable()).toBe(false);
    returnFromHandler();
    expect(machine.signals.hasDeliverable()).toBe(true);
  });

  it('takes what an instruction raised first, then by number, then first come first served', () => {
    const order: number[] = [];
    for (const signal of [SIG.ILL, SIG.HUP, 40, 35]) machine.handle(signal, HANDLER, SA.NODEFER);
    const { signals } = machine;
    signals.thread.blocked = setOf(40, 35, SIG.HUP);
    for (const value of [40, 35, SIG.HUP, 40]) signals.raise(value);
    signals.raise(SIG.HUP);
    signals.thread.blocked = 0n;
    signals.fault(UD);
    // The last frame pushed is the first to run: unwinding shows the order backwards.
    for (let i = 0; i < 5; i++) {
      order.unshift(machine.cpu.num(RDI));
      returnFromHandler();
    }
    expect(order).toEqual([SIG.ILL, SIG.HUP, 35, 40, 40]);
    expect(machine.cpu.rip).toBe(CODE + 0x10);
  });

  it('leaves siginfo alone without SA_SIGINFO', () => {
    machine.handle(SIG.USR1, HANDLER, 0);
    const frame = (() => {
      machine.signals.raise(SIG.USR1);
      machine.signals.deliverPending();
      return machine.cpu.num(RSP);
    })();
    expect(machine.space.readU32(frame + FRAME.siginfo)).toBe(0);
  });

  it('drops a pending signal that becomes ignored', () => {
    machine.signals.thread.blocked = setOf(SIG.USR1);
    machine.signals.raise(SIG.USR1);
    ignore(SIG.USR1);
    expect(machine.signals.pendingSet).toBe(0n);
  });
});

describe('the alternate stack', () => {
  function setAltStack(flags = 0): void {
    machine.space.writeNum64(DATA, ALT);
    machine.space.writeU32(DATA + 8, flags);
    machine.space.writeNum64(DATA + 16, ALT_SIZE);
    expect(machine.call('sigaltstack', DATA, 0)).toBe(0);
  }

  function deliver(flags: number): number {
    machine.handle(SIG.USR1, HANDLER, flags);
    machine.signals.raise(SIG.USR1);
    machine.signals.deliverPending();
    return machine.cpu.num(RSP);
  }

  it('is used with SA_ONSTACK only', () => {
    setAltStack();
    expect(deliver(0)).toBeGreaterThan(ALT + ALT_SIZE);
    returnFromHandler();
    const frame = deliver(SA.ONSTACK);
    expect(frame).toBeGreaterThan(ALT);
    expect(frame).toBeLessThan(ALT + ALT_SIZE);
    expect(machine.space.readNum64(frame + FRAME.stack)).toBe(ALT);
  });

  it('goes on downwards when already in use, and cannot be changed then', () => {
    setAltStack();
    const first = deliver(SA.ONSTACK | SA.NODEFER);
    const second = deliver(SA.ONSTACK | SA.NODEFER);
    expect(second).toBeLessThan(first - 128);
    expect(second).toBeGreaterThan(ALT);
    expect(machine.call('sigaltstack', DATA, 0)).toBe(-E.PERM);
    expect(machine.call('sigaltstack', 0, DATA)).toBe(0);
    expect(machine.space.readU32(DATA + 8)).toBe(SS.ONSTACK);
  });

  it('that overflows is SIGSEGV', () => {
    setAltStack();
    let outcome: unknown = 'continue';
    for (let i = 0; i < 20 && outcome === 'continue'; i++) {
      machine.handle(SIG.USR1, HANDLER, SA.ONSTACK | SA.NODEFER);
      machine.signals.raise(SIG.USR1);
      outcome = machine.signals.deliverPending();
    }
    expect(outcome).toMatchObject({ killedBy: SIG.SEGV });
  });

  it('with SS_AUTODISARM is away during the handler and back after it', () => {
    setAltStack(SS.AUTODISARM);
    deliver(SA.ONSTACK);
    expect(machine.signals.thread.altStack.current).toEqual({ base: 0, flags: SS.DISABLE, size: 0 });
    returnFromHandler();
    expect(machine.signals.thread.altStack.current).toEqual({ base: ALT, flags: SS.AUTODISARM, size: ALT_SIZE });
  });

  it('has the errors of sigaltstack', () => {
    machine.space.writeNum64(DATA, ALT);
    machine.space.writeNum64(DATA + 16, 2047);
    expect(machine.call('sigaltstack', DATA, 0)).toBe(-E.NOMEM);
    machine.space.writeU32(DATA + 8, 4);
    expect(machine.call('sigaltstack', DATA, 0)).toBe(-E.INVAL);
    machine.call('sigaltstack', 0, DATA);
    expect(machine.space.readU32(DATA + 8)).toBe(SS.DISABLE);
  });
});

describe('a frame that does not fit', () => {
  const NOWHERE = 0x1000;

  it('is SIGSEGV, whose handler may run on the alternate stack', () => {
    machine.signals.thread.altStack.current = { base: ALT, flags: 0, size: ALT_SIZE };
    machine.handle(SIG.USR1, HANDLER);
    machine.handle(SIG.SEGV, OTHER, SA.ONSTACK | SA.SIGINFO);
    machine.cpu.setNum(RSP, NOWHERE);
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.deliverPending()).toBe('continue');
    expect(machine.cpu.rip).toBe(OTHER);
    expect(machine.cpu.num(RDI)).toBe(SIG.SEGV);
    expect(machine.space.readU32(machine.cpu.num(RDX) - 8 + FRAME.siginfo + 8)).toBe(0x80);
  });

  it.each([0x1000, 0, 64, 0x4141414141414141n, 0xffffffffffffffffn])('kills if SIGSEGV has nowhere to go either: rsp %s', (sp) => {
    machine.handle(SIG.USR1, HANDLER);
    machine.handle(SIG.SEGV, OTHER);
    machine.cpu.setBig(RSP, BigInt(sp));
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.deliverPending()).toMatchObject({ killedBy: SIG.SEGV });
  });

  it('grows the stack if that helps', () => {
    const [start, end] = [guestAddr(0x1000_0000), guestAddr(0x1000_1000)];
    machine.space.map(anonymousMapping({ start, end, prot: PROT.READ | PROT.WRITE, growsDown: true }));
    machine.handle(SIG.USR1, HANDLER);
    machine.cpu.setNum(RSP, start + 0x10);
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.deliverPending()).toBe('continue');
    expect(machine.cpu.num(RSP)).toBeLessThan(start);
  });
});

describe('an interrupted system call', () => {
  const NUMBER = 23;

  function interrupt(result: number, flags: number | undefined): { rax: number; rip: number } {
    if (flags !== undefined) {
      machine.handle(SIG.USR1, HANDLER, flags);
      machine.signals.raise(SIG.USR1);
    }
    machine.signals.deliverPending({ number: NUMBER, result });
    if (flags !== undefined) returnFromHandler();
    return { rax: machine.cpu.signed(RAX), rip: machine.cpu.num(RIP) - CODE };
  }

  it.each([
    ['SYS', 0, -E.INTR, 0x10], ['SYS', SA.RESTART, NUMBER, 0x0e], ['SYS', undefined, NUMBER, 0x0e],
    ['NOINTR', 0, NUMBER, 0x0e], ['NOHAND', SA.RESTART, -E.INTR, 0x10], ['NOHAND', undefined, NUMBER, 0x0e],
    ['RESTARTBLOCK', SA.RESTART, -E.INTR, 0x10], ['RESTARTBLOCK', undefined, 219, 0x0e],
  ] as const)('%s with flags %s', (kind, flags, rax, rip) => {
    expect(interrupt(-ERESTART[kind], flags)).toEqual({ rax, rip });
  });

  it('keeps its temporary mask until the handler has saved the old one', () => {
    machine.handle(SIG.USR1, HANDLER);
    machine.signals.thread.blocked = setOf(SIG.USR1);
    machine.signals.raise(SIG.USR1);
    expect(machine.signals.withMask(setOf(SIG.HUP), () => -ERESTART.NOHAND)).toBe(-ERESTART.NOHAND);
    machine.signals.deliverPending({ number: 130, result: -ERESTART.NOHAND });
    expect(machine.signals.thread.blocked).toBe(setOf(SIG.HUP, SIG.USR1));
    returnFromHandler();
    expect(machine.signals.thread.blocked).toBe(setOf(SIG.USR1));
    expect(machine.cpu.signed(RAX)).toBe(-E.INTR);
  });

  it('gets its mask back if it was not interrupted', () => {
    machine.signals.thread.blocked = setOf(SIG.USR1);
    expect(machine.signals.withMask(0n, () => 3)).toBe(3);
    expect(machine.signals.thread.blocked).toBe(setOf(SIG.USR1));
  });
});

it('may be interrupted only if a handler or a waiter cares', () => {
  expect(machine.signals.mayInterrupt()).toBe(false);
  machine.call('alarm', 1);
  expect(machine.signals.mayInterrupt()).toBe(true);
  machine.call('alarm', 0);
  machine.handle(SIG.INT, HANDLER);
  expect(machine.signals.mayInterrupt()).toBe(true);
});
