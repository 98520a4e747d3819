/**
 * Signals of a process: sending, deciding, delivering, on behalf of one thread at a time. What the process owns is in
 * ProcessSignals, what a thread owns in ThreadSignals; the system calls are in signalCalls.ts.
 *
 *   const signals = new SignalState(cpu, space, clock, { onStop, sender });
 *   table = [..., signalCalls(signals)]
 *
 * The kernel's loop:
 *   - after a stop that is a fault:           outcome = signals.fault(stop)
 *   - after a system call, result >= -511:    writes rax; then, if hasDeliverable(): deliverPending()
 *   - after a system call, result -ERESTART.*: deliverPending({ number, result }), which writes rax
 *   - rt_sigreturn returns 'noreturn':        registers are set; then, if hasDeliverable(): deliverPending()
 *   - at latest after nextTimerDue():         checkTimers(); then, if hasDeliverable(): deliverPending()
 * An outcome is 'continue' (registers may now be those of a handler) or says which signal killed it.
 *
 * Order of delivery is the kernel's. All deliverable signals are delivered at once: each further
 * frame interrupts the handler before at its first instruction.
 */
import { assert } from '../../base/assert.js';
import { E } from '../../base/errno.js';
import { RAX, RIP } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import type { Stop } from '../../machine/stop.js';
import type { InterruptedCall, SignalOutcome, Signals, SignalSets } from '../signalPort.js';
import type { SyscallResult } from '../syscall.js';
import { afterwards } from '../waiting.js';
import { faultOf } from './faults.js';
import type { SignalSource } from './pendingSignals.js';
import { ProcessSignals } from './processSignals.js';
import { ERESTART, restartRule } from './restart.js';
import { SA, SIG_DFL, SIG_IGN, type SignalAction } from './signalActions.js';
import { popFrame, pushFrame } from './signalFrame.js';
import { EMPTY_SET, SIG, STOP_SIGNALS, contains, defaultAction, setOf, type SigSet } from '../../base/signalNumbers.js';
import { SI, kernelInfo, senderInfo, type SigInfo } from './siginfo.js';
import { ThreadSignals } from './threadSignals.js';
import type { SignalClock } from './timers.js';

interface SignalOptions {
  /**
   * A stop signal (SIGSTOP, SIGTSTP, ...) is to take effect. Whether the process is stopped now: it does not run until
   * it is continued.
   */
  readonly onStop?: (signal: number) => boolean;
  /** SIGCONT or SIGKILL has been sent: a stopped process runs again, whatever it does with the signal. */
  readonly onContinue?: (signal: number) => void;
  /** A signal takes effect now; `handled`: the program has a handler for it. */
  readonly onDelivered?: (info: SigInfo, handled: boolean) => void;
  /** Whether a signal does not end the process, although its default action would. */
  readonly outlives?: (signal: number) => boolean;
  /** Who the process is: signals that system calls raise (SIGPIPE) say they come from itself. */
  readonly sender?: { readonly pid: number; readonly uid: number };
}

/** How a signal ended the process. */
interface Death {
  readonly killedBy: number;
  /** Whether this signal's default action dumps core. */
  readonly dumpsCore: boolean;
  readonly info: SigInfo;
}

const SYSCALL_LENGTH = 2n;
const RESTART_SYSCALL = 219;

export class SignalState implements Signals {
  readonly process: ProcessSignals;
  /** Of the thread on whose behalf we act. */
  thread = new ThreadSignals();
  /** Of all threads, the main one first. */
  readonly threads: ThreadSignals[] = [];

  constructor(
    public cpu: Cpu,
    public space: AddressSpace,
    clock: SignalClock,
    private readonly options: SignalOptions = {},
  ) {
    this.process = new ProcessSignals(clock);
  }

  /** All signals that were sent and not delivered. */
  get pendingSet(): SigSet {
    return this.thread.pending.set | this.process.pending.set;
  }

  sets(): SignalSets {
    const { process, thread } = this;
    return {
      pending: thread.pending.set, sharedPending: process.pending.set, blocked: thread.blocked,
      ignored: process.actions.withHandler((handler) => handler === SIG_IGN),
      caught: process.actions.withHandler((handler) => handler !== SIG_IGN && handler !== SIG_DFL),
    };
  }

  /** Whether the program has a handler for a signal. */
  catches(signal: number): boolean {
    const { handler } = this.process.actions.get(signal);
    return handler !== SIG_IGN && handler !== SIG_DFL;
  }

