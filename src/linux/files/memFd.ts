/** memfd_create: a file in memory, to be shared through descriptors, that can be sealed against changes. */
import { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import { PAGE_SIZE } from '../../base/types.js';
import type { BytePath } from '../../base/bytePath.js';
import type { MappableFile } from '../../machine/mapping.js';
import { O } from './fileConstants.js';
import { MemoryContent } from './memoryContent.js';
import { MemoryFile } from './memoryFile.js';

export const SEAL = { SEAL: 1, SHRINK: 2, GROW: 4, WRITE: 8, FUTURE_WRITE: 16, EXEC: 32, ALL: 63 } as const;
const AGAINST_WRITING = SEAL.WRITE | SEAL.FUTURE_WRITE;
export const MEMFD_DEVICE = 0xe;
const EXECUTABLE = 0o111;

class SealableContent extends MemoryContent {
  /** Ways to map it: for reading only, and for writing too. Always the same two, so that mappings can be told apart. */
  readonly readOnly: MappableFile;
  readonly writable: MappableFile;

  constructor(
    inode: bigint,
    path: BytePath,
    public seals: number,
    budget: Budget,
  ) {
    super(new Uint8Array(0), inode, budget);
    const size = (): number => this.size;
    const use = { retain: () => this.retain(), release: () => this.release() };
    const common = { path, device: MEMFD_DEVICE, inode: Number(inode), read: (offset: number, target: Uint8Array) => this.read(target, offset), ...use };
    const writeBack = (offset: number, bytes: Uint8Array): void => void this.write(bytes, offset);
    this.readOnly = { ...common, get size() { return size(); } };
    this.writable = { ...common, writeBack, get size() { return size(); } };
  }
}

interface MemFdFacts {
  readonly inode: bigint;
  readonly seals: number;
  readonly permissions: number;
  /** Stays as it is. */
  readonly bytes: Pick<MappableFile, 'read' | 'size'>;
}

export class MemFd extends MemoryFile {
  private constructor(
    path: BytePath,
    flags: number,
    protected override readonly content: SealableContent,
  ) {
    super(path, flags | O.LARGEFILE, content);
    content.retain();
  }

  static create(path: BytePath, inode: bigint, seals: number, budget: Budget): MemFd {
    const content = new SealableContent(inode, path, seals, budget);
    if ((seals & SEAL.EXEC) !== 0) content.permissions &= ~EXECUTABLE;
    return new MemFd(path, O.RDWR, content);
  }

  /** One whose contents and circumstances are known. */
  static restore(path: BytePath, { inode, seals, permissions, bytes }: MemFdFacts, budget = new Budget()): MemFd {
    const content = new SealableContent(inode, path, seals, budget);
    content.standOn({ read: (target, position) => bytes.read(position, target) }, bytes.size);
    content.permissions = permissions;
    return new MemFd(path, O.RDWR, content);
  }

  /** Opened once more, by way of /proc/self/fd. */
  reopen(flags: number): MemFd | number {
    if ((flags & O.TRUNC) !== 0) {
      const result = this.truncate(0);
      if (result < 0) return result;
    }
    return new MemFd(this.path, flags & ~(O.CREAT | O.EXCL | O.TRUNC | O.CLOEXEC), this.content);
  }

  get inode(): bigint {
    return this.content.inode;
  }

  get permissions(): number {
    return this.content.permissions;
  }

  /** Its bytes, whatever seals and flags say. */
  get bytes(): MappableFile {
    return this.content.writable;
  }

  takeChanged(): ReturnType<MemoryContent['takeChanged']> {
    return this.content.takeChanged();
  }

  get seals(): number {
    return this.content.seals;
  }

  /** `isMappedForWriting` is asked only if it matters. */
  addSeals(seals: number, isMappedForWriting: () => boolean): number {
    const { content } = this;
    if (!this.writable) return -E.PERM;
    if ((seals & ~SEAL.ALL) !== 0) return -E.INVAL;
    if ((content.seals & SEAL.SEAL) !== 0) return -E.PERM;
    if ((seals & SEAL.WRITE) !== 0 && (content.seals & SEAL.WRITE) === 0 && isMappedForWriting()) return -E.BUSY;
    // What may be run must not change.
    const implied = (seals & SEAL.EXEC) !== 0 && (content.permissions & EXECUTABLE) !== 0 ? SEAL.SHRINK | SEAL.GROW | AGAINST_WRITING : 0;
    content.seals |= seals | implied;
    return 0;
  }

  /** Whether a mapping is one of this file through which it may be written. */
  isWritableMapping(file: MappableFile | undefined): boolean {
    return file === this.content.writable;
  }

  override writeAt(bytes: Uint8Array, offset: number): number {
    const { seals, size } = this.content;
    if ((seals & AGAINST_WRITING) !== 0) return -E.PERM;
    const grows = offset + bytes.length > size;
    if (!grows || (seals & SEAL.GROW) === 0) return super.writeAt(bytes, offset);
    // Linux goes page by page, and fails at the first that would be beyond the end.
    const whole = Math.max(0, size - (size % PAGE_SIZE) - offset);
    return whole === 0 ? -E.PERM : super.writeAt(bytes.subarray(0, whole), offset);
  }

  override truncate(size: number): number {
    const { seals, size: before } = this.content;
    if (!this.writable) return -E.INVAL;
    if ((size < before && (seals & SEAL.SHRINK) !== 0) || (size > before && (seals & SEAL.GROW) !== 0)) return -E.PERM;
    return super.truncate(size);
  }

  protected override close(): number {
    this.content.release();
    return super.close();
  }

  override chmod(mode: number): number {
    if ((this.content.seals & SEAL.EXEC) !== 0 && ((mode ^ this.content.permissions) & EXECUTABLE) !== 0) return -E.PERM;
    return super.chmod(mode);
  }

  override mappable(forWriting = false): MappableFile | number {
    if (!this.readable) return -E.ACCES;
    const sealed = (this.content.seals & AGAINST_WRITING) !== 0;
    if (forWriting && this.writable && sealed) return -E.PERM;
    return sealed || !this.writable ? this.content.readOnly : this.content.writable;
  }
}
