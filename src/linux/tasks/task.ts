/** One guest thread: what it has for itself. What threads share is in Process. */
import { assert } from '../../base/assert.js';
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import { CPU_STATE_SIZE } from '../../layout/cpuState.js';
import type { Process } from '../process.js';
import { ThreadSignals } from '../signals/threadSignals.js';
import type { Wait } from '../waiting.js';
import { IoCounters } from './ioCounters.js';
import { TaskScheduling } from './taskScheduling.js';

/** A system call that has ended while others ran; rax is written when the task runs next. */
interface EndedCall {
  readonly number: number;
  readonly result: number;
}

export class Task {
  /** The CPU state while another task of the same machine is loaded. */
  readonly registers = new Uint8Array(CPU_STATE_SIZE);
  readonly signals = new ThreadSignals();
  scheduling = new TaskScheduling();
  /** Zeroed, and its futex woken, when the thread ends. */
  clearChildTid = 0;
  robustList = { head: 0, length: 0 };
  /** Instructions it has retired: its processor time in nanoseconds. */
  instructions = 0;
  ended = false;
  readonly io = new IoCounters();
  /** Has been stopped at a hook, and goes on with what is there. */
  passesHook = false;
  /** What it ended with. */
  exitCode = 0;
  /** What restart_syscall goes on with. */
  restart: (() => Wait) | undefined;
  private waiting: { readonly number: number; readonly wait: Wait } | undefined;
  private endedCall: EndedCall | undefined;

  constructor(
    public tid: number,
    public process: Process,
    /** What PR_SET_NAME changes. */
    public name: BytePath,
  ) {}

  /** What it waits for; undefined if it can run. */
  get wait(): Wait | undefined {
    return this.waiting?.wait;
  }

  /** Whether it could run now. */
  get isReady(): boolean {
    return this.waiting === undefined && !this.process.family.isStopped;
  }

  /** The system call that waits. */
  get waitingCall(): number | undefined {
    return this.waiting?.number;
  }

  /** System call `number` has to wait. */
  sleep(number: number, wait: Wait): void {
    assert(this.waiting === undefined, 'a task waits for one thing at a time');
    this.waiting = { number, wait };
    this.process.world.witness?.systemCallWaits(this);
  }

  /** The waiting is over: `result` comes of it. */
  wake(result: number): void {
    assert(this.waiting !== undefined, 'only who sleeps is woken');
    const { number, wait } = this.waiting;
    this.waiting = undefined;
    this.restart = wait.restart;
    this.endedCall = { number, result: wait.finish(result) };
    this.process.world.witness?.systemCallWoken(this, number, this.endedCall.result);
  }

  /** Its system call has ended before it came to us. */
  endedBefore(number: number, result: number): void {
    this.endedCall = { number, result };
  }

  /** The task ends while it waits: the result is not wanted any more. */
  abandonWait(): void {
    this.waiting?.wait.finish(-E.INTR);
    this.waiting = undefined;
  }

  /** What is still to be told to the program of a call that ended while others ran. */
  takeEndedCall(): EndedCall | undefined {
    const call = this.endedCall;
    this.endedCall = undefined;
    return call;
  }
}
