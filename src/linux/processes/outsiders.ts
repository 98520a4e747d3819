/**
 * Processes of the host that are not the guest's. We may have more rights than the guest, which may have become another
 * user since it was started: so what it does to them is checked here, as the kernel would. That we ourselves are such a
 * process, it does not get to know.
 */
import { E } from '../../base/errno.js';
import { maySignal } from '../credentials.js';
import type { Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';

/** kill(2): 0 or an error. `pid` is the guest's number for it. */
export function sendOutside(p: Process, pid: number, signal: number): number {
  const { identity, signals } = p.host;
  if (identity.isOurs?.(identity.numberOutside?.(pid) ?? pid) === true) return -E.SRCH;
  if (signals.ownerOf !== undefined) {
    const owner = signals.ownerOf(pid);
    if (owner === undefined) return -E.SRCH;
    const { user, session, privileged } = p.credentials;
    const isAllowed = privileged || maySignal(user, { real: owner.realUid, saved: owner.savedUid });
    const isContinued = signal === SIG.CONT && session === identity.session && owner.session === identity.sessionOutside;
    if (!isAllowed && !isContinued) return -E.PERM;
  }
  // With our own rights: which user we act for at the moment has to do with files.
  identity.actAs({ uid: identity.effectiveUid, gid: identity.effectiveGid, groups: identity.groups });
  return signals.send(pid, signal);
}
