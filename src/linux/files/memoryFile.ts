/** A file whose bytes we hold: memfd_create, and the generated files of /proc (virtualFile.ts). */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../host/bytePath.js';
import type { HostStat } from '../../host/host.js';
import type { MappableFile } from '../../machine/mapping.js';
import { syntheticStat } from './anonymousFile.js';
import { O, S_IFREG, SEEK } from './fileConstants.js';
import { OpenFile } from './openFile.js';

export class MemoryFile extends OpenFile {
  private offset = 0;
  private length: number;
  private mapped: MappableFile | undefined;
  private permissions = 0o777;

  constructor(
    override readonly path: BytePath,
    flags: number,
    private bytes: Uint8Array,
    private readonly inode: bigint,
    /** Overrides what stat would say; generated files have a size of 0. */
    private readonly fixedStat?: HostStat,
  ) {
    super(flags);
    this.length = bytes.length;
  }

  override get isMappable(): boolean {
    return true;
  }

  override get canPoll(): boolean {
    return false;
  }

  override read(target: Uint8Array): number {
    const count = this.readAt(target, this.offset);
    this.offset += count;
    return count;
  }

  override write(bytes: Uint8Array): number {
    if ((this.flags & O.APPEND) !== 0) this.offset = this.length;
    const count = this.writeAt(bytes, this.offset);
    this.offset += count;
    return count;
  }

  override readAt(target: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(target.length, this.length - offset));
    target.set(this.bytes.subarray(offset, offset + count));
    return count;
  }

  override writeAt(bytes: Uint8Array, offset: number): number {
    if (offset + bytes.length > this.length) this.truncate(offset + bytes.length);
    this.bytes.set(bytes, offset);
    return bytes.length;
  }

  override seek(offset: number, whence: number): number {
    const base = whence === SEEK.CUR ? this.offset : whence === SEEK.END ? this.length : 0;
    if (whence > SEEK.END || base + offset < 0) return -E.INVAL;
    this.offset = base + offset;
    return this.offset;
  }

  override stat(): HostStat {
    const { inode, length: size, permissions } = this;
    return this.fixedStat ?? syntheticStat({ mode: S_IFREG | permissions, inode, size, blocks: Math.ceil(size / 512) });
  }

  override truncate(size: number): number {
    if (size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    } else if (size < this.length) {
      this.bytes.fill(0, size, this.length);
    }
    this.length = size;
    return 0;
  }

  override available(): number {
    return this.length - this.offset;
  }

  override sync(): number {
    return 0;
  }

  override chmod(mode: number): number {
    this.permissions = mode & 0o7777;
    return 0;
  }

  protected replace(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.length = bytes.length;
  }

  override mappable(): MappableFile | number {
    this.mapped ??= new MappedMemoryFile(this, Number(this.inode));
    return this.mapped;
  }
}

class MappedMemoryFile implements MappableFile {
  readonly device = 0xe;

  constructor(
    private readonly file: MemoryFile,
    readonly inode: number,
  ) {}

  get path(): string {
    return this.file.path;
  }

  get size(): number {
    return this.file.stat().size;
  }

  read(offset: number, target: Uint8Array): number {
    return this.file.readAt(target, offset);
  }

  writeBack(offset: number, bytes: Uint8Array): void {
    this.file.writeAt(bytes, offset);
  }
}
