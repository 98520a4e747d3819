/**
 * The host's files as the guest uses them, telling inotify what the guest does to them. Without a watch anywhere this
 * passes everything on and costs a comparison.
 */
import { type BytePath, bytePath } from '../../base/bytePath.js';
import type { FileVersion, HostDirectory, HostFd, HostFiles, HostStat, HostStatfs, TimeSpec } from '../../host/host.js';
import { O } from '../files/fileConstants.js';
import { type FileEvents, isDirectory, keyOf } from './fileEvents.js';
import { IN } from './inotifyFile.js';
import { type OutsideChanges, realPath } from './outsideChanges.js';

const DELETED = ' (deleted)';

/** A file and where it is. */
interface ObservedPlace {
  readonly file: HostStat | undefined;
  readonly directory: HostStat | undefined;
  readonly name: BytePath;
  /** Undefined if the place has no path any more. */
  readonly path: BytePath | undefined;
}

export class ObservedFiles implements HostFiles {
  constructor(
    private readonly files: HostFiles,
    private readonly events: FileEvents,
    /** Whether a guest has the file open. */
    private readonly isOpen: (key: string) => boolean,
    /** Who compares later how the guest has left things. */
    private readonly outside: OutsideChanges,
  ) {}

  open(path: BytePath, flags: number, mode: number): HostFd | number {
    if (!this.events.isActive || (flags & O.PATH) === O.PATH) return this.files.open(path, flags, mode);
    const existed = (flags & O.CREAT) === 0 || typeof this.files.stat(path, true) !== 'number';
    const fd = this.files.open(path, flags, mode);
    if (fd < 0) return fd;
    const place = this.placeOfFd(fd as HostFd);
    if (!existed) this.tell(IN.CREATE, { ...place, file: undefined }, false);
    this.tell(IN.OPEN, place);
    if (existed && (flags & O.TRUNC) !== 0) this.tell(IN.MODIFY, place);
    return fd;
  }

  close(fd: HostFd): number {
    if (!this.events.isActive) return this.files.close(fd);
    const flags = this.files.describe(fd)?.flags ?? 0;
    const place = this.placeOfFd(fd);
    const result = this.files.close(fd);
    if ((flags & O.PATH) === 0) this.tell((flags & O.ACCMODE) === O.RDONLY ? IN.CLOSE_NOWRITE : IN.CLOSE_WRITE, place);
    this.endIfGone(place.file);
    return result;
  }

  read(fd: HostFd, target: Uint8Array, position?: number): number {
    const count = this.files.read(fd, target, position);
    if (this.events.isActive && count > 0 && this.events.wants(IN.ACCESS)) this.tell(IN.ACCESS, this.placeOfFd(fd));
    return count;
  }

  write(fd: HostFd, bytes: Uint8Array, position?: number): number {
    const count = this.files.write(fd, bytes, position);
    if (this.events.isActive && count > 0) this.tell(IN.MODIFY, this.placeOfFd(fd));
    return count;
  }

  openDirectory(path: BytePath): HostDirectory | number {
    const directory = this.files.openDirectory(path);
    if (this.events.isActive && typeof directory === 'object' && this.events.wants(IN.ACCESS)) this.tell(IN.ACCESS, this.placeAt(path, true));
    return directory;
  }

  makeDirectory(path: BytePath, mode: number): number {
    return this.creating(path, this.files.makeDirectory(path, mode));
  }

  symlink(target: BytePath, path: BytePath): number {
    return this.creating(path, this.files.symlink(target, path));
  }

  makeFifo(path: BytePath, mode: number): number {
    return this.creating(path, this.files.makeFifo(path, mode));
  }

  makeSocket(path: BytePath, mode: number): number {
    return this.creating(path, this.files.makeSocket(path, mode));
  }

  exchange(one: BytePath, other: BytePath): number {
    if (!this.events.isActive) return this.files.exchange(one, other);
    const places = [this.placeAt(one, false), this.placeAt(other, false)];
    const result = this.files.exchange(one, other);
    if (result !== 0) return result;
    for (const [source, target] of [places, places.toReversed()]) {
      if (source?.file === undefined || target === undefined) continue;
      const moved = { isDirectory: isDirectory(source.file), cookie: this.events.takeCookie(), file: undefined };
      this.events.emit({ ...source, ...moved, mask: IN.MOVED_FROM });
      this.events.emit({ ...target, ...moved, mask: IN.MOVED_TO });
      this.events.emit({ ...source, mask: IN.MOVE_SELF, directory: undefined, isDirectory: false });
    }
    for (const place of places) this.note(place);
    return result;
  }

