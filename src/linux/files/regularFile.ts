/**
 * A regular file (or block device) of the host. Node has no lseek, so the offset is ours and all
 * transfers name their position. The exception is a file the shell opened for us (`< in`, `> out`):
 * its offset is shared with other processes, so the host's own is used as long as the guest's agrees.
 */
import { E } from '../../base/errno.js';
import type { Host, HostFd } from '../../host/host.js';
import type { MappableFile } from '../../machine/mapping.js';
import { LARGEST_FILE, O, SEEK } from './fileConstants.js';
import { HostBackedFile } from './hostBackedFile.js';

export class RegularFile extends HostBackedFile {
  private offset = 0;
  /** The offset is the host's own, until the guest seeks away. */
  private sharedOffset: boolean;
  private mapped: MappedHostFile | undefined;
  /** The host appends whatever the position. */
  private readonly hostAppends: boolean;
  /** What is in it stays: the user has connected it so, and the guest cannot do otherwise. */
  private readonly onlyGrows: boolean;
  private positionedFd: HostFd | undefined;
  /** Where the shared offset is, if no other process has moved it; undefined before the first question. */
  private knownShared: number | undefined;

  constructor(
    host: Host,
    fd: HostFd,
    flags: number,
    /** Opened by another process, which shares its offset. */
    private readonly inherited: boolean,
  ) {
    super(host, fd, flags);
    this.sharedOffset = inherited;
    this.onlyGrows = host.files.isAppendOnly?.(fd) === true;
    this.hostAppends = (flags & O.APPEND) !== 0;
  }

  override get isMappable(): boolean {
    return true;
  }

  override get isAppendOnly(): boolean {
    return this.onlyGrows;
  }

  override read(target: Uint8Array): number {
    if (this.sharedOffset) return this.moved(this.host.files.read(this.fd, target));
    const count = this.host.files.read(this.fd, target, this.offset);
    if (count > 0) this.offset += count;
    return count;
  }

  override write(bytes: Uint8Array): number {
    if (this.sharedOffset) return this.moved(this.host.files.write(this.fd, bytes));
    const appending = (this.flags & O.APPEND) !== 0;
    // If the guest asked for appending later (F_SETFL), the host does not know.
    const at = appending ? this.size() : this.offset;
    const count = this.host.files.write(this.writingFd(), bytes, at);
    if (count > 0) this.offset = appending ? this.size() : at + count;
    return count;
  }

  override get position(): number {
    if (!this.sharedOffset) return this.offset;
    this.knownShared ??= this.hostOffset();
    return this.knownShared;
  }

  override writePosition(): number {
    if ((this.flags & O.APPEND) !== 0) return this.size();
    return this.sharedOffset ? this.hostOffset() : this.offset;
  }

  override readAt(target: Uint8Array, offset: number): number {
    return this.host.files.read(this.fd, target, offset);
  }

  override writeAt(bytes: Uint8Array, offset: number): number {
    return this.host.files.write(this.writingFd(), bytes, (this.flags & O.APPEND) !== 0 ? this.size() : offset);
  }

  override seek(offset: number, whence: number): number {
    const target = this.seekTarget(offset, whence);
    if (target < 0) return target;
    if (this.sharedOffset) {
      if (target === this.hostOffset()) return target;
      this.sharedOffset = false;
    }
    this.offset = target;
    return target;
  }

  override settle(): void {
    if (this.inherited && !this.sharedOffset) this.host.files.setOffset(this.fd, this.offset);
    this.sharedOffset = this.inherited;
  }

  override truncate(size: number): number {
    return this.writable ? this.host.files.truncateFd(this.fd, size) : -E.INVAL;
  }

  override sync(): number {
    return this.host.files.sync(this.fd);
  }

  override available(): number {
    const offset = this.sharedOffset ? this.hostOffset() : this.offset;
    return this.size() - offset;
  }

  override mappable(forWriting = false): MappableFile | number {
    if (!this.readable || (forWriting && this.isAppendOnly)) return -E.ACCES;
    this.mapped ??= new MappedHostFile(this, this.host, this.fd);
    return this.mapped;
  }

  protected override close(): number {
    this.settle();
    if (this.positionedFd !== undefined && this.positionedFd !== this.fd) this.host.files.close(this.positionedFd);
    return super.close();
  }

  override writeInPlace(bytes: Uint8Array, offset: number): number {
    if (this.isAppendOnly) return -E.PERM;
    return this.host.files.write(this.positioned(), bytes, offset);
  }

  private writingFd(): HostFd {
    return (this.flags & O.APPEND) !== 0 ? this.fd : this.positioned();
  }

  /** Opened once more, if the host would append. */
  private positioned(): HostFd {
    if (!this.hostAppends || this.isAppendOnly) return this.fd;
    if (this.positionedFd === undefined) {
      const fd = this.host.files.open(this.host.files.pathOfFd(this.fd), (this.flags & O.ACCMODE) | O.CLOEXEC, 0);
      this.positionedFd = fd < 0 ? this.fd : (fd as HostFd);
    }
    return this.positionedFd;
  }

  private moved(count: number): number {
    if (this.knownShared !== undefined && count > 0) this.knownShared += count;
    return count;
  }

  private size(): number {
    const stat = this.stat();
    return typeof stat === 'number' ? 0 : stat.size;
  }

  private hostOffset(): number {
    return this.host.files.describe(this.fd)?.offset ?? 0;
  }

  private seekTarget(offset: number, whence: number): number {
    switch (whence) {
      case SEEK.SET:
        return checked(offset);
      case SEEK.CUR:
        return checked((this.sharedOffset ? this.hostOffset() : this.offset) + offset);
      case SEEK.END:
        return checked(this.size() + offset);
      case SEEK.DATA:
        return offset < 0 || offset >= this.size() ? -E.NXIO : offset;
      case SEEK.HOLE:
        // Everything is data, with the one hole that every file has at its end.
        return offset < 0 || offset >= this.size() ? -E.NXIO : this.size();
      default:
        return -E.INVAL;
    }
  }
}

function checked(target: number): number {
  return target < 0 || target > LARGEST_FILE ? -E.INVAL : target;
}

class MappedHostFile implements MappableFile {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  readonly writeBack?: (offset: number, bytes: Uint8Array) => void;
  /** Address spaces that map it. */
  private spaces = 0;

  constructor(
    private readonly file: RegularFile,
    private readonly host: Host,
    private readonly fd: HostFd,
  ) {
    const stat = file.stat();
    this.path = file.path;
    this.device = typeof stat === 'number' ? 0 : Number(stat.device);
    this.inode = typeof stat === 'number' ? 0 : Number(stat.inode);
    if (file.writable && !file.isAppendOnly) this.writeBack = (offset, bytes) => void file.writeInPlace(bytes, offset);
  }

  /** Mappings outlive the descriptor, so the host's stays open while there are any. */
  retain(): void {
    if (this.spaces++ === 0) this.file.retain();
  }

  release(): void {
    if (--this.spaces === 0) this.file.release();
  }

  get size(): number {
    const stat = this.file.stat();
    return typeof stat === 'number' ? 0 : stat.size;
  }

  read(offset: number, target: Uint8Array): number {
    return Math.max(0, this.host.files.read(this.fd, target, offset));
  }
}
