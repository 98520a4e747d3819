/** All timers of a process. */
import { assert } from '../../base/assert.js';
import { kernelInfo, timerInfo, type SigInfo } from './siginfo.js';
import { SIG } from '../../base/signalNumbers.js';
import type { ThreadSignals } from './threadSignals.js';
import { type RealClock, SignalTimer, type SignalClock } from './timers.js';

/** ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF. */
export type IntervalTimerKind = 0 | 1 | 2;
const INTERVAL_SIGNALS = [SIG.ALRM, SIG.VTALRM, SIG.PROF] as const;

export interface PosixTimerRequest {
  /** The clock's number, in a form that means the same to every process. */
  readonly clockId: number;
  /** In nanoseconds. */
  readonly now: () => number;
  /** Whether that is processor time. */
  readonly processorTime?: boolean;
  /** If not: the clock that absolute times refer to. */
  readonly clock?: RealClock;
  /** 0: no signal. */
  readonly signal: number;
  /** sigev_value; the timer's own number if absent. */
  readonly value?: bigint | undefined;
  /** The thread that gets the signal (SIGEV_THREAD_ID); the process if absent. */
  readonly target?: ThreadSignals | undefined;
}

interface PosixTimer {
  readonly id: number;
  readonly request: PosixTimerRequest;
  readonly timer: SignalTimer;
}

type SendSignal = (info: SigInfo, timer: SignalTimer) => void;

export class ProcessTimers {
  private readonly intervalTimers: readonly SignalTimer[];
  private readonly posixTimers = new Map<number, PosixTimer>();
  /** The number of the next one that is made. */
  nextId = 0;
  private armed: readonly SignalTimer[] = [];

  constructor(readonly clock: SignalClock) {
    const realNow = (): number => clock.now();
    const cpuNow = (): number => this.cpuTime();
    this.intervalTimers = INTERVAL_SIGNALS.map(
      (signal, i) => new SignalTimer({ now: i === 0 ? realNow : cpuNow, info: () => kernelInfo(signal), merges: true, processorTime: i !== 0 }),
    );
  }

  cpuTime(): number {
    return this.clock.cpuTime?.() ?? this.clock.now();
  }

  intervalTimer(kind: IntervalTimerKind): SignalTimer {
    return this.intervalTimers[kind] as SignalTimer;
  }

  /** What `create` has made and is still there. */
  get posix(): readonly PosixTimer[] {
    return [...this.posixTimers.values()];
  }

  /** Returns the new timer's number. */
  create(request: PosixTimerRequest, id = this.nextId++): number {
    const { signal, value, now, target, clock = 'monotonic', processorTime = false } = request;
    const info = signal === 0 ? undefined : (overrun: number) => timerInfo(signal, id, overrun, value ?? BigInt(id));
    const timer = new SignalTimer(info === undefined ? { now, clock, processorTime } : { now, clock, info, processorTime, target });
    this.posixTimers.set(id, { id, request, timer });
    return id;
  }

  find(id: number): SignalTimer | undefined {
    return this.posixTimers.get(id)?.timer;
  }

  delete(id: number): void {
    const timer = this.find(id);
    assert(timer !== undefined, 'timer to delete exists');
    timer.arm(undefined, 0);
    this.posixTimers.delete(id);
  }

  /** To be called after any `arm`, so that looking at the clock costs nothing while no timer runs. */
  noteArmed(): void {
    this.armed = [...this.intervalTimers, ...this.posix.map(({ timer }) => timer)].filter((timer) => timer.isRunning);
  }

  get anyArmed(): boolean {
    return this.armed.some((timer) => timer.isRunning);
  }

  /** Nanoseconds until `check` has something to do; undefined if never. Processor time stands still while `idle`. */
  nextDue(idle: boolean): number | undefined {
    let soonest: number | undefined;
    for (const timer of this.armed) {
      const due = idle && timer.countsProcessorTime ? undefined : timer.due();
      if (due !== undefined && (soonest === undefined || due < soonest)) soonest = due;
    }
    return soonest;
  }

  /** Sends the signals of all timers that have expired. */
  check(send: SendSignal): void {
    for (const timer of this.armed) {
      const info = timer.expire();
      if (info !== undefined) send(info, timer);
    }
  }

  /** execve: POSIX timers are gone, interval timers go on. */
  resetForExec(): void {
    for (const id of [...this.posixTimers.keys()]) this.delete(id);
    this.noteArmed();
  }
}
