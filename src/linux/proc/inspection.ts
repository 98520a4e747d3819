/** Who may look into whom: what the kernel asks before it shows memory, descriptors and the like of a process. */
import type { Process } from '../process.js';

const DUMPABLE = 1;

/** As ptrace_may_access has it: the same user and group in every respect, and nothing to hide; or root. */
export function mayInspect(by: Process, of: Process): boolean {
  if (by === of || by.credentials.privileged) return true;
  const { user, group } = by.credentials;
  const theirs = of.credentials;
  const sameUser = [theirs.user.real, theirs.user.effective, theirs.user.saved].every((id) => id === user.fileSystem);
  const sameGroup = [theirs.group.real, theirs.group.effective, theirs.group.saved].every((id) => id === group.fileSystem);
  return sameUser && sameGroup && of.dumpable === DUMPABLE;
}

/** Whose the files of a process are: root's alone if it has something to hide. */
export function ownerOf(of: Process | undefined): { readonly uid: number; readonly gid: number } {
  if (of?.dumpable !== DUMPABLE) return { uid: 0, gid: 0 };
  return { uid: of.credentials.user.effective, gid: of.credentials.group.effective };
}