  link(from: BytePath, to: BytePath): number {
    const result = this.files.link(from, to);
    if (!this.events.isActive || result !== 0) return result;
    const place = this.placeAt(to, false);
    this.tell(IN.ATTRIB, { ...place, directory: undefined });
    this.note(this.placeAt(from, true));
    return this.creating(to, result);
  }

  removeDirectory(path: BytePath): number {
    return this.removing(path, () => this.files.removeDirectory(path));
  }

  unlink(path: BytePath): number {
    return this.removing(path, () => this.files.unlink(path));
  }

  rename(from: BytePath, to: BytePath): number {
    if (!this.events.isActive) return this.files.rename(from, to);
    const [source, target] = [this.placeAt(from, false), this.placeAt(to, false)];
    const [old, real] = [from, to].map((path) => realPath(this.files, path)) as [BytePath, BytePath];
    const result = this.files.rename(from, to);
    if (result === 0) this.outside.moved(old, real);
    const { file } = source;
    if (result !== 0 || file === undefined || (target.file !== undefined && keyOf(target.file) === keyOf(file))) return result;
    const cookie = this.events.takeCookie();
    const ofDirectory = isDirectory(file);
    const moved = { isDirectory: ofDirectory, cookie, file: undefined };
    this.events.emit({ ...source, ...moved, mask: IN.MOVED_FROM });
    this.events.emit({ ...target, ...moved, mask: IN.MOVED_TO });
    if (target.file !== undefined) this.events.emit({ ...target, mask: IN.ATTRIB, directory: undefined, isDirectory: isDirectory(target.file) });
    this.events.emit({ ...source, mask: IN.MOVE_SELF, directory: undefined, isDirectory: false });
    for (const place of [source, target]) this.note(place);
    this.endIfGone(target.file, ofDirectory || target.file?.links === 1);
    return result;
  }

  chmod(path: BytePath, mode: number): number {
    return this.changing(IN.ATTRIB, path, true, this.files.chmod(path, mode));
  }

  chown(path: BytePath, uid: number, gid: number, followLinks: boolean): number {
    return this.changing(IN.ATTRIB, path, followLinks, this.files.chown(path, uid, gid, followLinks));
  }

  setTimes(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean): number {
    return this.changing(IN.ATTRIB, path, followLinks, this.files.setTimes(path, accessed, modified, followLinks));
  }

  attributes(path: BytePath, followLinks: boolean): ReadonlyMap<string, Uint8Array> | number {
    return this.files.attributes(path, followLinks);
  }

  setAttribute(path: BytePath, name: BytePath, value: Uint8Array, flags: number, followLinks: boolean): number {
    return this.changing(IN.ATTRIB, path, followLinks, this.files.setAttribute(path, name, value, flags, followLinks));
  }

  removeAttribute(path: BytePath, name: BytePath, followLinks: boolean): number {
    return this.changing(IN.ATTRIB, path, followLinks, this.files.removeAttribute(path, name, followLinks));
  }

  truncate(path: BytePath, size: number): number {
    return this.changing(IN.MODIFY, path, true, this.files.truncate(path, size));
  }

  truncateFd(fd: HostFd, size: number): number {
    const result = this.files.truncateFd(fd, size);
    if (this.events.isActive && result === 0) this.tell(IN.MODIFY, this.placeOfFd(fd));
    return result;
  }

  isAppendOnly(fd: HostFd): boolean {
    return this.files.isAppendOnly?.(fd) === true;
  }

  inherited(): readonly HostFd[] {
    return this.files.inherited();
  }

  describe(fd: HostFd): { readonly flags: number; readonly offset: number } | undefined {
    return this.files.describe(fd);
  }

  setOffset(fd: HostFd, offset: number): number {
    return this.files.setOffset(fd, offset);
  }

  pathOfFd(fd: HostFd): BytePath {
    return this.files.pathOfFd(fd);
  }

  stat(path: BytePath, followLinks: boolean): HostStat | number {
    return this.files.stat(path, followLinks);
  }

  statFd(fd: HostFd): HostStat | number {
    return this.files.statFd(fd);
  }

  statfs(path: BytePath): HostStatfs | number {
    return this.files.statfs(path);
  }

  readLink(path: BytePath): BytePath | number {
    return this.files.readLink(path);
  }

