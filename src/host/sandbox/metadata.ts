/** Owners, permissions and times of files in the sandbox. */
import { E } from '../../base/errno.js';
import { S_IFDIR } from '../../base/fileConstants.js';
import type { Actor, TimeSpec } from '../host.js';
import { type Ref, typeOf } from './node.js';
import { isMember, owns } from '../permissions.js';
import type { View } from './view.js';

const S_ISUID = 0o4000;
const S_ISGID = 0o2000;
const GROUP_EXECUTE = 0o010;
const ROOT = 0;
const KEEP = -1;
const KEEP_UNSIGNED = 0xffff_ffff;

export function chmod(view: View, file: Ref, mode: number): number {
  const { actor, now } = view.tree.options;
  if (!owns(actor, file.stat)) return -E.PERM;
  const node = view.tree.change(file);
  const foreign = actor.uid !== ROOT && !isMember(actor, node.gid);
  node.mode = typeOf(node) | (mode & 0o7777 & ~(foreign ? S_ISGID : 0));
  node.changed = now();
  return 0;
}

export function chown(view: View, file: Ref, uid: number, gid: number): number {
  const { actor, now } = view.tree.options;
  const [newUid, newGid] = [kept(uid) ? file.stat.uid : uid, kept(gid) ? file.stat.gid : gid];
  if (!mayGive(actor, file, newUid, newGid)) return -E.PERM;
  const node = view.tree.change(file);
  node.uid = newUid;
  node.gid = newGid;
  if (typeOf(node) !== S_IFDIR) node.mode &= ~privileges(node.mode);
  node.changed = now();
  return 0;
}

function mayGive(actor: Actor, { stat }: Ref, uid: number, gid: number): boolean {
  if (actor.uid === ROOT) return true;
  if (actor.uid !== stat.uid) return uid === stat.uid && gid === stat.gid;
  return uid === stat.uid && (gid === stat.gid || isMember(actor, gid));
}

function kept(id: number): boolean {
  return id === KEEP || id === KEEP_UNSIGNED;
}

/** The bits that make a program run with another's rights: they do not survive a change. */
export function privileges(mode: number): number {
  return (mode & S_ISUID) | ((mode & GROUP_EXECUTE) !== 0 ? mode & S_ISGID : 0);
}

export function setTimes(view: View, file: Ref, accessed: TimeSpec, modified: TimeSpec): number {
  const { actor, now } = view.tree.options;
  if (!owns(actor, file.stat)) return -E.PERM;
  const node = view.tree.change(file);
  node.accessed = accessed;
  node.modified = modified;
  node.changed = now();
  return 0;
}
