/** The descriptors of a process: small numbers to open files, lowest free number first. */
import { E } from '../../base/errno.js';
import type { LockableFile, LockingTable } from '../locks/lockTable.js';
import type { OpenFile } from './openFile.js';

const SMALLEST_CAPACITY = 64;

interface Entry {
  readonly file: OpenFile;
  closeOnExec: boolean;
}

export class FdTable implements LockingTable {
  private readonly entries: (Entry | undefined)[] = [];
  /** Told of every descriptor that is closed, before it is (locks go by that). */
  onClose: ((file: LockableFile) => void) | undefined;
  /** No number below this is free. */
  private lowestFree = 0;

  /** Another number after every change. */
  version = 0;

  /** Processes that use it (CLONE_FILES). */
  private users = 1;

  /** `limit` is asked for each time: RLIMIT_NOFILE can change. */
  constructor(private readonly limit: () => number) {}

  /** For fork: the same open files under the same numbers. */
  copy(limit: () => number): FdTable {
    const copy = this.another(limit);
    this.entries.forEach((entry, fd) => {
      copy.entries[fd] = entry === undefined ? undefined : { file: entry.file.retain(), closeOnExec: entry.closeOnExec };
    });
    copy.lowestFree = this.lowestFree;
    return copy;
  }

  /** An empty one of the same kind. */
  protected another(limit: () => number): FdTable {
    return new FdTable(limit);
  }

  /** One more process uses it. */
  share(): this {
    this.users++;
    return this;
  }

  get isShared(): boolean {
    return this.users > 1;
  }

  /** A process uses it no more. Whether none does now. */
  leave(): boolean {
    return --this.users === 0;
  }

  get(fd: number): OpenFile | undefined {
    return this.entries[fd]?.file;
  }

  /** No process will use it any more, though it may stay open. */
  settle(fd: number): void {
    this.entries[fd]?.file.settle();
  }

  /** Gives the file the lowest free number from `from` on. */
  add(file: OpenFile, closeOnExec: boolean, from = 0): number {
    let fd = Math.max(from, this.lowestFree);
    while (this.entries[fd] !== undefined) fd++;
    if (fd >= this.limit()) return -E.MFILE;
    this.entries[fd] = { file: file.retain(), closeOnExec };
    this.version++;
    if (from <= this.lowestFree) this.lowestFree = fd + 1;
    return fd;
  }

  /** Whether another file would get no number. */
  get isFull(): boolean {
    let fd = this.lowestFree;
    while (this.entries[fd] !== undefined) fd++;
    return fd >= this.limit();
  }

  /** Makes `fd` refer to `file`, closing what it referred to before. */
  replace(fd: number, file: OpenFile, closeOnExec: boolean): number {
    if (fd < 0 || fd >= this.limit()) return -E.BADF;
    while (this.entries.length < fd) this.entries.push(undefined);
    const old = this.entries[fd];
    this.entries[fd] = { file: file.retain(), closeOnExec };
    this.version++;
    if (old !== undefined) this.release(old);
    return fd;
  }

  close(fd: number): number {
    const entry = this.entries[fd];
    if (entry === undefined) return -E.BADF;
    this.entries[fd] = undefined;
    this.version++;
    if (fd < this.lowestFree) this.lowestFree = fd;
    return this.release(entry);
  }

  private release({ file }: Entry): number {
    this.onClose?.(file);
    return file.release();
  }

  closeOnExec(fd: number): boolean {
    return this.entries[fd]?.closeOnExec ?? false;
  }

  setCloseOnExec(fd: number, on: boolean): void {
    const entry = this.entries[fd];
    if (entry !== undefined) entry.closeOnExec = on;
    this.version++;
  }

  /** How large the kernel's table would be: select does not look beyond it. */
  get capacity(): number {
    let capacity = SMALLEST_CAPACITY;
    while (capacity < this.entries.length) capacity *= 2;
    return capacity;
  }

  /** Numbers in use, ascending. */
  numbers(): number[] {
    const numbers: number[] = [];
    this.entries.forEach((entry, fd) => {
      if (entry !== undefined) numbers.push(fd);
    });
    return numbers;
  }
}
