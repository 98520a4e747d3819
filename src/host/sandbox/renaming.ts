/** rename(2) in the sandbox, with the kernel's order of checks. */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import { countSubdirectory, dropDirectory, dropLink, isFull } from './naming.js';
import { isDirectory, type Ref } from './node.js';
import { mayCreate, mayRemove, permits, W } from '../permissions.js';
import { placeOf, type View } from './view.js';
import { isName, type WalkedPath } from './walk.js';

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

type Existing = WalkedPath & { readonly file: Ref };

function checkKinds(view: View, from: Existing, to: WalkedPath): number {
  if (!isDirectory(from.file) && (from.slash || to.slash)) return -E.NOTDIR;
  if (isDirectory(from.file) && view.tree.isWithin(to.parent.key, from.file.key)) return -E.INVAL;
  return to.file !== undefined && view.tree.isWithin(from.parent.key, to.file.key) ? -E.NOTEMPTY : 0;
}

function checkRights(view: View, from: Existing, to: WalkedPath): number {
  const { actor } = view.tree.options;
  const leaves = mayRemove(actor, from.parent.stat, from.file.stat);
  if (leaves < 0) return leaves;
  const comes = to.file === undefined ? mayCreate(actor, to.parent.stat) : mayRemove(actor, to.parent.stat, to.file.stat);
  if (comes < 0) return comes;
  if (to.file !== undefined) {
    if (isDirectory(from.file) && !isDirectory(to.file)) return -E.NOTDIR;
    if (!isDirectory(from.file) && isDirectory(to.file)) return -E.ISDIR;
  }
  // A directory's own `..` changes.
  const moves = isDirectory(from.file) && from.parent.key !== to.parent.key;
  return moves && !permits(actor, from.file.stat, W) ? -E.ACCES : 0;
}

function move(view: View, from: Existing, to: WalkedPath): void {
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

/** RENAME_EXCHANGE: both have to be there, and neither in the other. */
export function exchange(view: View, onePath: BytePath, otherPath: BytePath): number {
  const one = placeOf(view, onePath, FOR_NAME);
  if (typeof one === 'number') return one;
  const other = placeOf(view, otherPath, FOR_NAME);
  if (typeof other === 'number') return other;
  if (one.parent.stat.device !== other.parent.stat.device) return -E.XDEV;
  if (!isName(one.name) || !isName(other.name)) return -E.BUSY;
  if (one.file === undefined || other.file === undefined) return -E.NOENT;
  const [a, b] = [{ ...one, file: one.file }, { ...other, file: other.file }];
  const failure = [checkSwap(view, a, b), checkSwap(view, b, a)].find((result) => result < 0);
  if (failure !== undefined) return failure;
  if (a.file.key !== b.file.key) swap(view, a, b);
  return 0;
}

function checkSwap(view: View, from: Existing, to: Existing): number {
  if (!isDirectory(from.file)) return from.slash ? -E.NOTDIR : mayRemove(view.tree.options.actor, from.parent.stat, from.file.stat);
  if (view.tree.isWithin(to.parent.key, from.file.key)) return -E.INVAL;
  return mayRemove(view.tree.options.actor, from.parent.stat, from.file.stat);
}

function swap(view: View, a: Existing, b: Existing): void {
  const { tree, handles } = view;
  const [first, second] = [tree.change(a.file), tree.change(b.file)];
  first.changed = tree.options.now();
  second.changed = first.changed;
  tree.setEntry(a.parent, a.name, second);
  tree.setEntry(b.parent, b.name, first);
  const [here, there] = [{ parent: a.parent.key, name: a.name }, { parent: b.parent.key, name: b.name }];
  const aside = { parent: a.parent.key, name: '/' };
  handles.renamed(here, aside);
  handles.renamed(there, here);
  handles.renamed(aside, there);
  if (isDirectory(a.file) === isDirectory(b.file)) return;
  const [loses, gains] = isDirectory(a.file) ? [a.parent, b.parent] : [b.parent, a.parent];
  countSubdirectory(view, loses, -1);
  countSubdirectory(view, gains, 1);
}
