/**
 * Signals that were sent and not yet delivered. A standard signal is pending once or not at all;
 * realtime signals queue. The order in which they come out is the kernel's: first what an
 * instruction raised, then by number, then first come first served.
 */
import { EMPTY_SET, FIRST_REALTIME, SIG, SYNCHRONOUS, contains, lowest, setOf, type SigSet } from '../../base/signalNumbers.js';
import { SI, type SigInfo } from './siginfo.js';

/** A timer whose signal is queued: it counts what it missed until the signal is taken out. */
export interface SignalSource {
  /** Whether its signal is lost if the same signal is pending already (interval timers). */
  readonly merges: boolean;
  /** The signal leaves the queue; returns what the guest gets to see. */
  taken(): SigInfo;
}

interface Entry {
  readonly info: SigInfo;
  readonly source: SignalSource | undefined;
}

export class PendingSignals {
  private entries: Entry[] = [];
  private pendingSet: SigSet = EMPTY_SET;

  get set(): SigSet {
    return this.pendingSet;
  }

  get count(): number {
    return this.entries.length;
  }

  all(): readonly SigInfo[] {
    return this.entries.map(({ info }) => info);
  }

  /** Standard signals merge with one that is already there, except those of POSIX timers. */
  add(info: SigInfo, source?: SignalSource): void {
    const merges = source?.merges ?? info.signal < FIRST_REALTIME;
    if (merges && contains(this.pendingSet, info.signal)) {
      if (source !== undefined && !this.entries.some((entry) => entry.source === source)) source.taken();
      return;
    }
    this.entries.push({ info, source });
    this.pendingSet |= setOf(info.signal);
  }

  /** Takes out the first signal that an instruction raised. */
  takeRaised(blocked: SigSet): SigInfo | undefined {
    if ((this.pendingSet & SYNCHRONOUS & ~blocked) === EMPTY_SET) return undefined;
    const index = this.entries.findIndex(
      ({ info }) => info.code > SI.USER && contains(SYNCHRONOUS & ~blocked, info.signal),
    );
    return index < 0 ? undefined : this.removeAt(index);
  }

  /** Takes out the next signal that is not blocked. */
  take(blocked: SigSet): SigInfo | undefined {
    const ready = this.pendingSet & ~blocked;
    if (ready === EMPTY_SET) return undefined;
    const urgent = contains(ready, SIG.KILL) ? setOf(SIG.KILL) : ready & SYNCHRONOUS;
    const signal = lowest(urgent !== EMPTY_SET ? urgent : ready);
    return this.removeAt(this.entries.findIndex(({ info }) => info.signal === signal));
  }

  /** Forgets all signals of a set. */
  discard(signals: SigSet): void {
    if ((this.pendingSet & signals) === EMPTY_SET) return;
    const dropped = this.entries.filter(({ info }) => contains(signals, info.signal));
    this.entries = this.entries.filter(({ info }) => !contains(signals, info.signal));
    this.pendingSet &= ~signals;
    for (const { source } of dropped) source?.taken();
  }

  /** Forgets what a source has queued. */
  discardFrom(source: SignalSource): void {
    const index = this.entries.findIndex((entry) => entry.source === source);
    if (index >= 0) this.unlink(index);
  }

  private removeAt(index: number): SigInfo {
    const { info, source } = this.unlink(index);
    return source?.taken() ?? info;
  }

  private unlink(index: number): Entry {
    const [entry] = this.entries.splice(index, 1) as [Entry];
    const signal = entry.info.signal;
    if (!this.entries.some(({ info }) => info.signal === signal)) this.pendingSet &= ~setOf(signal);
    return entry;
  }
}
