/**
 * The loop of a guest process: let the engine run until something happens, answer it, go on. A
 * system call that need not wait is answered without a trip through the event loop.
 */
import { assertNever } from '../base/assert.js';
import { type GuestAddr, hex } from '../base/types.js';
import { RAX } from '../layout/cpuState.js';
import type { Stop } from '../machine/stop.js';
import { linuxSyscallTable } from './linuxSyscalls.js';
import type { ExitStatus, Process } from './process.js';
import type { InterruptedCall, SignalOutcome } from './signalPort.js';
import { ERESTART } from './signals/restart.js';
import { SyscallDispatcher, type SyscallEntry } from './syscallTable.js';

export type { ExitStatus } from './process.js';

export interface Engine {
  /** Runs until something needs us, or about that many instructions have retired. */
  run(maxInstructions: number): Stop;
  readonly instructions: number;
  /** Makes `run` return soon with 'interrupted'. */
  requestStop(): void;
}

export interface KernelOptions {
  /** A name for a code address (symbol and offset), for messages. */
  readonly nameAddress?: (address: GuestAddr) => string | undefined;
  /** Default: all that linuxSyscalls.ts has. */
  readonly table?: readonly (SyscallEntry | undefined)[];
}

/** Instructions between two looks at clock and timers: a few milliseconds. */
const SLICE = 4_000_000;
/** The event loop gets its turn this often, so that Ctrl-C and timers are noticed. */
const YIELD_MILLISECONDS = 50;
/** System calls between two looks at the clock. */
const CALLS_PER_LOOK = 128;

const LAST_STANDARD_FD = 2;

export class Kernel {
  private readonly dispatcher: SyscallDispatcher;
  private lastYield: number;
  private callsUntilLook = CALLS_PER_LOOK;

  constructor(
    private readonly engine: Engine,
    private readonly process: Process,
    private readonly options: KernelOptions = {},
  ) {
    this.dispatcher = new SyscallDispatcher(process, options.table ?? linuxSyscallTable(process.signals));
    this.lastYield = process.host.clock.milliseconds();
  }

  async run(): Promise<ExitStatus> {
    const { process, engine } = this;
    for (;;) {
      const stop = engine.run(SLICE);
      if (stop.kind === 'syscall') {
        const waiting = this.systemCall();
        if (waiting !== undefined) await waiting;
      } else {
        this.handle(stop);
      }
      if (process.exitStatus !== undefined) return this.finish(process.exitStatus);
      if (this.timeToLook(stop)) {
        process.signals.checkTimers();
        if (process.host.clock.milliseconds() - this.lastYield > YIELD_MILLISECONDS) await this.yield();
      }
      if (process.signals.hasDeliverable()) this.settle(process.signals.deliverPending());
      if (process.exitStatus !== undefined) return this.finish(process.exitStatus);
    }
  }

  /** Answers a system call; returns a promise only if it has to wait. */
  private systemCall(): Promise<void> | undefined {
    const number = this.process.cpu.lo(RAX);
    const result = this.dispatcher.dispatch();
    if (typeof result === 'number') this.complete(number, result);
    else if (result !== 'noreturn') return result.then((value) => this.complete(number, value));
    return undefined;
  }

  private complete(number: number, result: number): void {
    if (result <= -ERESTART.SYS && result > -1024) this.interrupted({ number, result });
    else this.process.cpu.setNum(RAX, result);
  }

  private interrupted(call: InterruptedCall): void {
    this.settle(this.process.signals.deliverPending(call));
  }

  private handle(stop: Exclude<Stop, { kind: 'syscall' }>): void {
    switch (stop.kind) {
      case 'budget':
      case 'interrupted':
        return;
      case 'pageFault':
      case 'trap':
        this.settle(this.process.signals.fault(stop));
        return;
      case 'unknownInstruction':
        this.process.host.notify(this.describeUnknown(stop));
        this.settle(this.process.signals.fault(stop));
        return;
      default:
        assertNever(stop);
    }
  }

  private describeUnknown(stop: Stop & { kind: 'unknownInstruction' }): string {
    const name = this.options.nameAddress?.(stop.at);
    const bytes = Array.from(stop.bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const where = name === undefined ? hex(stop.at) : `${hex(stop.at)} <${name}>`;
    return `culprit: instruction not supported at ${where}: ${bytes}: ${stop.text}`;
  }

  private settle(outcome: SignalOutcome): void {
    if (outcome !== 'continue') this.process.killedBy(outcome.killedBy, outcome.info);
  }

  private timeToLook(stop: Stop): boolean {
    if (stop.kind === 'syscall' && --this.callsUntilLook > 0) return false;
    this.callsUntilLook = CALLS_PER_LOOK;
    return true;
  }

  private async yield(): Promise<void> {
    await this.process.host.clock.yield();
    this.lastYield = this.process.host.clock.milliseconds();
  }

  private finish(status: ExitStatus): ExitStatus {
    this.process.memory.sharedFiles.flushAll();
    // Not the standard streams: they are the user's, and what follows us (statistics) may want them.
    const { files } = this.process;
    for (const fd of files.numbers()) {
      files.get(fd)?.settle();
      if (fd > LAST_STANDARD_FD) files.close(fd);
    }
    return status;
  }
}
