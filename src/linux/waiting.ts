/**
 * Waiting inside a system call. A call that cannot finish now returns a Wait: a condition to try
 * again. The scheduler does so at its scheduling points, and runs others meanwhile; nothing here
 * waits itself. Attempts must not look at the registers: those are another task's by then.
 */
import { E } from '../base/errno.js';
import type { Process } from './process.js';
import { orFault } from './badAddress.js';
import { ERESTART } from './signals/restart.js';

export interface WaitOptions {
  /** Give up at this time of process.clock.now(), with `onTimeout` as the result. */
  readonly deadline?: number;
  readonly onTimeout?: number;
  /** The result if a signal comes: -ERESTART.SYS unless said otherwise. */
  readonly onSignal?: number | (() => number);
  /** With `onSignal` -ERESTART.RESTARTBLOCK: how the rest of the waiting is done if no handler ran. */
  readonly restart?: () => Wait;
  /** False: only SIGKILL ends it before its time. Default: any signal that can be delivered does. */
  readonly interruptible?: boolean;
  /** What it waits for, in words: "futex 0x1234", "read from pipe:[5]". */
  readonly describe?: () => string;
  /** Whether something outside the guest (terminal, pipe of the host, outside socket) may end it. */
  readonly external?: boolean | (() => boolean);
  /** The time at which an attempt may succeed without anybody doing anything (a timer); Infinity if none. */
  readonly readyAt?: () => number;
  /** As `attempt`, but may stop everything until it succeeds: taken if no other task and nothing else matters. */
  readonly block?: () => number;
}

export class Wait {
  readonly deadline: number;
  readonly onTimeout: number;
  readonly interruptible: boolean;
  readonly block: (() => number) | undefined;
  readonly restart: (() => Wait) | undefined;
  private readonly onSignal: number | (() => number);
  private readonly outside: boolean | (() => boolean);
  private readonly description: (() => string) | undefined;
  private readonly ready: (() => number) | undefined;
  private readonly finishers: ((result: number) => number)[] = [];

  constructor(
    /** -EAGAIN: not yet. May throw BadAddress. */
    readonly attempt: () => number,
    options: WaitOptions = {},
  ) {
    this.deadline = options.deadline ?? Infinity;
    this.onTimeout = options.onTimeout ?? -E.AGAIN;
    this.onSignal = options.onSignal ?? -ERESTART.SYS;
    this.outside = options.external ?? false;
    this.interruptible = options.interruptible ?? true;
    this.block = options.block;
    this.restart = options.restart;
    this.description = options.describe;
    this.ready = options.readyAt;
  }

  /** When it ends or may end by itself. */
  get wakeAt(): number {
    return this.ready === undefined ? this.deadline : Math.min(this.deadline, this.ready());
  }

  get external(): boolean {
    return typeof this.outside === 'boolean' ? this.outside : this.outside();
  }

  interrupted(): number {
    return typeof this.onSignal === 'number' ? this.onSignal : this.onSignal();
  }

  describe(): string {
    return this.description?.() ?? 'something';
  }

  /** `finish` makes the call's result of how the waiting ended, however it ended. May throw BadAddress. */
  after(finish: (result: number) => number): this {
    this.finishers.push(finish);
    return this;
  }

  finish(result: number): number {
    return this.finishers.reduce((value, finish) => orFault(() => finish(value)), result);
  }
}

/** Waits until the result of `attempt` is not -EAGAIN. */
export function waitUntil(_process: Process, attempt: () => number, options: WaitOptions = {}): Wait {
  return new Wait(attempt, options);
}

/** `finish` now, or when the waiting has ended. */
export function afterwards(result: number | Wait | 'noreturn', finish: (result: number) => number): number | Wait | 'noreturn' {
  if (typeof result === 'number') return finish(result);
  return result === 'noreturn' ? result : result.after(finish);
}
