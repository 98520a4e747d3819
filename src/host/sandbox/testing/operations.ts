/**
 * Random file operations for comparing a sandbox with a real directory: as data, so that fast-check can
 * shrink them, and performed through HostFiles on whichever there is.
 */
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { O } from '../../../base/fileConstants.js';
import { bytePath, type BytePath } from '../../../base/bytePath.js';
import type { HostFd, HostFiles } from '../../host.js';

/** Longer content is compared by its digest. */
const SHOWN = 100;
/** Small worlds, so that operations meet. */
const NAMES = ['a', 'b', 'c', 'd', 'd/a', 'd/b', 'd/e', 'd/e/a', 'd/e/f', 'l', 'l/a', 'l/e', 'm', 'm/a', 'n', './a', 'd/../b', 'd/', 'a/', 'l/', '.', '..', 'd/.', 'd/..', 'x/y', 'big', 'big2', 'a//../d'];
const TARGETS = ['a', 'd', 'd/e', '../b', 'nowhere', '.', 'l', 'd/', '../d/e'];

export type Operation =
  | { readonly kind: 'open'; readonly path: string; readonly flags: number; readonly mode: number }
  | { readonly kind: 'close' | 'statFd' | 'pathOfFd'; readonly fd: number }
  | { readonly kind: 'read' | 'readOn'; readonly fd: number; readonly position: number; readonly length: number }
  | { readonly kind: 'write' | 'writeOn'; readonly fd: number; readonly position: number; readonly length: number; readonly byte: number }
  | { readonly kind: 'truncateFd'; readonly fd: number; readonly size: number }
  | { readonly kind: 'reopen'; readonly fd: number; readonly flags: number }
  | { readonly kind: 'statBelow' | 'makeBelow'; readonly fd: number; readonly path: string }
  | { readonly kind: 'stat' | 'list' | 'readLink' | 'rmdir' | 'unlink'; readonly path: string; readonly follow: boolean }
  | { readonly kind: 'access'; readonly path: string; readonly mode: number }
  | { readonly kind: 'mkdir' | 'chmod' | 'fifo'; readonly path: string; readonly mode: number }
  | { readonly kind: 'rename' | 'link' | 'exchange'; readonly path: string; readonly to: string }
  | { readonly kind: 'setAttribute' | 'removeAttribute'; readonly path: string; readonly name: string; readonly length: number; readonly flags: number; readonly follow: boolean }
  | { readonly kind: 'linkFd'; readonly fd: number; readonly to: string }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'chown'; readonly path: string; readonly uid: number; readonly gid: number; readonly follow: boolean }
  | { readonly kind: 'times'; readonly path: string; readonly seconds: number; readonly follow: boolean };

const path = fc.constantFrom(...NAMES);
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o4755, 0o2750, 0o1777, 0);
const size = fc.oneof(fc.nat(40), fc.constantFrom(0, 4096, 65_536, 65_537, 150_000));
/** Node does not even ask the system for no bytes. */
const length = size.map((n) => Math.max(1, n));
const position = fc.oneof(fc.nat(60), fc.constantFrom(0, 65_530, 100_000, 200_000));
const fd = fc.nat(5);
const flags = fc.tuple(
  fc.constantFrom(O.RDONLY, O.WRONLY, O.RDWR),
  fc.constantFrom(0, 0, O.CREAT, O.CREAT, O.CREAT | O.EXCL),
  fc.constantFrom(0, 0, 0, O.TRUNC, O.APPEND, O.DIRECTORY, O.NOFOLLOW, O.PATH, O.TMPFILE),
).map((parts) => parts.reduce((all, part) => all | part, 0));

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('open' as const), path, flags, mode }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'statFd' as const, 'pathOfFd' as const), fd }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'readOn' as const), fd, position, length }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('write' as const, 'writeOn' as const), fd, position, length, byte: fc.nat(255) }) },
  fc.record({ kind: fc.constant('truncateFd' as const), fd, size }),
  fc.record({ kind: fc.constant('reopen' as const), fd, flags }),
  fc.record({ kind: fc.constantFrom('statBelow' as const, 'makeBelow' as const), fd, path }),
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('stat' as const, 'list' as const, 'readLink' as const, 'rmdir' as const, 'unlink' as const, 'unlink' as const), path, follow: fc.boolean() }) },
  fc.record({ kind: fc.constant('access' as const), path, mode: fc.nat(7) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('mkdir' as const, 'mkdir' as const, 'chmod' as const, 'fifo' as const), path, mode }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'rename' as const, 'link' as const), path, to: path }) },
  fc.record({ kind: fc.constant('linkFd' as const), fd, to: path }),
  fc.record({ kind: fc.constant('exchange' as const), path, to: path }),
  fc.record({ kind: fc.constantFrom('setAttribute' as const, 'removeAttribute' as const), path, name: fc.constantFrom('user.a', 'user.b'), length: fc.nat(20), flags: fc.nat(2), follow: fc.boolean() }),
  fc.record({ kind: fc.constant('symlink' as const), path, target: fc.constantFrom(...TARGETS) }),
  fc.record({ kind: fc.constant('truncate' as const), path, size }),
  fc.record({ kind: fc.constant('chown' as const), path, uid: fc.constantFrom(-1, 0, 1000), gid: fc.constantFrom(-1, 0, 100), follow: fc.boolean() }),
  fc.record({ kind: fc.constant('times' as const), path, seconds: fc.nat(2_000_000_000), follow: fc.boolean() }),
);

