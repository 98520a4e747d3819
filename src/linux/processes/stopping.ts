/** Job control: processes that are stopped do not run until they are continued, and their parents hear of both. */
import type { Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';
import { CLD } from '../signals/siginfo.js';
import { isOrphanedGroup } from './groups.js';
import { reportToParent } from './reporting.js';

/** A stop signal takes effect. Whether the process is stopped now. */
export function stopProcess(p: Process, signal: number): boolean {
  const { family, world, credentials } = p;
  // No process could continue it: only SIGSTOP insists.
  if (signal !== SIG.STOP && isOrphanedGroup(world, credentials.processGroup)) return false;
  family.stoppedBy = signal;
  family.report = 'stopped';
  reportToParent(p, CLD.STOPPED, signal);
  world.noteStopped();
  return true;
}

/** SIGCONT or SIGKILL has been sent. */
export function continueProcess(p: Process, signal: number): void {
  const { family } = p;
  if (!family.isStopped) return;
  family.stoppedBy = 0;
  if (signal === SIG.KILL) return;
  family.report = 'continued';
  family.owesNotice = true;
}

/** A process that was continued runs for the first time: as on Linux, it is now that its parent gets the signal. */
export function announceContinued(p: Process): void {
  p.family.owesNotice = false;
  reportToParent(p, CLD.CONTINUED, SIG.CONT);
}
