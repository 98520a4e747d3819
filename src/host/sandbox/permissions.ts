/** Who may do what with a file: the rules of the kernel, for files whose real permissions no longer count. */
import { E } from '../../base/errno.js';
import { S_IFDIR } from '../../base/fileConstants.js';
import type { HostIdentity, HostStat } from '../host.js';
import { typeOf } from './node.js';

export const R = 4;
export const W = 2;
export const X = 1;

const ROOT = 0;
const S_ISVTX = 0o1000;
const ANY_EXECUTE = 0o111;

/** The identity's rights, as access(2) and open(2) check them. */
export function permits(identity: HostIdentity, stat: HostStat, wanted: number): boolean {
  if (identity.effectiveUid === ROOT) {
    return (wanted & X) === 0 || typeOf(stat) === S_IFDIR || (stat.mode & ANY_EXECUTE) !== 0;
  }
  const shift = stat.uid === identity.effectiveUid ? 6 : isMember(identity, stat.gid) ? 3 : 0;
  return ((stat.mode >> shift) & wanted) === wanted;
}

export function owns(identity: HostIdentity, stat: HostStat): boolean {
  return identity.effectiveUid === ROOT || identity.effectiveUid === stat.uid;
}

export function isMember(identity: HostIdentity, gid: number): boolean {
  return identity.effectiveGid === gid || identity.groups.includes(gid);
}

/** Whether a name may be made in the directory: 0 or an error. */
export function mayCreate(identity: HostIdentity, directory: HostStat): number {
  if (directory.links === 0) return -E.NOENT;
  return permits(identity, directory, W | X) ? 0 : -E.ACCES;
}

/** Whether the file's name may be removed from the directory: 0 or an error. */
export function mayRemove(identity: HostIdentity, directory: HostStat, file: HostStat): number {
  if (!permits(identity, directory, W | X)) return -E.ACCES;
  const sticky = (directory.mode & S_ISVTX) !== 0;
  return sticky && !owns(identity, file) && !owns(identity, directory) ? -E.PERM : 0;
}