/** Where operations are performed: the files there, and what was opened so far. */
export class Stage {
  private readonly opened: HostFd[] = [];

  constructor(
    readonly files: HostFiles,
    private readonly base: string,
  ) {}

  /** The result as something that can be compared. */
  perform(op: Operation): unknown {
    switch (op.kind) {
      case 'open':
        return this.keep(this.files.open(this.at(op.path), this.safe(op.path, op.flags), op.mode));
      case 'reopen':
        return this.onFd(op.fd, (fd) => (this.isFifo(this.files.statFd(fd)) ? 'fifo' : this.keep(this.files.open(this.files.pathOfFd(fd), op.flags & ~O.CREAT & ~O.TMPFILE, 0))));
      case 'close':
        return this.onFd(op.fd, (fd) => this.files.close(this.opened.splice(this.opened.indexOf(fd), 1)[0] as HostFd));
      case 'statFd':
        return this.onFd(op.fd, (fd) => this.shown(this.files.statFd(fd)));
      case 'pathOfFd':
        return this.onFd(op.fd, (fd) => this.relative(this.files.readLink(this.files.pathOfFd(fd))));
      case 'read':
        return this.onFd(op.fd, (fd) => this.bytes(op.length, (target) => this.files.read(fd, target, op.position)));
      case 'readOn':
        return this.onFd(op.fd, (fd) => this.bytes(op.length, (target) => this.files.read(fd, target)));
      case 'write':
        return this.onFd(op.fd, (fd) => this.files.write(fd, new Uint8Array(op.length).fill(op.byte), op.position));
      case 'writeOn':
        return this.onFd(op.fd, (fd) => this.files.write(fd, new Uint8Array(op.length).fill(op.byte)));
      case 'truncateFd':
        return this.onFd(op.fd, (fd) => this.files.truncateFd(fd, op.size));
      case 'statBelow':
        return this.onFd(op.fd, (fd) => this.shown(this.files.stat(bytePath(`${this.files.pathOfFd(fd)}/${op.path}`), false)));
      case 'makeBelow':
        return this.onFd(op.fd, (fd) => this.files.makeDirectory(bytePath(`${this.files.pathOfFd(fd)}/${op.path}`), 0o755));
      case 'stat':
        return this.shown(this.files.stat(this.at(op.path), op.follow));
      case 'list':
        return this.list(this.at(op.path));
      case 'readLink':
        return this.files.readLink(this.at(op.path));
      case 'rmdir':
        return this.files.removeDirectory(this.at(op.path));
      case 'unlink':
        return this.files.unlink(this.at(op.path));
      case 'access':
        return this.files.access(this.at(op.path), op.mode);
      case 'mkdir':
        return this.files.makeDirectory(this.at(op.path), op.mode);
      case 'chmod':
        return this.files.chmod(this.at(op.path), op.mode);
      case 'fifo':
        return this.files.makeFifo(this.at(op.path), op.mode);
      case 'rename':
        return this.files.rename(this.at(op.path), this.at(op.to));
      case 'exchange':
        return this.files.exchange(this.at(op.path), this.at(op.to));
      case 'setAttribute':
        return this.files.setAttribute(this.at(op.path), bytePath(op.name), new Uint8Array(op.length).fill(65), op.flags, op.follow);
      case 'removeAttribute':
        return this.files.removeAttribute(this.at(op.path), bytePath(op.name), op.follow);
      case 'link':
        return this.files.link(this.at(op.path), this.at(op.to));
      case 'linkFd':
        return this.onFd(op.fd, (fd) => this.files.link(this.files.pathOfFd(fd), this.at(op.to)));
      case 'symlink':
        return this.files.symlink(bytePath(op.target), this.at(op.path));
      case 'truncate':
        return this.isFifo(this.files.stat(this.at(op.path), true)) ? 'fifo' : this.files.truncate(this.at(op.path), op.size);
      case 'chown':
        return this.files.chown(this.at(op.path), op.uid >>> 0, op.gid >>> 0, op.follow);
      case 'times':
        return this.files.setTimes(this.at(op.path), { seconds: op.seconds, nanoseconds: 0 }, { seconds: op.seconds + 1, nanoseconds: 0 }, op.follow);
    }
  }