  private get pendingCount(): number {
    return this.thread.pending.count + this.process.pending.count;
  }

  hasDeliverable(): boolean {
    if (this.process.timers.anyArmed) this.checkTimers();
    if (this.thread.suspendedCall !== undefined) return true;
    if (this.pendingCount === 0) return false;
    return (this.thread.pending.set & ~this.thread.blocked) !== EMPTY_SET || this.sharedForThread() !== EMPTY_SET;
  }

  mayInterrupt(): boolean {
    return this.process.timers.anyArmed || this.process.actions.anyHandler;
  }

  raise(signal: number): void {
    const { sender } = this.options;
    const info = sender === undefined ? kernelInfo(signal) : senderInfo(signal, SI.USER, sender.pid, sender.uid);
    this.send(info, 'thread');
  }

  /** Those sent to the process that the thread is to take: a thread before it in the list has precedence, if it may. */
  private sharedForThread(): SigSet {
    const { thread, threads } = this;
    let set = this.process.pending.set & ~thread.blocked;
    for (const other of threads) {
      if (set === EMPTY_SET || other === thread) break;
      set &= other.blocked;
    }
    return set;
  }

  /**
   * Sends a signal to the process, the thread on whose behalf we act, or another one. False if the queue is full; a
   * signal that is ignored counts as sent.
   */
  send(info: SigInfo, to: 'process' | 'thread' | ThreadSignals, source?: SignalSource): boolean {
    const { signal } = info;
    this.cancelOpposite(signal);
    if (signal === SIG.CONT || signal === SIG.KILL) this.options.onContinue?.(signal);
    const thread = to === 'process' ? (this.threads[0] ?? this.thread) : to === 'thread' ? this.thread : to;
    if (!contains(thread.blocked, signal) && this.process.actions.ignores(signal)) {
      source?.taken();
      return true;
    }
    if (source === undefined && this.pendingCount >= this.process.queueLimit && signal !== SIG.KILL) return false;
    (to === 'process' ? this.process : thread).pending.add(info, source);
    return true;
  }

  /** A signal that the process cannot escape: if it blocks or ignores it, the default action is taken. */
  force(info: SigInfo): void {
    const { signal } = info;
    const { actions } = this.process;
    const blocked = contains(this.thread.blocked, signal);
    if (blocked || actions.get(signal).handler === SIG_IGN) actions.setHandler(signal, SIG_DFL);
    if (blocked) this.thread.blocked &= ~setOf(signal);
    this.thread.pending.add(info);
  }

  fault(stop: Stop): SignalOutcome {
    const fault = faultOf(stop, this.cpu, this.space);
    if (fault === undefined) return 'continue';
    this.thread.trap = { number: fault.trapNumber, error: fault.errorCode, cr2: fault.cr2 ?? this.thread.trap.cr2 };
    this.thread.resumeFlag = fault.resumes;
    this.force(fault.info);
    return this.deliverPending();
  }

  /** Whether SIGKILL has been sent. */
  get isKilled(): boolean {
    return contains(this.pendingSet, SIG.KILL);
  }

  deliverPending(interrupted?: InterruptedCall): SignalOutcome {
    let call = interrupted ?? this.thread.suspendedCall;
    this.thread.suspendedCall = undefined;
    for (let info = this.takeNext(); info !== undefined; info = this.takeNext()) {
      const action = this.process.actions.get(info.signal);
      if (action.handler === SIG_IGN) continue;
      if (action.handler === SIG_DFL) {
        const result = this.actByDefault(info);
        if (result === 'stopped') {
          this.thread.suspendedCall = call;
          return 'continue';
        }
        if (result !== undefined) return result;
        continue;
      }
      if (call !== undefined) this.settleCall(call, action.flags);
      call = undefined;
      this.runHandler(info, action);
    }
    if (call !== undefined) this.settleCall(call, undefined);
    this.thread.endTemporaryMask();
    return 'continue';
  }

  /** rt_sigreturn. */
  returnFromHandler(): void {
    if (!popFrame(this.cpu, this.space, this.thread)) this.force(kernelInfo(SIG.SEGV));
  }

  /** Nanoseconds until checkTimers has something to do; `idle`: no task uses the processor meanwhile. */
  nextTimerDue(idle: boolean): number | undefined {
    return this.process.timers.nextDue(idle);
  }

