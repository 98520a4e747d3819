/**
 * The host's files with a copy-on-write layer before them: everything can be read, changes stay in memory.
 * What each call means is in the files beside this one; here it is decided whether a path or descriptor
 * leads into the tree or to the real system.
 */
import type { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import { O } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import type { Actor, HostDirectory, HostFd, HostFiles, HostIdentity, HostStat, HostStatfs, TimeSpec } from '../host.js';
import { attributesOf, removeAttribute, setAttribute } from './attributes.js';
import { readHandle, writeHandle } from './content.js';
import { type Handle, Handles, isAppendOnly, type TreeHandle } from './handles.js';
import { RealFd } from './lowerFiles.js';
import { chmod, chown, setTimes } from './metadata.js';
import { makeDirectory, makeFifo, makeLink, makeSocket, makeSymlink, removeDirectory, unlink } from './naming.js';
import { isDirectory, isLink, isRegular, type Ref } from './node.js';
import { openInView, truncateFile } from './opening.js';
import { permits, W } from '../permissions.js';
import { exchange, rename } from './renaming.js';
import { Tree, type TreeOptions } from './tree.js';
import { descriptorIn, directoryPath, fileAt, fileOf, forgetIfUnused, pathOfFd, shownPath, type View } from './view.js';
import { linkTarget, lookUp } from './walk.js';

export class SandboxFiles implements HostFiles {
  private constructor(
    private readonly lower: HostFiles,
    private readonly view: View,
  ) {
    view.tree.options.lower.addView();
  }

  static over(options: TreeOptions): SandboxFiles {
    const lower = options.lower.files;
    const tree = new Tree(options);
    const handles = new Handles();
    for (const fd of lower.inherited()) {
      const flags = lower.describe(fd)?.flags ?? O.RDWR;
      handles.adopt(fd, { kind: 'real', real: new RealFd(lower, fd), flags, inherited: true });
    }
    const start = lookUp(tree, tree.root, lower.workingDirectory(), true);
    return new SandboxFiles(lower, { tree, handles, workingDirectory: typeof start === 'number' ? tree.root.key : start.key });
  }

  fork(): SandboxFiles {
    const { tree, handles, workingDirectory } = this.view;
    return new SandboxFiles(this.lower, { tree: tree.fork(), handles: handles.fork(), workingDirectory });
  }

  /** What can be reached of the real files goes by the same user. */
  actAs(user: Actor, identity: HostIdentity): void {
    this.view.tree.options.actor = user;
    identity.actAs(user);
  }

  dispose(): void {
    this.view.handles.closeAll();
    this.view.tree.options.lower.removeView();
  }

  /** What the guest may make us keep; what of it is for files is counted already. */
  get budget(): Budget {
    return this.view.tree.budget;
  }

  /** The real descriptor behind one of ours, for terminals. */
  realFd(fd: HostFd): HostFd | undefined {
    const handle = this.view.handles.get(fd);
    return handle?.kind === 'real' ? handle.real.fd : undefined;
  }

  open(path: BytePath, flags: number, mode: number): HostFd | number {
    return openInView(this.view, path, flags, mode);
  }

  close(fd: HostFd): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    this.view.handles.remove(fd);
    const result = handle.real?.release() ?? 0;
    if (handle.kind === 'tree') forgetIfUnused(this.view, handle.key);
    return result;
  }

  read(fd: HostFd, target: Uint8Array, position?: number): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    return handle.kind === 'real' ? this.lower.read(handle.real.fd, target, position) : readHandle(this.view, handle, target, position);
  }

  write(fd: HostFd, bytes: Uint8Array, position?: number): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    return handle.kind === 'real' ? this.lower.write(handle.real.fd, bytes, position) : writeHandle(this.view, handle, bytes, position);
  }

  inherited(): readonly HostFd[] {
    return this.lower.inherited();
  }

  describe(fd: HostFd): { flags: number; offset: number } | undefined {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return undefined;
    return handle.kind === 'real' ? this.lower.describe(handle.real.fd) : { flags: handle.flags, offset: handle.offset };
  }

  setOffset(fd: HostFd, offset: number): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    if (handle.kind === 'real') return this.lower.setOffset(handle.real.fd, offset);
    handle.offset = offset;
    return 0;
  }

  pathOfFd(fd: HostFd): BytePath {
    return pathOfFd(fd);
  }

  stat(path: BytePath, followLinks: boolean): HostStat | number {
    const real = this.realPath(path);
    if (real !== undefined) return this.lower.stat(real, true);
    const file = fileAt(this.view, path, followLinks);
    return typeof file === 'number' ? file : file.stat;
  }

  statFd(fd: HostFd): HostStat | number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    if (handle.kind === 'real') return this.lower.statFd(handle.real.fd);
    if (handle.real !== undefined && this.view.tree.node(handle.key) === undefined) return this.lower.statFd(handle.real.fd);
    const file = fileOf(this.view, handle);
    return typeof file === 'number' ? file : file.stat;
  }

  statfs(path: BytePath): HostStatfs | number {
    const real = this.realPath(path);
    if (real !== undefined) return this.lower.statfs(real);
    const file = fileAt(this.view, path, true);
    return typeof file === 'number' ? file : this.lower.statfs(this.nearestReal(file, path));
  }

  openDirectory(path: BytePath): HostDirectory | number {
    return this.onFile(path, true, (file) => {
      if (!isDirectory(file)) return -E.NOTDIR;
      const entries = this.view.tree.list(file);
      if (typeof entries === 'number') return entries;
      const rest = entries.values();
      return { next: () => rest.next().value, close: () => undefined };
    });
  }

  readLink(path: BytePath): BytePath | number {
    const known = descriptorIn(this.view, path);
    if (known !== undefined && known.rest === undefined) return this.linkOfHandle(known.handle);
    return this.onFile(path, false, (file) => (isLink(file) ? linkTarget(this.view.tree, file) : -E.INVAL));
  }

  access(path: BytePath, mode: number): number {
    const real = this.realPath(path);
    if (real !== undefined) return this.lower.access(real, mode);
    return this.onFile(path, true, (file) => {
      const untouched = this.view.tree.node(file.key) === undefined;
      if (untouched && file.lowerPath !== undefined) return this.lower.access(file.lowerPath, mode);
      return permits(this.view.tree.options.actor, file.stat, mode) ? 0 : -E.ACCES;
    });
  }

  makeDirectory(path: BytePath, mode: number): number {
    return makeDirectory(this.view, path, mode);
  }

  removeDirectory(path: BytePath): number {
    return removeDirectory(this.view, path);
  }

  unlink(path: BytePath): number {
    return unlink(this.view, path);
  }

  rename(from: BytePath, to: BytePath): number {
    return rename(this.view, from, to);
  }

  exchange(one: BytePath, other: BytePath): number {
    return exchange(this.view, one, other);
  }

  link(from: BytePath, to: BytePath): number {
    return makeLink(this.view, from, to);
  }

  symlink(target: BytePath, path: BytePath): number {
    return makeSymlink(this.view, target, path);
  }

  makeFifo(path: BytePath, mode: number): number {
    return makeFifo(this.view, path, mode);
  }

  makeSocket(path: BytePath, mode: number): number {
    return makeSocket(this.view, path, mode);
  }

  chmod(path: BytePath, mode: number): number {
    return this.onFile(path, true, (file) => chmod(this.view, file, mode));
  }

  chown(path: BytePath, uid: number, gid: number, followLinks: boolean): number {
    return this.onFile(path, followLinks, (file) => chown(this.view, file, uid, gid));
  }

  setTimes(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean): number {
    return this.onFile(path, followLinks, (file) => setTimes(this.view, file, accessed, modified));
  }

  attributes(path: BytePath, followLinks: boolean): ReadonlyMap<string, Uint8Array> | number {
    return this.onFile(path, followLinks, (file) => attributesOf(this.view, file));
  }

  setAttribute(path: BytePath, name: BytePath, value: Uint8Array, flags: number, followLinks: boolean): number {
    return this.onFile(path, followLinks, (file) => setAttribute(this.view, file, name, value, flags));
  }

  removeAttribute(path: BytePath, name: BytePath, followLinks: boolean): number {
    return this.onFile(path, followLinks, (file) => removeAttribute(this.view, file, name));
  }

  truncate(path: BytePath, size: number): number {
    return this.onFile(path, true, (file) => {
      if (isDirectory(file)) return -E.ISDIR;
      if (!isRegular(file)) return -E.INVAL;
      return permits(this.view.tree.options.actor, file.stat, W) ? truncateFile(this.view, file, size) : -E.ACCES;
    });
  }

  truncateFd(fd: HostFd, size: number): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    if (handle.kind === 'real') return isAppendOnly(handle) ? -E.PERM : this.lower.truncateFd(handle.real.fd, size);
    if ((handle.flags & O.PATH) !== 0) return -E.BADF;
    const file = fileOf(this.view, handle);
    if (typeof file === 'number') return file;
    return isRegular(file) && (handle.flags & O.ACCMODE) !== O.RDONLY ? truncateFile(this.view, file, size) : -E.INVAL;
  }

  isAppendOnly(fd: HostFd): boolean {
    const handle = this.view.handles.get(fd);
    return handle?.kind === 'real' && isAppendOnly(handle);
  }

  sync(fd: HostFd): number {
    const handle = this.view.handles.get(fd);
    if (handle === undefined) return -E.BADF;
    return handle.kind === 'real' ? this.lower.sync(handle.real.fd) : 0;
  }

  /** Of no use to anybody here: see `watch`. */
  version(): number {
    return -E.NOSYS;
  }

  /** No other process sees or changes what is here. */
  watch(): () => void {
    return () => {};
  }

  initialUmask(): number {
    return this.lower.initialUmask();
  }

  workingDirectory(): BytePath {
    return directoryPath(this.view, this.view.workingDirectory);
  }

  /** Acts on the file at a path. Descriptors of the real system are the user's: nothing but their content changes. */
  private onFile<T>(path: BytePath, follow: boolean, act: (file: Ref) => T | number): T | number {
    if (this.realPath(path) !== undefined) return -E.PERM;
    const file = fileAt(this.view, path, follow);
    return typeof file === 'number' ? file : act(file);
  }

  /** The real name of a real descriptor that the path names. */
  private realPath(path: BytePath): BytePath | undefined {
    const known = descriptorIn(this.view, path);
    const isReal = known?.rest === undefined && known?.handle.kind === 'real';
    return isReal ? this.lower.pathOfFd((known.handle as Handle & { kind: 'real' }).real.fd) : undefined;
  }

  private linkOfHandle(handle: Handle): BytePath | number {
    return handle.kind === 'tree' ? shownPath(this.view, handle) : this.lower.readLink(this.lower.pathOfFd(handle.real.fd));
  }

  /** A real file in the same file system. */
  private nearestReal(file: Ref, path: BytePath): BytePath {
    if (file.lowerPath !== undefined) return file.lowerPath;
    const known = descriptorIn(this.view, path)?.handle as TreeHandle | undefined;
    let at = isDirectory(file) ? this.view.tree.parent(file) : known === undefined ? this.parentOf(path) : this.view.tree.directory(known.parent);
    while (typeof at !== 'number' && at.lowerPath === undefined) at = this.view.tree.parent(at);
    return typeof at === 'number' || at.lowerPath === undefined ? this.lower.workingDirectory() : at.lowerPath;
  }

  private parentOf(path: BytePath): Ref | number {
    return fileAt(this.view, path.replace(/[^/]*\/*$/, '.') as BytePath, true);
  }
}
