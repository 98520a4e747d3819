/**
 * What happens when the engine stops: system calls are answered, faults become signals, signals are
 * delivered. All of it on behalf of one task whose registers are loaded; who runs when is the
 * business of world.ts.
 */
import { assertNever, unreachable } from '../base/assert.js';
import { hex } from '../base/types.js';
import { RAX } from '../layout/cpuState.js';
import { type Stop, VECTOR } from '../machine/stop.js';
import { linuxSyscallTable } from './linuxSyscalls.js';
import type { SignalOutcome } from './signalPort.js';
import { ERESTART } from './signals/restart.js';
import { SyscallDispatcher, type SyscallEntry } from './syscallTable.js';
import { CodeNames } from './tasks/codeNames.js';
import type { Task } from './tasks/task.js';

export type { ExitStatus } from './process.js';

export interface KernelOptions {
  /** Default: all that linuxSyscalls.ts has. */
  readonly table?: readonly (SyscallEntry | undefined)[];
}

/** Results from -ERESTART.SYS down to here are for us, not for the program. */
const LAST_RESTART = -1024;

export class Kernel {
  private readonly dispatcher: SyscallDispatcher;

  constructor(options: KernelOptions = {}) {
    this.dispatcher = new SyscallDispatcher(options.table ?? linuxSyscallTable());
  }

  /** Answers what stopped the task. Afterwards it may run, wait or have ended. */
  answer(task: Task, stop: Stop): void {
    switch (stop.kind) {
      case 'syscall':
        this.systemCall(task);
        return;
      case 'budget':
      case 'interrupted':
        return;
      case 'pageFault':
        if (task.process.world.interceptor?.faulted(task, stop) === true) return;
        this.settle(task, task.process.signals.fault(stop), stop);
        return;
      case 'astray':
        task.process.world.interceptor?.returnedAstray(task, stop);
        return;
      case 'undefined':
        task.process.world.guard?.used(task, stop);
        task.process.world.interceptor?.usedUndefined(task, stop);
        return;
      case 'trap':
        if (task.process.world.interceptor?.trapped(task, stop) === true) return;
        this.settle(task, task.process.signals.fault(stop), stop);
        return;
      case 'breakpoint': {
        const { interceptor } = task.process.world;
        // An interceptor has put a hook there, and is gone.
        if (interceptor === undefined) return this.settle(task, task.process.signals.fault({ kind: 'trap', vector: VECTOR.UD }));
        interceptor.called(task, stop.at);
        task.passesHook = task.process.cpu.rip === stop.at;
        return;
      }
      case 'watched':
        return unreachable(`no analysis has asked for ${stop.kind}`);
      case 'unknownInstruction':
        task.process.world.shortcomings.note(task.process, { kind: 'instruction', text: this.describeUnknown(task, stop) });
        this.settle(task, task.process.signals.fault(stop), stop);
        return;
      default:
        assertNever(stop);
    }
  }

  /** Tells the program the result of a system call: writes rax, or arranges for the call to be made again. */
  complete(task: Task, number: number, result: number): void {
    const { process } = task;
    process.world.witness?.systemCallEnded(task, number, result);
    task.io.note(number, result);
    process.world.guard?.completed(task, number, result);
    if (result <= -ERESTART.SYS && result > LAST_RESTART) this.settle(task, process.signals.deliverPending({ number, result }));
    else process.cpu.setNum(RAX, result);
  }

  /** Lets the signals that have come for the task take effect. */
  deliverSignals(task: Task): void {
    const { signals } = task.process;
    if (signals.hasDeliverable()) this.settle(task, signals.deliverPending());
  }

  private systemCall(task: Task): void {
    const { process } = task;
    const number = process.cpu.lo(RAX);
    process.systemCalls++;
    const answer = process.world.guard?.answered(task);
    if (answer !== undefined) return this.complete(task, number, answer);
    const result = this.dispatcher.dispatch(process);
    const refused = process.memory.takeRefused();
    if (refused > 0) process.world.shortcomings.note(process, { kind: 'memory', bytes: refused });
    if (typeof result === 'number') this.complete(task, number, result);
    else if (result !== 'noreturn') task.sleep(number, result);
  }

  private describeUnknown({ process }: Task, stop: Stop & { kind: 'unknownInstruction' }): string {
    const name = new CodeNames(process.host).find(process, stop.at);
    const bytes = Array.from(stop.bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const where = name === undefined ? hex(stop.at) : `${hex(stop.at)} <${name}>`;
    return `instruction not supported at ${where}: ${bytes}: ${stop.text}`;
  }

  /** `stop`: what has raised the signal. */
  private settle(task: Task, outcome: SignalOutcome, stop?: Stop): void {
    if (outcome === 'continue') return;
    const { process } = task;
    if (process.exitStatus === undefined) process.world.interceptor?.killed?.(task, outcome.info, stop);
    process.killedBy(outcome.killedBy, outcome.info);
  }
}