  checkTimers(): void {
    this.process.timers.check((info, timer) => this.send(info, timer.target ?? 'process', timer));
  }

  withMask(mask: SigSet, wait: () => SyscallResult): SyscallResult {
    const { thread } = this;
    thread.useTemporaryMask(mask);
    const finish = (result: number): number => {
      // An interrupted call keeps the mask until the signal that interrupted it is delivered.
      if (result > -ERESTART.SYS) thread.endTemporaryMask();
      return result;
    };
    return afterwards(this.undoingMask(wait), finish);
  }

  /** sigaction: a signal that is ignored from now on is not pending any more either. */
  setAction(signal: number, action: SignalAction): void {
    this.process.actions.set(signal, action);
    if (this.process.actions.ignores(signal)) this.discard(setOf(signal));
  }

  /** Takes out the next of some signals, blocked or not (rt_sigtimedwait). */
  takeFrom(signals: SigSet): SigInfo | undefined {
    return this.thread.pending.take(~signals) ?? this.process.pending.take(~signals);
  }

  /** execve. Mask and pending signals stay. */
  resetForExec(): void {
    this.process.actions.resetForExec();
    this.process.timers.resetForExec();
    this.thread.altStack.current = { ...this.thread.altStack.current, base: 0, size: 0 };
  }

  private undoingMask(wait: () => SyscallResult): SyscallResult {
    try {
      return wait();
    } catch (error) {
      this.thread.endTemporaryMask();
      throw error;
    }
  }

  private discard(signals: SigSet): void {
    this.thread.pending.discard(signals);
    for (const thread of this.threads) thread.pending.discard(signals);
    this.process.pending.discard(signals);
  }

  /** Stop signals and SIGCONT cancel each other, whatever becomes of the new one. */
  private cancelOpposite(signal: number): void {
    if (signal === SIG.CONT) this.discard(STOP_SIGNALS);
    else if (contains(STOP_SIGNALS, signal)) this.discard(setOf(SIG.CONT));
  }

  private takeNext(): SigInfo | undefined {
    const { blocked, pending } = this.thread;
    const all = this.process.pending;
    if ((this.pendingSet & ~blocked) === EMPTY_SET) return undefined;
    if (contains(all.set, SIG.KILL)) return all.take(blocked);
    return pending.takeRaised(blocked) ?? pending.take(blocked) ?? all.take(~this.sharedForThread());
  }

  private actByDefault(info: SigInfo): Death | 'stopped' | undefined {
    const action = defaultAction(info.signal);
    if (action === 'ignore' || (action !== 'stop' && this.options.outlives?.(info.signal) === true)) return undefined;
    this.options.onDelivered?.(info, false);
    if (action !== 'stop') return { killedBy: info.signal, dumpsCore: action === 'core', info };
    return this.options.onStop?.(info.signal) === true ? 'stopped' : undefined;
  }

  private runHandler(info: SigInfo, action: SignalAction): void {
    const { signal } = info;
    if ((action.flags & SA.RESETHAND) !== 0) this.process.actions.setHandler(signal, SIG_DFL);
    const pushed = pushFrame(this.cpu, this.space, this.thread, action, info);
    if (!pushed) {
      // Nowhere to put the frame. If that was for SIGSEGV already, there is no handler left to ask.
      if (signal === SIG.SEGV) this.process.actions.setHandler(SIG.SEGV, SIG_DFL);
      this.force(kernelInfo(SIG.SEGV));
      return;
    }
    this.options.onDelivered?.(info, true);
    this.thread.resumeFlag = false;
    const own = (action.flags & SA.NODEFER) === 0 ? setOf(signal) : EMPTY_SET;
    this.thread.handlerStarts(action.mask | own);
  }

  private settleCall({ number, result }: InterruptedCall, handlerFlags: number | undefined): void {
    switch (restartRule(result, handlerFlags)) {
      case 'no':
        this.cpu.setNum(RAX, result);
        return;
      case 'eintr':
        this.cpu.setNum(RAX, -E.INTR);
        return;
      case 'again':
        this.callAgain(number);
        return;
      case 'restart_syscall':
        this.callAgain(RESTART_SYSCALL);
        return;
    }
  }

  private callAgain(number: number): void {
    assert(number >= 0, 'system call number');
    this.cpu.setNum(RAX, number);
    this.cpu.setBig(RIP, this.cpu.big(RIP) - SYSCALL_LENGTH);
  }
}
