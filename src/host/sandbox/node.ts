/**
 * The files of the sandbox. A file of the real system that was changed, and one that exists here only, has
 * a node in the upper layer; all others are known by their real path alone. A key names a file
 * in either case and never changes, so that hard links and open descriptors meet at the same node.
 */
import { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostStat, TimeSpec } from '../host.js';
import type { FileData } from './fileData.js';
import type { LayeredMap } from './layeredMap.js';

/** `device:inode` of a real file, also after it was changed here; `+inode` of a new one. */
export type NodeKey = string & { readonly __brand: 'NodeKey' };

/** What a name in a changed directory stands for; null: the real file of that name is hidden. */
export type Entry = NodeKey | null;

/** Only to be changed if the tree says that it is ours alone (Tree.change). */
export interface UpperNode {
  readonly key: NodeKey;
  readonly device: bigint;
  readonly inode: bigint;
  readonly specialDevice: bigint;
  readonly blockSize: number;
  readonly born: TimeSpec;
  /** Where the real file lies, if there is one: for content that was not changed here. */
  readonly lowerPath: BytePath | undefined;
  /** What the real file occupied, and its size where nothing here tells a better one. */
  readonly lowerBlocks: number;
  readonly lowerSize: number;
  mode: number;
  links: number;
  uid: number;
  gid: number;
  accessed: TimeSpec;
  modified: TimeSpec;
  changed: TimeSpec;
  /** Of a regular file. */
  readonly data: FileData | undefined;
  /** Of a new symbolic link. */
  readonly target: BytePath | undefined;
  /** Extended attributes, if they are not the real file's. */
  attributes: ReadonlyMap<string, Uint8Array> | undefined;
  /** Of a directory: names that are not as in the real directory. */
  readonly entries: LayeredMap<string, Entry> | undefined;
}

/** A file as it was found just now. */
export interface Ref {
  readonly key: NodeKey;
  readonly lowerPath: BytePath | undefined;
  readonly stat: HostStat;
}

const BLOCK_UNIT = 512;
const PAGE = 4096;

export function keyOf(stat: HostStat): NodeKey {
  return `${stat.device}:${stat.inode}` as NodeKey;
}

export function typeOf(stat: { readonly mode: number }): number {
  return stat.mode & S_IFMT;
}

export function isDirectory(ref: Ref): boolean {
  return typeOf(ref.stat) === S_IFDIR;
}

export function isLink(ref: Ref): boolean {
  return typeOf(ref.stat) === S_IFLNK;
}

export function isRegular(ref: Ref): boolean {
  return typeOf(ref.stat) === S_IFREG;
}

export function statOf(node: UpperNode): HostStat {
  const held = Math.ceil((node.data?.bytesHeld ?? 0) / PAGE) * (PAGE / BLOCK_UNIT);
  return {
    device: node.device,
    inode: node.inode,
    mode: node.mode,
    links: node.links,
    uid: node.uid,
    gid: node.gid,
    specialDevice: node.specialDevice,
    size: node.data?.size ?? node.target?.length ?? node.lowerSize,
    blockSize: node.blockSize,
    blocks: Math.max(held, node.data?.size === 0 ? 0 : node.lowerBlocks),
    accessed: node.accessed,
    modified: node.modified,
    changed: node.changed,
    born: node.born,
  };
}

export function copyOf(node: UpperNode): UpperNode {
  return { ...node, data: node.data?.fork(), entries: node.entries?.fork() };
}
