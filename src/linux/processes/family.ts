/** What a process has to do with others: its parent, its children, and what it still has to report. */
import type { Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';

/** A change of state that the parent has not been told by wait. The end of a process is none of them. */
type JobReport = 'stopped' | 'continued';

export class Family {
  /** In the order in which they came, those included that have ended but were not waited for. */
  readonly children: Process[] = [];
  /** What the parent gets when the process ends; 0 for nothing. */
  exitSignal: number = SIG.CHLD;
  /** Orphans among its descendants become its children (PR_SET_CHILD_SUBREAPER). */
  isSubreaper = false;
  /** The signal that has stopped the process; 0 if it is not stopped. */
  stoppedBy = 0;
  report: JobReport | undefined;
  /** Its parent has not been signalled yet that it was continued. */
  owesNotice = false;
  /** It has run another program since it was made: setpgid by its parent comes too late. */
  hasExecuted = false;
  /** A child of vfork whose parent waits until it lets go of the memory they share. */
  holdsParent = false;
  /** Of the children that were waited for, and theirs: processor time in nanoseconds, and the most memory one had. */
  childrenTime = 0;
  childrenPeakBytes = 0;
  /** The most memory it had itself, once it has ended. */
  peakBytes = 0;

  constructor(
    /** Undefined: no process of the guest. */
    public parent: Process | undefined,
    /** What getppid says then. */
    public outsideParent: number,
  ) {}

  get parentPid(): number {
    return this.parent?.pid ?? this.outsideParent;
  }

  get isStopped(): boolean {
    return this.stoppedBy !== 0;
  }

  /** The child has been waited for, or never will be. */
  forget(child: Process): void {
    const index = this.children.indexOf(child);
    if (index >= 0) this.children.splice(index, 1);
  }
}
