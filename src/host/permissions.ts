/** Who may do what with a file: the rules of the kernel, for files whose real permissions no longer count. */
import { E } from '../base/errno.js';
import { S_IFDIR, S_IFMT, S_IFREG } from '../base/fileConstants.js';
import type { Actor, HostStat } from './host.js';

export const R = 4;
export const W = 2;
export const X = 1;

const ROOT = 0;
const S_ISVTX = 0o1000;
const S_ISUID = 0o4000;
const SETGID_EXECUTABLE = 0o2010;
const ANY_EXECUTE = 0o111;

/** The user's rights, as access(2) and open(2) check them. */
export function permits(actor: Actor, stat: Pick<HostStat, 'mode' | 'uid' | 'gid'>, wanted: number): boolean {
  if (actor.uid === ROOT) {
    return (wanted & X) === 0 || (stat.mode & S_IFMT) === S_IFDIR || (stat.mode & ANY_EXECUTE) !== 0;
  }
  const shift = stat.uid === actor.uid ? 6 : isMember(actor, stat.gid) ? 3 : 0;
  return ((stat.mode >> shift) & wanted) === wanted;
}

export function owns(actor: Actor, stat: HostStat): boolean {
  return actor.uid === ROOT || actor.uid === stat.uid;
}

export function isMember(actor: Actor, gid: number): boolean {
  return actor.gid === gid || actor.groups.includes(gid);
}

/** Whether a name may be made in the directory: 0 or an error. */
export function mayCreate(actor: Actor, directory: HostStat): number {
  if (directory.links === 0) return -E.NOENT;
  return permits(actor, directory, W | X) ? 0 : -E.ACCES;
}

/** Whether the file's name may be removed from the directory: 0 or an error. */
export function mayRemove(actor: Actor, directory: HostStat, file: HostStat): number {
  if (!permits(actor, directory, W | X)) return -E.ACCES;
  const sticky = (directory.mode & S_ISVTX) !== 0;
  return sticky && !owns(actor, file) && !owns(actor, directory) ? -E.PERM : 0;
}

/**
 * Others' files may be linked only by who could change them as well (fs.protected_hardlinks, as it is set everywhere).
 */
export function mayLink(actor: Actor, file: HostStat): boolean {
  if (owns(actor, file)) return true;
  const isPlain = (file.mode & S_IFMT) === S_IFREG && (file.mode & S_ISUID) === 0 && (file.mode & SETGID_EXECUTABLE) !== SETGID_EXECUTABLE;
  return isPlain && permits(actor, file, R | W);
}
