/**
 * The file tree as the guest sees it: the real one below, what was changed above it. A directory's own
 * entries come first, then those of the real directory it stands for, unless they are hidden.
 *
 * Everything changed lies in layered maps, so a fork costs the same however much there is.
 */
import { assert } from '../../base/assert.js';
import { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import { S_IFDIR, S_IFREG } from '../../base/fileConstants.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { Actor, HostDirectoryEntry, HostStat, TimeSpec } from '../host.js';
import { FileData } from './fileData.js';
import { LayeredMap } from './layeredMap.js';
import type { LowerFiles } from './lowerFiles.js';
import { isOutside } from './outside.js';
import { copyOf, type Entry, isDirectory, keyOf, type NodeKey, type Ref, statOf, typeOf, type UpperNode } from './node.js';

/** New files get numbers that file systems hardly reach, and that still fit into 32 bits. */
const FIRST_INODE = 0xf000_0000;

/** About what a file without content takes, and a name, beside its characters. */
const NODE_BYTES = 1024;
const ENTRY_BYTES = 64;

/** Where a directory hangs in the tree. */
interface Location {
  readonly parent: NodeKey;
  readonly name: string;
  readonly lowerPath: BytePath | undefined;
}

export interface TreeOptions {
  readonly lower: LowerFiles;
  /** Whose rights count now. */
  actor: Actor;
  readonly now: () => TimeSpec;
  /** The user's own. */
  readonly terminals: ReadonlySet<NodeKey>;
  /** Bytes of memory that changed files may take. */
  readonly limit: number;
}

/** What makes a new file. */
export interface NewFile {
  readonly mode: number;
  readonly target?: BytePath;
  readonly links?: number;
}

export class Tree {
  budget: Budget;
  private nodes = new LayeredMap<NodeKey, UpperNode>();
  private locations = new LayeredMap<NodeKey, Location>();
  private nextInode = FIRST_INODE;
  private readonly rootKey: NodeKey;

  constructor(readonly options: TreeOptions) {
    this.budget = new Budget(options.limit);
    const stat = options.lower.files.stat(bytePath('/'), true);
    assert(typeof stat !== 'number', 'there is a root directory');
    this.rootKey = keyOf(stat);
    this.locations.set(this.rootKey, { parent: this.rootKey, name: '', lowerPath: bytePath('/') });
  }

  fork(): Tree {
    const copy = new Tree(this.options);
    copy.nodes = this.nodes.fork();
    copy.locations = this.locations.fork();
    copy.budget = this.budget.copy();
    copy.nextInode = this.nextInode;
    return copy;
  }

  get root(): Ref {
    const root = this.find(this.rootKey, bytePath('/'));
    assert(typeof root !== 'number', 'there is a root directory');
    return root;
  }

  /** A file known by its key; the path is where it lies if it is a real one without changes. */
  find(key: NodeKey, lowerPath: BytePath | undefined): Ref | number {
    const node = this.nodes.get(key);
    if (node !== undefined) return { key, lowerPath: node.lowerPath, stat: statOf(node) };
    const stat = lowerPath === undefined ? -E.NOENT : this.options.lower.files.stat(lowerPath, false);
    return typeof stat === 'number' ? stat : { key, lowerPath, stat };
  }

  directory(key: NodeKey): Ref | number {
    return this.find(key, this.locations.get(key)?.lowerPath);
  }

  node(key: NodeKey): UpperNode | undefined {
    return this.nodes.get(key);
  }

  parent(directory: Ref): Ref | number {
    return this.directory(this.locations.get(directory.key)?.parent ?? this.rootKey);
  }

  child(directory: Ref, name: string): Ref | number {
    const entry = this.nodes.get(directory.key)?.entries?.get(name);
    if (entry === null) return -E.NOENT;
    const found = entry === undefined ? this.lowerChild(directory, name) : this.find(entry, undefined);
    if (typeof found !== 'number' && isDirectory(found)) this.locate(found, directory, name);
    return found;
  }

  /** The file's node, to be changed: made from the real file if it has none yet, not shared with any fork. */
  change(ref: Ref): UpperNode {
    const known = this.nodes.get(ref.key);
    if (known !== undefined && this.nodes.owns(ref.key)) return known;
    const node = known === undefined ? this.nodeOver(ref) : copyOf(known);
    this.nodes.set(ref.key, node);
    return node;
  }

  /** Whether there is memory for another file, or another name. */
  hasRoomFor(name: string, target: BytePath | undefined = undefined): boolean {
    return this.budget.left >= NODE_BYTES + ENTRY_BYTES + name.length + (target?.length ?? 0);
  }

  /** A new file without a name. */
  create(directory: Ref, { mode, target, links = 1 }: NewFile): UpperNode {
    const now = this.options.now();
    const { uid, gid } = this.options.actor;
    const inode = this.nextInode++;
    const isTree = typeOf({ mode }) === S_IFDIR;
    const inheritsGroup = (directory.stat.mode & S_ISGID) !== 0;
    const node: UpperNode = {
      key: `+${inode}` as NodeKey, device: directory.stat.device, inode: BigInt(inode), specialDevice: 0n,
      blockSize: directory.stat.blockSize, born: now, accessed: now, modified: now, changed: now,
      lowerPath: undefined, lowerBlocks: isTree ? 8 : 0, lowerSize: isTree ? directory.stat.blockSize : 0,
      mode: isTree && inheritsGroup ? mode | S_ISGID : mode, links,
      uid, gid: inheritsGroup ? directory.stat.gid : gid,
      data: typeOf({ mode }) === S_IFREG ? FileData.empty() : undefined,
      target, attributes: new Map(),
      entries: isTree ? new LayeredMap() : undefined,
    };
    this.nodes.set(node.key, node);
    this.budget.force(NODE_BYTES + (target?.length ?? 0));
    return node;
  }

  /** Gives a file a name in a directory, or takes the name away. */
  setEntry(directory: Ref, name: string, node: UpperNode | null): void {
    const changed = this.change(directory);
    const now = this.options.now();
    changed.modified = now;
    changed.changed = now;
    const hides = node === null && typeof this.lowerChild({ ...directory, lowerPath: changed.lowerPath }, name) !== 'number';
    if (changed.entries?.get(name) !== undefined) this.budget.giveBack(ENTRY_BYTES + name.length);
    if (node === null && !hides) changed.entries?.delete(name);
    else {
      changed.entries?.set(name, node?.key ?? null);
      this.budget.force(ENTRY_BYTES + name.length);
    }
    if (node?.entries !== undefined) this.locate({ key: node.key, lowerPath: node.lowerPath, stat: statOf(node) }, directory, name);
  }

  /** Names and files, without `.` and `..`; the real directory's first, in its order. */
  list(directory: Ref): HostDirectoryEntry[] | number {
    const entries = this.nodes.get(directory.key)?.entries;
    const found = directory.lowerPath === undefined ? [] : this.lowerList(directory, directory.lowerPath, entries);
    if (typeof found === 'number') return found;
    for (const [name, key] of entries?.entries() ?? []) {
      const node = key === null ? undefined : this.nodes.get(key);
      if (node !== undefined) found.push({ name: bytePath(name), type: typeOf(node) >> 12 });
    }
    return found;
  }

  /** No name and no descriptor leads to the file any more. */
  forget(key: NodeKey): void {
    const node = this.nodes.get(key);
    if (node !== undefined) this.budget.giveBack(bytesOf(node));
    this.nodes.delete(key);
    this.locations.delete(key);
  }

  /** Absolute; of a directory that was removed the path it had. */
  pathOf(directory: NodeKey): BytePath {
    const names: string[] = [];
    let key = directory;
    while (key !== this.rootKey) {
      const location = this.locations.get(key);
      if (location === undefined) break;
      names.unshift(location.name);
      key = location.parent;
    }
    return bytePath(`/${names.join('/')}`);
  }

  /** Whether `inner` is `outer` or lies below it. */
  isWithin(inner: NodeKey, outer: NodeKey): boolean {
    for (let key = inner; ; ) {
      if (key === outer) return true;
      if (key === this.rootKey) return false;
      key = this.locations.get(key)?.parent ?? this.rootKey;
    }
  }

  private lowerChild(directory: Ref, name: string): Ref | number {
    if (directory.lowerPath === undefined || isOutside(this.options.lower.files, directory, name)) return -E.NOENT;
    const path = below(directory.lowerPath, name);
    const stat = this.options.lower.files.stat(path, false);
    return typeof stat === 'number' ? stat : this.find(keyOf(stat), path);
  }

  private lowerList(directory: Ref, path: BytePath, entries: LayeredMap<string, Entry> | undefined): HostDirectoryEntry[] | number {
    const scan = this.options.lower.files.openDirectory(path);
    if (typeof scan === 'number') return scan;
    const found: HostDirectoryEntry[] = [];
    for (let entry = scan.next(); entry !== undefined; entry = scan.next()) {
      if (entries?.get(entry.name) === undefined && !isOutside(this.options.lower.files, directory, entry.name)) found.push(entry);
    }
    scan.close();
    return found;
  }

  private locate({ key, lowerPath }: Ref, parent: Ref, name: string): void {
    const known = this.locations.get(key);
    if (known?.parent === parent.key && known.name === name && known.lowerPath === lowerPath) return;
    this.locations.set(key, { parent: parent.key, name, lowerPath });
  }

  private nodeOver({ key, lowerPath, stat }: Ref): UpperNode {
    const type = typeOf(stat);
    assert(lowerPath !== undefined, 'a file without a node is a real one');
    return {
      key, lowerPath, lowerBlocks: stat.blocks, lowerSize: stat.size, target: undefined, attributes: undefined,
      ...withoutSize(stat),
      data: type === S_IFREG ? FileData.over(this.options.lower.bytesOf(lowerPath), stat.size) : undefined,
      entries: type === S_IFDIR ? new LayeredMap() : undefined,
    };
  }
}

const S_ISGID = 0o2000;

/** Memory that goes with a node. */
function bytesOf({ lowerPath, data, target, attributes, entries }: UpperNode): number {
  const names = [...(entries?.entries() ?? [])].reduce((sum, [name]) => sum + ENTRY_BYTES + name.length, 0);
  return (lowerPath === undefined ? NODE_BYTES : 0) + (data?.bytesHeld ?? 0) + (target?.length ?? 0) + attributeBytes(attributes) + names;
}

export function attributeBytes(attributes: ReadonlyMap<string, Uint8Array> | undefined): number {
  return [...(attributes ?? [])].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

function below(directory: BytePath, name: string): BytePath {
  return bytePath(directory === '/' ? `/${name}` : `${directory}/${name}`);
}

function withoutSize(stat: HostStat): Omit<HostStat, 'size' | 'blocks'> {
  const { size: _size, blocks: _blocks, ...rest } = stat;
  return rest;
}
