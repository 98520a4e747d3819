/**
 * A file whose bytes we hold: what memfd_create makes (memFd.ts), and the generated files of /proc (virtualFile.ts).
 */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from './anonymousFile.js';
import { O, S_IFREG, SEEK } from './fileConstants.js';
import type { MemoryContent } from './memoryContent.js';
import { OpenFile } from './openFile.js';

export class MemoryFile extends OpenFile {
  private offset = 0;

  constructor(
    override readonly path: BytePath,
    flags: number,
    protected readonly content: MemoryContent,
    /** Overrides what stat would say; generated files have a size of 0. */
    private readonly fixedStat?: HostStat,
  ) {
    super(flags);
  }

  override get isMappable(): boolean {
    return true;
  }

  override get canPoll(): boolean {
    return false;
  }

  override get position(): number {
    return this.offset;
  }

  override read(target: Uint8Array): number {
    const count = this.readAt(target, this.offset);
    this.offset += count;
    return count;
  }

  override write(bytes: Uint8Array): number {
    if ((this.flags & O.APPEND) !== 0) this.offset = this.content.size;
    const count = this.writeAt(bytes, this.offset);
    if (count > 0) this.offset += count;
    return count;
  }

  override readAt(target: Uint8Array, offset: number): number {
    return this.content.read(target, offset);
  }

  override writeAt(bytes: Uint8Array, offset: number): number {
    return this.content.write(bytes, offset);
  }

  override seek(offset: number, whence: number): number {
    const base = whence === SEEK.CUR ? this.offset : whence === SEEK.END ? this.content.size : 0;
    if (whence > SEEK.END || base + offset < 0) return -E.INVAL;
    this.offset = base + offset;
    return this.offset;
  }

  override stat(): HostStat {
    const { inode, size, permissions } = this.content;
    return this.fixedStat ?? syntheticStat({ mode: S_IFREG | permissions, inode, links: 0, size, blocks: Math.ceil(size / 512) });
  }

  override truncate(size: number): number {
    return this.content.resize(size);
  }

  override available(): number {
    return this.content.size - this.offset;
  }

  override sync(): number {
    return 0;
  }

  override chmod(mode: number): number {
    this.content.permissions = mode & 0o7777;
    return 0;
  }
}
