/** The part of signal handling that each thread has for itself. */
import type { InterruptedCall } from '../signalPort.js';
import { AltStack } from './altStack.js';
import { PendingSignals } from './pendingSignals.js';
import { EMPTY_SET, UNCATCHABLE, type SigSet } from '../../base/signalNumbers.js';

/** What the last processor exception left behind; every later frame shows it too, as on Linux. */
interface TrapRecord {
  readonly number: number;
  readonly error: number;
  readonly cr2: bigint;
}

export class ThreadSignals {
  private blockedSet: SigSet = EMPTY_SET;
  /** The mask to go back to after sigsuspend, ppoll, pselect. */
  private savedMask: SigSet | undefined;
  readonly pending = new PendingSignals();
  readonly altStack = new AltStack();
  trap: TrapRecord = { number: 0, error: 0, cr2: 0n };
  /** What a system call was about to return when the process was stopped. */
  suspendedCall: InterruptedCall | undefined;
  /** The exception was a fault: the processor sets RF in the flags it saves. */
  resumeFlag = false;

  get blocked(): SigSet {
    return this.blockedSet;
  }

  set blocked(mask: SigSet) {
    this.blockedSet = mask & ~UNCATCHABLE;
  }

  /** The mask that a frame saves. */
  get maskToSave(): SigSet {
    return this.savedMask ?? this.blockedSet;
  }

  /** For the length of one system call; ends with the delivery of a signal or with endTemporaryMask. */
  useTemporaryMask(mask: SigSet): void {
    this.savedMask = this.blockedSet;
    this.blocked = mask;
  }

  endTemporaryMask(): void {
    if (this.savedMask === undefined) return;
    this.blockedSet = this.savedMask;
    this.savedMask = undefined;
  }

  /** A frame has been pushed, and with it the mask to go back to. */
  handlerStarts(extraMask: SigSet): void {
    this.savedMask = undefined;
    this.blocked |= extraMask;
    this.altStack.handlerStarts();
  }
}