  access(path: BytePath, mode: number): number {
    return this.files.access(path, mode);
  }

  sync(fd: HostFd): number {
    return this.files.sync(fd);
  }

  initialUmask(): number {
    return this.files.initialUmask();
  }

  workingDirectory(): BytePath {
    return this.files.workingDirectory();
  }

  version(path: BytePath): FileVersion | number {
    return this.files.version(path);
  }

  watch(path: BytePath, changed: (name: BytePath | undefined) => void): (() => void) | number {
    return this.files.watch(path, changed);
  }

  /** A new name at `path`, if `result` says that it worked. */
  private creating(path: BytePath, result: number): number {
    if (!this.events.isActive || result !== 0) return result;
    const place = this.placeAt(path, false);
    this.tell(IN.CREATE, { ...place, file: undefined }, place.file !== undefined && isDirectory(place.file));
    return result;
  }

  private removing(path: BytePath, remove: () => number): number {
    if (!this.events.isActive) return remove();
    const place = this.placeAt(path, false);
    const result = remove();
    if (result !== 0 || place.file === undefined) return result;
    const ofDirectory = isDirectory(place.file);
    if (!ofDirectory) this.events.emit({ ...place, mask: IN.ATTRIB, directory: undefined, isDirectory: false });
    if (ofDirectory || place.file.links === 1) this.endIfGone(place.file, true);
    this.tell(IN.DELETE, { ...place, file: undefined }, ofDirectory);
    return result;
  }

  private changing(mask: number, path: BytePath, followLinks: boolean, result: number): number {
    if (this.events.isActive && result === 0) this.tell(mask, this.placeAt(path, followLinks));
    return result;
  }

  private tell(mask: number, place: ObservedPlace, ofDirectory = place.file !== undefined && isDirectory(place.file)): void {
    this.events.emit({ ...place, mask, isDirectory: ofDirectory });
    if ((mask & (IN.OPEN | IN.ACCESS | IN.CLOSE_NOWRITE)) === 0) this.note(place);
  }

  private note({ path, directory, name, file }: ObservedPlace): void {
    const watched = this.events.isWatched(directory) || this.events.isWatched(file);
    if (path !== undefined && watched) this.outside.note(path, directory, name);
  }

  /** A file without names goes with its last descriptor. `unlinked`: its last name is gone just now. */
  private endIfGone(file: HostStat | undefined, unlinked = false): void {
    if (file === undefined || (!unlinked && file.links > 0)) return;
    if (this.events.isWatched(file) && !this.isOpen(keyOf(file))) this.events.fileGone(file);
  }

  private placeOfFd(fd: HostFd): ObservedPlace {
    const file = this.files.statFd(fd);
    const link = this.files.readLink(this.files.pathOfFd(fd));
    const path = typeof link === 'number' ? undefined : link;
    return this.place(path, typeof file === 'number' ? undefined : file);
  }

  private placeAt(path: BytePath, followLinks: boolean): ObservedPlace {
    const file = this.files.stat(path, followLinks);
    if (typeof file === 'number') return this.place(path, undefined);
    const direct = followLinks ? this.followed(path) : path;
    return this.place(direct, file);
  }

  /** Where a path leads if its last part is a link. */
  private followed(path: BytePath): BytePath {
    if (typeof this.files.readLink(path) === 'number') return path;
    const fd = this.files.open(path, O.PATH | O.CLOEXEC, 0);
    if (fd < 0) return path;
    const target = this.files.readLink(this.files.pathOfFd(fd as HostFd));
    this.files.close(fd as HostFd);
    return typeof target === 'number' ? path : target;
  }

  private place(path: BytePath | undefined, file: HostStat | undefined): ObservedPlace {
    if (path === undefined || file?.links === 0 && !path.endsWith(DELETED)) return { file, directory: undefined, name: bytePath(''), path: undefined };
    const deleted = file?.links === 0;
    const bare = deleted ? path.slice(0, -DELETED.length) : path;
    const trimmed = bare.replace(/\/+$/, '');
    const slash = trimmed.lastIndexOf('/');
    const parent = slash < 0 ? '.' : slash === 0 ? '/' : trimmed.slice(0, slash);
    const directory = this.files.stat(bytePath(parent), true);
    const name = bytePath(trimmed.slice(slash + 1));
    return { file, directory: typeof directory === 'number' ? undefined : directory, name, path: deleted ? undefined : bytePath(trimmed) };
  }
}
