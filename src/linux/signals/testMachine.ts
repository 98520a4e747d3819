/** For the tests beside this file: a CPU with memory and signals. */
import { E } from '../../base/errno.js';
import { guestAddr } from '../../base/types.js';
import { FLAG, GPR, OTHER_FLAGS, RDI, RDX, RSI, RSP, type Slot } from '../../layout/cpuState.js';
import { AddressSpace, PROT, anonymousMapping } from '../../machine/addressSpace.js';
import { Cpu } from '../../machine/cpu.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import type { TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';
import { fromNanoseconds } from '../syscalls/timeouts.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { SyscallArgs } from '../syscallArgs.js';
import { resetFx } from './fxState.js';
import { SA } from './signalActions.js';
import { signalCalls } from './signalCalls.js';
import { EMPTY_SET } from '../../base/signalNumbers.js';
import { SignalState } from './signalState.js';

export const CODE = 0x40_0000;
export const DATA = 0x50_0000;
export const STACK_TOP = 0x7fff_ffff_f000;
export const RESTORER = 0x40_0100;
export const PID = 4242;
const ARGUMENTS = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];

export class TestMachine {
  readonly cpu: Cpu;
  readonly space: AddressSpace;
  readonly signals: SignalState;
  readonly calls: SyscallFamily;
  /** Nanoseconds. */
  now = 1e9;
  readonly stops: number[] = [];
  readonly process: Process;

  constructor() {
    const linear = new LinearMemory();
    this.cpu = new Cpu(linear);
    this.space = new AddressSpace(linear);
    this.map(CODE, 4, PROT.READ | PROT.EXEC);
    this.map(DATA, 16, PROT.READ | PROT.WRITE);
    this.map(STACK_TOP - 0x10000, 16, PROT.READ | PROT.WRITE);
    this.cpu.setNum(RSP, STACK_TOP - 0x1008);
    this.cpu.rip = guestAddr(CODE + 0x10);
    this.cpu.setI32(OTHER_FLAGS, FLAG.IF);
    resetFx(this.cpu);
    this.signals = new SignalState(this.cpu, this.space, { now: () => this.now }, {
      onStop: (n) => {
        this.stops.push(n);
        return false;
      },
    });
    this.calls = signalCalls;
    this.process = fakeProcess(this);
  }

  map(start: number, pages: number, prot: number): void {
    this.space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(start + pages * 4096), prot }));
  }

  /** Makes a system call; its result is not put into rax. */
  call(name: string, ...args: readonly (number | bigint)[]): SyscallResult {
    args.forEach((value, i) => this.cpu.setBig(ARGUMENTS[i] as Slot, BigInt(value)));
    const handler = this.calls[name];
    if (handler === undefined) throw new Error(`no ${name}`);
    return handler(this.process, new SyscallArgs(this.cpu));
  }

  /** Makes a system call that has to wait, and waits: the clock moves on until something happens. */
  wait(name: string, ...args: readonly (number | bigint)[]): number {
    const wait = this.call(name, ...args);
    if (typeof wait !== 'object') throw new Error(`${name} does not wait`);
    for (;;) {
      const result = wait.attempt();
      if (result !== -E.AGAIN) return wait.finish(result);
      if (this.signals.hasDeliverable()) return wait.finish(wait.interrupted());
      if (this.now >= wait.deadline) return wait.finish(wait.onTimeout);
      this.now = Math.min(wait.deadline, this.now + (this.signals.nextTimerDue(true) ?? Infinity));
    }
  }

  /** Installs a handler that is entered at `handler`. */
  handle(signal: number, handler: number, flags: number = SA.SIGINFO, mask = EMPTY_SET): void {
    const action = { handler: BigInt(handler), flags: flags | SA.RESTORER, restorer: BigInt(RESTORER), mask };
    this.signals.setAction(signal, action);
  }
}

/** As much of a process as the system calls here look at; its clock is the machine's. */
function fakeProcess(machine: TestMachine): Process {
  const time = (): TimeSpec => fromNanoseconds(machine.now);
  const process = {
    pid: PID,
    tid: PID,
    tasks: [{ tid: PID, signals: machine.signals.thread }],
    space: machine.space,
    signals: machine.signals,
    credentials: { user: { real: 1000 }, processGroup: PID },
    clock: { now: () => machine.now, realtime: time, monotonic: time, boottime: time },
    family: { children: [] },
    host: { signals: { listen: () => () => {}, send: () => -3 } },
  };
  const world = { processes: [process], tasks: process.tasks, outside: { update: () => {} } };
  return Object.assign(process, { world }) as unknown as Process;
}
