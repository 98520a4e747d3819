/** What a parent gets to know of its children by signal. */
import type { ExitStatus, Process } from '../process.js';
import { SA, SIG_IGN } from '../signals/signalActions.js';
import { SIG } from '../../base/signalNumbers.js';
import { CLD, childInfo } from '../signals/siginfo.js';

/** A child was stopped or continued. */
export function reportToParent(p: Process, code: number, status: number): void {
  const { parent } = p.family;
  if (parent === undefined) return;
  if ((parent.signals.process.actions.get(SIG.CHLD).flags & SA.NOCLDSTOP) !== 0) return;
  sendToParent(p, parent, SIG.CHLD, code, status);
}

/** A child has ended. Whether its parent will ask for its status: if not, there is nothing left of it. */
export function reportEnd(p: Process, status: ExitStatus): boolean {
  const { parent, exitSignal } = p.family;
  if (parent === undefined) return false;
  const action = parent.signals.process.actions.get(SIG.CHLD);
  const ignored = exitSignal === SIG.CHLD && action.handler === SIG_IGN;
  const unwanted = ignored || (exitSignal === SIG.CHLD && (action.flags & SA.NOCLDWAIT) !== 0);
  if (!ignored && exitSignal !== 0) {
    const exited = status.kind === 'exited';
    sendToParent(p, parent, exitSignal, exited ? CLD.EXITED : CLD.KILLED, exited ? status.code : status.signal);
  }
  return !unwanted;
}

function sendToParent(p: Process, parent: Process, signal: number, code: number, status: number): void {
  parent.signals.send(childInfo(signal, { code, pid: p.pid, uid: p.credentials.user.real, status, nanoseconds: p.cpuTime }), 'process');
}