  closeAll(): void {
    for (const fd of this.opened.splice(0)) this.files.close(fd);
  }

  /**
   * Everything below a path: kind, permissions, links, times that were set, content; equal numbers for equal inodes.
   */
  dump(): unknown[] {
    const inodes = new Map<bigint, number>();
    const found: unknown[] = [];
    const visit = (path: string): void => {
      const stat = this.files.stat(this.at(path), false);
      if (typeof stat === 'number') return;
      const inode = inodes.get(stat.inode) ?? inodes.size;
      inodes.set(stat.inode, inode);
      const entries = this.list(this.at(path));
      found.push({ path, inode, ...(this.shown(stat) as object), content: this.contentOf(path, stat.mode), entries });
      if (Array.isArray(entries)) for (const entry of entries) visit(`${path}/${(entry as string).split(' ')[0]}`);
    };
    visit('.');
    return found;
  }

  private contentOf(path: string, mode: number): unknown {
    if ((mode & 0o170000) === 0o120000) return this.files.readLink(this.at(path));
    if ((mode & 0o170000) !== 0o100000) return undefined;
    const fd = this.files.open(this.at(path), O.RDONLY, 0);
    if (fd < 0) return fd;
    const content = this.bytes(400_000, (target) => this.files.read(fd as HostFd, target, 0));
    this.files.close(fd as HostFd);
    return content;
  }

  /** Opening a real FIFO would wait for a process at its other end. */
  private safe(path: string, flags: number): number {
    return this.isFifo(this.files.stat(this.at(path), true)) ? O.PATH : flags;
  }

  private isFifo(stat: ReturnType<HostFiles['stat']>): boolean {
    return typeof stat !== 'number' && (stat.mode & 0o170000) === 0o010000;
  }

  private at(name: string): BytePath {
    return bytePath(`${this.base}/${name}`);
  }

  private relative(path: BytePath | number): unknown {
    if (typeof path === 'number') return path;
    // The name of a file without a name tells its inode.
    return path.startsWith(this.base) ? path.slice(this.base.length).replace(/#\d+/, '#') : 'elsewhere';
  }

  private keep(fd: HostFd | number): number {
    if (fd < 0) return fd;
    this.opened.push(fd as HostFd);
    return 0;
  }

  private onFd(index: number, act: (fd: HostFd) => unknown): unknown {
    const fd = this.opened[index % Math.max(1, this.opened.length)];
    return fd === undefined ? 'none' : act(fd);
  }

  private bytes(length: number, read: (target: Uint8Array) => number): unknown {
    const target = new Uint8Array(length);
    const count = read(target);
    if (count < 0 || count > SHOWN) return count < 0 ? count : `${count} ${createHash('md5').update(target.subarray(0, count)).digest('hex')}`;
    return Buffer.from(target.subarray(0, count)).toString('latin1');
  }

  private list(path: BytePath): unknown {
    const scan = this.files.openDirectory(path);
    if (typeof scan === 'number') return scan;
    const names: string[] = [];
    for (let entry = scan.next(); entry !== undefined; entry = scan.next()) names.push(`${entry.name} ${entry.type}`);
    scan.close();
    return names.sort();
  }

  /** Times only if they were set: files made at different moments differ in the others. */
  private shown(stat: ReturnType<HostFiles['stat']>): unknown {
    if (typeof stat === 'number') return stat;
    const { mode, links, uid, gid, size, modified } = stat;
    const isTree = (mode & 0o170000) === 0o040000;
    return { mode, links, uid, gid, size: isTree ? 0 : size, modified: modified.nanoseconds === 0 ? modified.seconds : 'now' };
  }
}
