/** Opening, examining and listing the nodes of the file tree that we play ourselves. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import type { Process } from '../process.js';
import type { VirtualNode } from '../proc/virtualNode.js';
import { permits, R, W } from '../../host/permissions.js';
import { mayInspect, ownerOf } from '../proc/inspection.js';
import { syntheticStat } from './anonymousFile.js';
import { DT, O, S_IFDIR, S_IFLNK, S_IFREG } from './fileConstants.js';
import { MemFd } from './memFd.js';
import { MemoryContent } from './memoryContent.js';
import { MemoryFile } from './memoryFile.js';
import { type DirectoryEntry, OpenFile } from './openFile.js';
import { openHostFile } from './openHostFile.js';
import { PipeEnd } from './pipe.js';

const PROC_DEVICE = 0x15n;
/** Flags that stay with the file. */
const REMEMBERED = O.ACCMODE | O.NONBLOCK | O.APPEND | O.PATH;
/** By access mode: what must be permitted. */
const WANTED: readonly number[] = [R, W, R | W, 0];

/** An inode number that stays the same for the same path. */
function inodeOf(path: string): bigint {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x0100_0193) >>> 0;
  return BigInt(hash);
}

export function nodeStat(process: Process, node: VirtualNode): HostStat {
  const now = process.clock.realtime();
  const common = {
    device: PROC_DEVICE, inode: inodeOf(node.path), ...ownerOf(node.of), blockSize: 1024, accessed: now, modified: now, changed: now,
  };
  switch (node.kind) {
    case 'text':
    case 'file':
      return syntheticStat({ ...common, mode: S_IFREG | node.mode });
    case 'link':
      return syntheticStat({ ...common, mode: S_IFLNK | node.mode, size: node.size });
    case 'directory':
      return syntheticStat({ ...common, mode: S_IFDIR | node.mode, links: 2 });
  }
}

export function statVirtual(process: Process, node: VirtualNode, followLinks: boolean): HostStat | number {
  if (node.kind !== 'link' || !followLinks) return nodeStat(process, node);
  if (!mayFollow(process, node)) return -E.ACCES;
  if (node.node !== undefined) return statVirtual(process, node.node, true);
  return node.file === undefined ? process.host.files.stat(node.leadsTo ?? node.target, true) : node.file.stat();
}

/** Whether a process may see what is behind. */
export function mayFollow(process: Process, { of, guarded }: VirtualNode): boolean {
  return guarded !== true || of === undefined || mayInspect(process, of);
}

/** `wanted` are the bits of access(2). */
export function mayAccess(process: Process, node: VirtualNode, wanted: number): boolean {
  if (!mayFollow(process, node)) return false;
  return permits(process.credentials.actor, { mode: node.mode | (node.kind === 'directory' ? S_IFDIR : S_IFREG), ...ownerOf(node.of) }, wanted);
}

/** What files of ours were opened as, so that they can be opened anew. */
const nodes = new WeakMap<OpenFile, VirtualNode>();

export function openVirtual(process: Process, node: VirtualNode, flags: number, mode: number): OpenFile | number {
  const file = openNode(process, node, flags, mode);
  if (typeof file !== 'number' && node.kind !== 'link') nodes.set(file, node);
  return file;
}

function openNode(process: Process, node: VirtualNode, flags: number, mode: number): OpenFile | number {
  if ((flags & O.CREAT) !== 0 && (flags & O.EXCL) !== 0) return -E.EXIST;
  switch (node.kind) {
    case 'text':
    case 'file':
      if ((flags & O.DIRECTORY) !== 0) return -E.NOTDIR;
      if ((flags & O.PATH) === 0 && !mayAccess(process, node, WANTED[flags & O.ACCMODE] ?? 0)) return -E.ACCES;
      if (node.kind === 'file') return node.open(flags & REMEMBERED);
      return new GeneratedFile(process, node, nodeStat(process, node), flags & REMEMBERED);
    case 'link':
      if ((flags & O.NOFOLLOW) !== 0) return (flags & O.PATH) === 0 ? -E.LOOP : new VirtualLink(node, nodeStat(process, node), flags & REMEMBERED);
      return mayFollow(process, node) ? openTarget(process, node, flags, mode) : -E.ACCES;
    case 'directory':
      if ((flags & O.ACCMODE) !== O.RDONLY && (flags & O.PATH) === 0) return -E.ISDIR;
      if ((flags & O.PATH) === 0 && !mayAccess(process, node, R)) return -E.ACCES;
      return new VirtualDirectory(node, nodeStat(process, node), flags & (REMEMBERED | O.DIRECTORY));
  }
}

