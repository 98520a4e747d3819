/**
 * Where a path leads, name by name, as the guest's kernel sees it. The host would do that for us, but for one thing:
 * /proc, where `self` and descriptors would be ours. A path may come there in many ways: by a symbolic link anywhere in
 * it, by `..`, from a directory that is open there, through the root or the working directory of a process, by another
 * mount of the same file system. So whether it does is found out here, and only paths that do not are given to the host
 * as they are.
 *
 * What a directory leads to is remembered, as long as the guest makes no links and moves nothing. What others do to
 * directories in the meantime is noticed when a file is opened (openHostFile.ts).
 */
import { E } from '../base/errno.js';
import { bytePath, type BytePath } from '../base/bytePath.js';
import type { PathPlace } from './paths.js';
import { findInProc } from './proc/procTree.js';
import { mayFollow } from './files/virtualFile.js';
import type { Process } from './process.js';

const MOST_LINKS = 40;
const PROC_SUPER_MAGIC = 0x9fa0;
const PROC_ROOT_INODE = 1n;
const MOST_REMEMBERED = 5000;

/** Where a walk starts: how the host gets there, and its name. */
export interface WalkStart {
  /** '' is the root. */
  readonly host: string;
  /** Absolute and without links, or as good. */
  path(): BytePath;
}

/** Directories that have been found to be the host's, with all that leads to them. */
export class PlainDirectories {
  private readonly known = new Set<string>();

  has(directory: string): boolean {
    return this.known.has(directory);
  }

  add(directory: string): void {
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    this.known.add(directory);
  }

  /** Names may lead elsewhere now. */
  forget(): void {
    this.known.clear();
  }
}

interface WalkRequest {
  readonly start: WalkStart;
  readonly path: BytePath;
  /** Follow a link in the last place. Links of ours are never followed there: that is done by who gets them. */
  readonly follow: boolean;
  /** What the host is asked for if nothing on the way is ours. */
  readonly asGiven: BytePath;
}

interface WalkResult {
  readonly place: PathPlace | number;
  /** Nothing on the way was in /proc. */
  readonly isPlain: boolean;
}

export function walkPath(process: Process, request: WalkRequest): WalkResult {
  const walk = new Walk(process, request);
  const place = walk.run();
  return { place, isPlain: !walk.wasInProc };
}

class Walk {
  /** Names from the root to where we are, without links. */
  private names: string[];
  /** How the host gets to where we are; of no meaning in /proc. */
  private host: string;
  private readonly rest: string[];
  private links = 0;
  wasInProc = false;
  /** The path as it was given would lead the host elsewhere than the guest. */
  private isOther = false;
  /** Has gone through a process outside, which may see other mounts than we do. */
  private isForeign = false;

  constructor(
    private readonly process: Process,
    private readonly request: WalkRequest,
  ) {
    const { start, path } = request;
    this.rest = namesOf(path);
    this.host = path.startsWith('/') ? '' : start.host;
    this.names = path.startsWith('/') ? [] : this.ownNames(start.path());
  }

  /** What the host shows of a descriptor as being in our own process's directory is in the guest's. */
  private ownNames(path: string): string[] {
    const { pid, host } = this.process;
    const names = namesOf(path.replace(/ \(deleted\)$/, ''));
    const isOurs = names[0] === 'proc' && host.identity.isOurs?.(Number(names[1])) === true;
    return isOurs ? ['proc', String(pid), ...names.slice(2)] : names;
  }

  run(): PathPlace | number {
    const endsWithSlash = /\/\.?$/.test(this.request.path);
    for (let name = this.rest.shift(); name !== undefined; name = this.rest.shift()) {
      const isLast = this.rest.length === 0;
      const done = this.isInProc ? this.stepInProc(name, isLast, endsWithSlash) : this.step(name, isLast, endsWithSlash);
      if (done !== undefined) return done;
    }
    return this.here();
  }

  private get isInProc(): boolean {
    const isThere = this.names[0] === 'proc';
    this.wasInProc ||= isThere;
    return isThere;
  }

  /** The path ends where we are: at a directory, or at what the last name meant. */
  private here(): PathPlace | number {
    if (this.isInProc) return findInProc(this.process, this.names.slice(1)) ?? -E.NOENT;
    return this.hostPlace(this.host === '' ? '/' : this.host);
  }

  private hostPlace(host: string): PathPlace | number {
    const { files } = this.process.host;
    if (this.isForeign) {
      const stat = files.statfs(bytePath(host));
      if (typeof stat !== 'number' && stat.type === PROC_SUPER_MAGIC) return -E.ACCES;
    }
    const slash = this.request.path.endsWith('/') && !host.endsWith('/') ? '/' : '';
    return { kind: 'host', path: this.isOther ? bytePath(`${host}${slash}`) : this.request.asGiven };
  }

  private goUp(): void {
    this.names.pop();
    if (this.names.length === 0) this.host = '';
    else if (!this.isInProc) this.host = `${this.host}/..`;
  }

  /** Somewhere in the host's files. */
  private step(name: string, isLast: boolean, endsWithSlash: boolean): PathPlace | number | undefined {
    if (name === '..') {
      this.goUp();
      return undefined;
    }
    const { files } = this.process.host;
    const next = `${this.host}/${name}`;
    if (this.names.length === 0 && name === 'proc') {
      this.names = ['proc'];
      return undefined;
    }
    if (isLast && !this.request.follow && !endsWithSlash) return this.lastName(name, next);
    const target = files.readLink(bytePath(next));
    if (typeof target === 'number') {
      if (isLast) return this.lastName(name, next);
      // The host fails likewise.
      if (target !== -E.INVAL) return this.hostPlace(this.rest.length === 0 ? next : `${next}/${this.rest.join('/')}`);
      this.names.push(name);
      this.host = next;
      return undefined;
    }
    const mounted = this.mountedProc();
    if (mounted !== undefined) return this.enterMounted(mounted, name);
    return this.followLink(target);
  }

