/** Extended attributes in the sandbox: those of the real file until one is changed. */
import { E } from '../../base/errno.js';
import { S_IFDIR, S_IFREG } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import { owns, permits, W } from '../permissions.js';
import { type Ref, typeOf } from './node.js';
import { attributeBytes } from './tree.js';
import type { View } from './view.js';

type Attributes = ReadonlyMap<string, Uint8Array>;

const XATTR_CREATE = 1;
const XATTR_REPLACE = 2;
/** What ext4 has room for in its usual block. */
const MOST_BYTES = 4000;
const NONE: Attributes = new Map();

export function attributesOf(view: View, file: Ref): Attributes | number {
  const known = view.tree.node(file.key)?.attributes;
  if (known !== undefined) return known;
  return file.lowerPath === undefined ? NONE : view.tree.options.lower.files.attributes(file.lowerPath, false);
}

function mayChange(view: View, file: Ref, name: BytePath): number {
  const { actor } = view.tree.options;
  const type = typeOf(file.stat);
  if (!name.startsWith('user.')) return owns(actor, file.stat) ? 0 : -E.PERM;
  if (type !== S_IFREG && type !== S_IFDIR) return -E.PERM;
  return permits(actor, file.stat, W) ? 0 : -E.ACCES;
}

export function setAttribute(view: View, file: Ref, name: BytePath, value: Uint8Array, flags: number): number {
  const refused = mayChange(view, file, name);
  if (refused < 0) return refused;
  const old = attributesOf(view, file);
  if (typeof old === 'number') return old;
  if ((flags & XATTR_CREATE) !== 0 && old.has(name)) return -E.EXIST;
  if ((flags & XATTR_REPLACE) !== 0 && !old.has(name)) return -E.NODATA;
  const attributes = new Map(old).set(name, value.slice());
  return attributeBytes(attributes) > MOST_BYTES ? -E.NOSPC : replace(view, file, attributes);
}

export function removeAttribute(view: View, file: Ref, name: BytePath): number {
  const refused = mayChange(view, file, name);
  if (refused < 0) return refused;
  const old = attributesOf(view, file);
  if (typeof old === 'number') return old;
  if (!old.has(name)) return -E.NODATA;
  const attributes = new Map(old);
  attributes.delete(name);
  return replace(view, file, attributes);
}

function replace(view: View, file: Ref, attributes: Attributes): number {
  const more = attributeBytes(attributes) - attributeBytes(view.tree.node(file.key)?.attributes);
  if (more > view.tree.budget.left) return -E.NOSPC;
  view.tree.budget.force(more);
  const node = view.tree.change(file);
  node.attributes = attributes;
  node.changed = view.tree.options.now();
  return 0;
}
