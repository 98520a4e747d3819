/**
 * signalfd: pending signals read as records. It has no signals of its own: the task that reads it (or asks whether it
 * is ready) takes from what is pending for him, be it the thread that made it, another one, or a child.
 */
import { E } from '../../base/errno.js';
import type { SigInfo } from '../signals/siginfo.js';
import { UNCATCHABLE, type SigSet } from '../../base/signalNumbers.js';
import { AnonymousFile } from './anonymousFile.js';
import { O, POLL } from './fileConstants.js';

/** The signals of the task that acts right now. */
export interface CurrentSignals {
  pendingFor(signals: SigSet): boolean;
  takeFrom(signals: SigSet): SigInfo | undefined;
}

const SIGNAL_RECORD_SIZE = 128;

export class SignalFd extends AnonymousFile {
  private wanted: SigSet;

  constructor(
    mask: SigSet,
    flags: number,
    private readonly current: () => CurrentSignals,
  ) {
    super('signalfd', O.RDWR | flags);
    this.wanted = mask & ~UNCATCHABLE;
  }

  override get isExternal(): boolean {
    return true;
  }

  get mask(): SigSet {
    return this.wanted;
  }

  set mask(mask: SigSet) {
    this.wanted = mask & ~UNCATCHABLE;
  }

  override read(target: Uint8Array): number {
    const most = Math.floor(target.length / SIGNAL_RECORD_SIZE);
    if (most === 0) return -E.INVAL;
    let count = 0;
    while (count < most) {
      const info = this.current().takeFrom(this.wanted);
      if (info === undefined) break;
      target.set(recordOf(info), count++ * SIGNAL_RECORD_SIZE);
    }
    // It is empty now: whatever comes from here on is news.
    if (count < most) this.wake(POLL.IN);
    return count === 0 ? -E.AGAIN : count * SIGNAL_RECORD_SIZE;
  }

  override details(): string {
    return `sigmask:\t${this.wanted.toString(16).padStart(16, '0')}\n`;
  }

  override poll(): number {
    return this.current().pendingFor(this.wanted) ? POLL.IN : 0;
  }
}

/** Where the parts of a siginfo_t go in a struct signalfd_siginfo: [from, size, to]. */
const KILL_PARTS = [[16, 4, 12], [20, 4, 16]] as const;
const VALUE_PARTS = [[24, 4, 44], [24, 8, 48]] as const;
const TIMER_PARTS = [[16, 4, 24], [20, 4, 32], ...VALUE_PARTS] as const;
const CHILD_PARTS = [...KILL_PARTS, [24, 4, 40], [32, 8, 56], [40, 8, 64]] as const;
const FAULT_PARTS = [[16, 8, 72]] as const;
const POLL_PARTS = [[16, 4, 28], [24, 4, 20]] as const;
const SIGNAL = { ILL: 4, TRAP: 5, BUS: 7, FPE: 8, SEGV: 11, CHLD: 17, IO: 29 } as const;
const FAULTS: readonly number[] = [SIGNAL.ILL, SIGNAL.TRAP, SIGNAL.BUS, SIGNAL.FPE, SIGNAL.SEGV];
const CODE = { USER: 0, TIMER: -2, KERNEL: 0x80 } as const;

function recordOf(info: SigInfo): Uint8Array {
  const record = new Uint8Array(SIGNAL_RECORD_SIZE);
  const copy = (from: number, size: number, to: number): void => record.set(info.bytes.subarray(from, from + size), to);
  copy(0, 4, 0);
  copy(4, 4, 4);
  copy(8, 4, 8);
  for (const [from, size, to] of partsOf(info)) copy(from, size, to);
  return record;
}

function partsOf({ signal, code }: SigInfo): readonly (readonly [number, number, number])[] {
  if (code === CODE.TIMER) return TIMER_PARTS;
  if (code < CODE.USER) return [...KILL_PARTS, ...VALUE_PARTS];
  if (code === CODE.USER || code === CODE.KERNEL) return KILL_PARTS;
  if (signal === SIGNAL.CHLD) return CHILD_PARTS;
  if (signal === SIGNAL.IO) return POLL_PARTS;
  return FAULTS.includes(signal) ? FAULT_PARTS : KILL_PARTS;
}