  private lastName(name: string, next: string): PathPlace | number | undefined {
    const mounted = this.mountedProc();
    if (mounted !== undefined) return this.enterMounted(mounted, name);
    return this.hostPlace(next);
  }

  private followLink(target: BytePath): number | undefined {
    if (++this.links > MOST_LINKS) return -E.LOOP;
    if (target.startsWith('/')) {
      this.names = [];
      this.host = '';
    }
    this.rest.unshift(...namesOf(target));
    return undefined;
  }

  /**
   * If where we are is in a mount of proc elsewhere: the names from its root on; a number if that root is not there.
   */
  private mountedProc(): string[] | number | undefined {
    const { files } = this.process.host;
    const isProc = (path: string): boolean => {
      const stat = files.statfs(bytePath(path === '' ? '/' : path));
      return typeof stat !== 'number' && stat.type === PROC_SUPER_MAGIC;
    };
    if (!isProc(this.host)) return undefined;
    let depth = this.names.length;
    while (depth > 0 && isProc(`/${this.names.slice(0, depth - 1).join('/')}`)) depth--;
    const root = files.stat(bytePath(`/${this.names.slice(0, depth).join('/')}`), true);
    return typeof root !== 'number' && root.inode === PROC_ROOT_INODE ? this.names.slice(depth) : -E.ACCES;
  }

  /**
   * Goes on in /proc, where the same is. Nothing of another process's directory that is mounted by itself can be told
   * from ours.
   */
  private enterMounted(names: string[] | number, name: string): PathPlace | number | undefined {
    if (typeof names === 'number') return names;
    this.isOther = true;
    this.names = ['proc', ...names];
    this.rest.unshift(name);
    return undefined;
  }

  private stepInProc(name: string, isLast: boolean, endsWithSlash: boolean): PathPlace | number | undefined {
    if (name === '..') {
      this.goUp();
      return undefined;
    }
    const place = findInProc(this.process, [...this.names.slice(1), name]);
    if (place === undefined) return -E.NOENT;
    if (place.kind === 'host') return this.stepOutside(name, place.path, isLast, endsWithSlash);
    const { node } = place;
    // One that belongs to no process is a link like others.
    const isPlainLink = node.kind === 'link' && node.of === undefined;
    if (isLast && !endsWithSlash && !(isPlainLink && this.request.follow)) return place;
    this.isOther = true;
    if (node.kind === 'directory') {
      if (!mayFollow(this.process, node)) return -E.ACCES;
      this.names.push(name);
      return undefined;
    }
    if (node.kind !== 'link') return -E.NOTDIR;
    if (!mayFollow(this.process, node)) return -E.ACCES;
    return node.file === undefined ? this.followOurs(node.target) : this.enterFile(node.file);
  }

  /**
   * A link of ours that has a name as its target; that of the working directory may be the host's name for a
   * descriptor.
   */
  private followOurs(target: BytePath): number | undefined {
    if (!isOfDescriptor(target)) return this.followLink(target);
    if (++this.links > MOST_LINKS) return -E.LOOP;
    return this.enterHost(target);
  }

  private enterFile(file: { readonly isDirectory: boolean; readonly hostFd?: Parameters<Process['host']['files']['pathOfFd']>[0] | undefined; readonly path: BytePath }): number | undefined {
    if (++this.links > MOST_LINKS) return -E.LOOP;
    if (!file.isDirectory) return -E.NOTDIR;
    if (file.hostFd !== undefined) return this.enterHost(this.process.host.files.pathOfFd(file.hostFd));
    this.names = namesOf(file.path);
    return undefined;
  }

  private enterHost(path: BytePath): number | undefined {
    const name = this.process.host.files.readLink(path);
    if (typeof name === 'number') return name;
    this.names = this.ownNames(name);
    this.host = path;
    return undefined;
  }

  /** Files of the machine, and of processes outside, whose links may lead to other mounts. */
  private stepOutside(name: string, path: BytePath, isLast: boolean, endsWithSlash: boolean): PathPlace | number | undefined {
    if (path !== `/proc/${[...this.names.slice(1), name].join('/')}`) this.isOther = true;
    const follows = !isLast || endsWithSlash || this.request.follow;
    const target = follows ? this.process.host.files.readLink(path) : -E.INVAL;
    if (typeof target === 'number') {
      if (isLast) return this.hostPlace(path);
      this.names.push(name);
      return undefined;
    }
    const isOfProcess = /^\d+$/.test(this.names[1] ?? '');
    if (!isOfProcess) return this.followLink(target);
    // It leads to the file itself, whatever is said to be its name.
    if (isLast && !endsWithSlash) return this.hostPlace(path);
    if (++this.links > MOST_LINKS) return -E.LOOP;
    if (!target.startsWith('/')) return -E.NOTDIR;
    this.isForeign = true;
    this.isOther = true;
    this.names = namesOf(target);
    this.host = path;
    return undefined;
  }
}

/** The host's name for a descriptor leads to the very file, whether that has a name or not. */
export function isOfDescriptor(path: BytePath): boolean {
  return /^\/proc\/self\/fd\/\d+$/.test(path);
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
