/** rename(2) in the sandbox, with the kernel's order of checks. */
import { E } from '../../base/errno.js';
import type { BytePath } from '../bytePath.js';
import { countSubdirectory, dropDirectory, dropLink, isFull } from './naming.js';
import { isDirectory, type Ref } from './node.js';
import { mayCreate, mayRemove, permits, W } from './permissions.js';
import { placeOf, type View } from './view.js';
import { isName, type Place } from './walk.js';

const FOR_NAME = { follow: false, forName: true } as const;

export function rename(view: View, fromPath: BytePath, toPath: BytePath): number {
  const from = placeOf(view, fromPath, FOR_NAME);
  if (typeof from === 'number') return from;
  const to = placeOf(view, toPath, FOR_NAME);
  if (typeof to === 'number') return to;
  if (from.parent.stat.device !== to.parent.stat.device) return -E.XDEV;
  if (!isName(from.name) || !isName(to.name)) return -E.BUSY;
  const { file } = from;
  if (file === undefined) return -E.NOENT;
  const failure = checkKinds(view, { ...from, file }, to);
  if (failure < 0) return failure;
  if (to.file?.key === file.key) return 0;
  const refused = checkRights(view, { ...from, file }, to);
  if (refused < 0) return refused;
  if (to.file !== undefined && isDirectory(to.file)) {
    const full = isFull(view, to.file);
    if (full < 0) return full;
  }
  move(view, { ...from, file }, to);
  return 0;
}

type Existing = Place & { readonly file: Ref };

function checkKinds(view: View, from: Existing, to: Place): number {
  if (!isDirectory(from.file) && (from.slash || to.slash)) return -E.NOTDIR;
  if (isDirectory(from.file) && view.tree.isWithin(to.parent.key, from.file.key)) return -E.INVAL;
  return to.file !== undefined && view.tree.isWithin(from.parent.key, to.file.key) ? -E.NOTEMPTY : 0;
}

function checkRights(view: View, from: Existing, to: Place): number {
  const { identity } = view.tree.options;
  const leaves = mayRemove(identity, from.parent.stat, from.file.stat);
  if (leaves < 0) return leaves;
  const comes = to.file === undefined ? mayCreate(identity, to.parent.stat) : mayRemove(identity, to.parent.stat, to.file.stat);
  if (comes < 0) return comes;
  if (to.file !== undefined) {
    if (isDirectory(from.file) && !isDirectory(to.file)) return -E.NOTDIR;
    if (!isDirectory(from.file) && isDirectory(to.file)) return -E.ISDIR;
  }
  // A directory's own `..` changes.
  const moves = isDirectory(from.file) && from.parent.key !== to.parent.key;
  return moves && !permits(identity, from.file.stat, W) ? -E.ACCES : 0;
}

function move(view: View, from: Existing, to: Place): void {
  const { tree, handles } = view;
  // The parents may be the same directory, seen twice: each change starts from what is there now.
  const node = tree.change(from.file);
  node.changed = tree.options.now();
  tree.setEntry(from.parent, from.name, null);
  if (to.file !== undefined) replaceTarget(view, { ...to, file: to.file });
  tree.setEntry(to.parent, to.name, node);
  handles.renamed({ parent: from.parent.key, name: from.name }, { parent: to.parent.key, name: to.name });
  if (isDirectory(from.file)) {
    countSubdirectory(view, from.parent, -1);
    countSubdirectory(view, to.parent, 1);
  }
}

function replaceTarget(view: View, to: Existing): void {
  if (!isDirectory(to.file)) {
    dropLink(view, to.parent, to.name, to.file);
    return;
  }
  countSubdirectory(view, to.parent, -1);
  dropDirectory(view, to.file);
}
