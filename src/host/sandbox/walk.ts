/**
 * Finds the file that a path leads to, one name after the other as the kernel does it: any of them may have
 * been changed, and links lead back into the changed tree.
 */
import { E } from '../../base/errno.js';
import { NAME_MAX, PATH_MAX } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import { isDirectory, isLink, type Ref } from './node.js';
import { permits, X } from '../permissions.js';
import type { Tree } from './tree.js';

const MOST_LINKS = 40;

/** Where a path ends. */
export interface WalkedPath {
  /** The directory of the last name. */
  readonly parent: Ref;
  /** The last name; '.', '..' and '/' are what they are and no names. */
  readonly name: string;
  /** Undefined: there is no such name in the directory. */
  readonly file: Ref | undefined;
  /** The path ends with a slash, so it means a directory. */
  readonly slash: boolean;
}

export interface WalkOptions {
  /** Follow a link in the last place. */
  readonly follow: boolean;
  /** The name is about to be made or removed: a slash after it does not make us follow a link. */
  readonly forName?: boolean;
  /** open(2) with O_CREAT: what ends with a slash cannot be made, and is not even looked for. */
  readonly creates?: boolean;
}

export function isName(name: string): boolean {
  return name !== '.' && name !== '..' && name !== '/';
}

/** The names still to come, and how many links there were so far. */
interface Journey {
  readonly names: string[];
  links: number;
  slash: boolean;
}

export function walk(tree: Tree, start: Ref, path: BytePath, options: WalkOptions): WalkedPath | number {
  if (path === '') return -E.NOENT;
  const journey: Journey = { names: namesOf(path), links: 0, slash: endsWithSlash(path) };
  const follows = options.follow || (journey.slash && options.forName !== true);
  let at = path.startsWith('/') ? tree.root : start;
  let place: WalkedPath = { parent: at, name: path.startsWith('/') ? '/' : '.', file: at, slash: journey.slash };
  for (let name = journey.names.shift(); name !== undefined; name = journey.names.shift()) {
    const isLast = journey.names.length === 0;
    if (isLast && journey.slash && options.creates === true && isName(name)) return -E.ISDIR;
    const found = step(tree, at, name);
    if (typeof found === 'number') {
      if (found !== -E.NOENT || !isLast) return found;
      return { parent: at, name, file: undefined, slash: journey.slash };
    }
    if (isLink(found) && (!isLast || follows)) {
      const next = followLink(tree, at, found, journey);
      if (typeof next === 'number') return next;
      at = next;
      place = { parent: at, name: '/', file: at, slash: journey.slash };
      continue;
    }
    place = { parent: at, name, file: found, slash: journey.slash };
    if (!isLast) at = found;
  }
  return { ...place, slash: journey.slash };
}

/** The file at a path that has to be there. */
export function lookUp(tree: Tree, start: Ref, path: BytePath, follow: boolean): Ref | number {
  const place = walk(tree, start, path, { follow });
  if (typeof place === 'number') return place;
  if (place.file === undefined) return -E.NOENT;
  return place.slash && !isDirectory(place.file) ? -E.NOTDIR : place.file;
}

export function linkTarget(tree: Tree, link: Ref): BytePath | number {
  const target = tree.node(link.key)?.target;
  if (target !== undefined) return target;
  return link.lowerPath === undefined ? -E.INVAL : tree.options.lower.files.readLink(link.lowerPath);
}

function step(tree: Tree, at: Ref, name: string): Ref | number {
  if (!isDirectory(at)) return -E.NOTDIR;
  if (!permits(tree.options.actor, at.stat, X)) return -E.ACCES;
  if (name === '.') return at;
  if (name === '..') return tree.parent(at);
  return name.length > NAME_MAX ? -E.NAMETOOLONG : tree.child(at, name);
}

/** Puts the link's names before those still to come; the result is where they start. */
function followLink(tree: Tree, at: Ref, link: Ref, journey: Journey): Ref | number {
  if (++journey.links > MOST_LINKS) return -E.LOOP;
  const target = linkTarget(tree, link);
  if (typeof target === 'number') return target;
  if (journey.names.length === 0 && endsWithSlash(target)) journey.slash = true;
  journey.names.unshift(...namesOf(target));
  return target.startsWith('/') ? tree.root : at;
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function endsWithSlash(path: string): boolean {
  return path.endsWith('/') && path.length < PATH_MAX;
}
