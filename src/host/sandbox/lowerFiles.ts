/**
 * The real files below the sandbox: only ever read. They are opened without changing their access
 * times where the system allows that, so that even looking at a file leaves no trace.
 */
import { E } from '../../base/errno.js';
import { O } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostFd, HostFiles } from '../host.js';
import type { LowerBytes } from './fileData.js';

/** Descriptors kept open for files whose content was partly changed. */
const MOST_KEPT = 64;

/** A real descriptor that several handles may use, in forks of the same view. */
export class RealFd {
  private users = 1;

  constructor(
    private readonly files: HostFiles,
    readonly fd: HostFd,
  ) {}

  retain(): this {
    this.users++;
    return this;
  }

  release(): number {
    return --this.users === 0 ? this.files.close(this.fd) : 0;
  }
}

export class LowerFiles {
  /** The least recently used one comes first. */
  private readonly kept = new Map<BytePath, HostFd>();
  private views = 0;

  constructor(readonly files: HostFiles) {}

  addView(): void {
    this.views++;
  }

  /** The last view to go closes everything. */
  removeView(): void {
    if (--this.views > 0) return;
    for (const fd of this.kept.values()) this.files.close(fd);
    this.kept.clear();
  }

  open(path: BytePath, flags: number): RealFd | number {
    const quiet = this.files.open(path, flags | O.NOATIME | O.CLOEXEC, 0);
    // The owner's privilege.
    const fd = quiet === -E.PERM ? this.files.open(path, flags | O.CLOEXEC, 0) : quiet;
    return fd < 0 ? fd : new RealFd(this.files, fd as HostFd);
  }

  /** The bytes of a file, which is opened when they are asked for. */
  bytesOf(path: BytePath): LowerBytes {
    return {
      read: (target, position) => {
        const fd = this.descriptor(path);
        return fd < 0 ? fd : this.files.read(fd as HostFd, target, position);
      },
    };
  }

  private descriptor(path: BytePath): HostFd | number {
    const known = this.kept.get(path);
    if (known !== undefined) {
      this.kept.delete(path);
      this.kept.set(path, known);
      return known;
    }
    const opened = this.open(path, O.RDONLY);
    if (typeof opened === 'number') return opened;
    this.kept.set(path, opened.fd);
    const [oldest] = this.kept;
    if (this.kept.size > MOST_KEPT && oldest !== undefined) {
      this.kept.delete(oldest[0]);
      this.files.close(oldest[1]);
    }
    return opened.fd;
  }
}