/** Opening /proc/self/fd/N opens the file anew, where the host can do that. */
function openTarget(process: Process, node: VirtualNode & { kind: 'link' }, flags: number, mode: number): OpenFile | number {
  const { file } = node;
  if (node.node !== undefined) return openVirtual(process, node.node, flags, mode);
  if (file === undefined) return openHostFile(process.host, node.leadsTo ?? node.target, flags, mode);
  if (file instanceof MemFd || file instanceof PipeEnd) return file.reopen(flags);
  const opened = nodes.get(file);
  if (opened !== undefined && opened.kind !== 'link') return openVirtual(process, opened, flags, mode);
  if (file.hostFd === undefined) return file;
  return openHostFile(process.host, process.host.files.pathOfFd(file.hostFd), flags, mode);
}

/** Text that is made when it is read, not when the file is opened; and anew when read from the start again. */
class GeneratedFile extends MemoryFile {
  private isMade = false;

  constructor(
    private readonly process: Process,
    private readonly node: VirtualNode & { kind: 'text' },
    fixedStat: HostStat,
    flags: number,
  ) {
    super(node.path, flags, new MemoryContent(new Uint8Array(0), inodeOf(node.path)), fixedStat);
  }

  override get isMappable(): boolean {
    return false;
  }

  override readAt(target: Uint8Array, offset: number): number {
    if (offset === 0 || !this.isMade) this.content.replace(this.node.text());
    this.isMade = true;
    return super.readAt(target, offset);
  }

  override writeAt(bytes: Uint8Array): number {
    return this.node.write?.(bytes, this.process) ?? -E.INVAL;
  }

  /** As Linux: nothing is said, and nothing done. */
  override truncate(): number {
    return 0;
  }

  override mappable(): number {
    return -E.NODEV;
  }
}

/** A link itself, opened with O_PATH and O_NOFOLLOW. */
class VirtualLink extends OpenFile {
  constructor(
    readonly node: VirtualNode & { kind: 'link' },
    private readonly fixedStat: HostStat,
    flags: number,
  ) {
    super(flags);
  }

  override get path(): BytePath {
    return this.node.path;
  }

  override stat(): HostStat {
    return this.fixedStat;
  }
}

/** The target of a link of ours that was opened itself. */
export function targetOfOpened(file: OpenFile): BytePath | undefined {
  return file instanceof VirtualLink ? file.node.target : undefined;
}

class VirtualDirectory extends OpenFile {
  override readonly path: BytePath;
  /** Made when first asked for: by then the directory itself has its descriptor. */
  private entries: readonly DirectoryEntry[] | undefined;
  private place = 0;

  constructor(
    private readonly node: VirtualNode & { kind: 'directory' },
    private readonly fixedStat: HostStat,
    flags: number,
  ) {
    super(flags);
    this.path = node.path;
  }

  override get isDirectory(): boolean {
    return true;
  }

  override get position(): number {
    return this.place;
  }

  override read(): number {
    return -E.ISDIR;
  }

  override stat(): HostStat {
    return this.fixedStat;
  }

  override seek(offset: number): number {
    if (offset < 0) return -E.INVAL;
    this.place = offset;
    if (offset === 0) this.entries = undefined;
    return offset;
  }

  override peekEntry(): DirectoryEntry | undefined {
    this.entries ??= this.list();
    return this.entries[this.place];
  }

  override takeEntry(): void {
    this.place++;
  }

  private list(): DirectoryEntry[] {
    const dots = ['.', '..'].map((name) => ({ name: bytePath(name), type: DT.DIR as number }));
    return [...dots, ...this.node.entries()].map(({ name, type }, i) => {
      const inode = inodeOf(name === '.' ? this.path : `${this.path}/${name}`);
      return { name, type, inode, next: i + 1 };
    });
  }
}
