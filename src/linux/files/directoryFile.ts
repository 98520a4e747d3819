/**
 * An open directory of the host. The position is the number of entries passed; a rewind scans
 * afresh, so that new entries show, as they do natively.
 */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostDirectory } from '../../host/host.js';
import { DT, SEEK } from './fileConstants.js';
import { HostBackedFile } from './hostBackedFile.js';
import type { DirectoryEntry } from './openFile.js';

/** What seekdir and d_off say after the last entry. */
const END_POSITION = 0x7fff_ffff;

export class DirectoryFile extends HostBackedFile {
  private scan: HostDirectory | undefined;
  private current: DirectoryEntry | undefined;
  private place = 0;

  override get isDirectory(): boolean {
    return true;
  }

  override get position(): number {
    return this.place;
  }

  override read(): number {
    return -E.ISDIR;
  }

  override readAt(): number {
    return -E.ISDIR;
  }

  override write(): number {
    return -E.BADF;
  }

  override sync(): number {
    return this.host.files.sync(this.fd);
  }

  override seek(offset: number, whence: number): number {
    const target = whence === SEEK.CUR ? this.place + offset : offset;
    if (target < 0 || (whence !== SEEK.SET && whence !== SEEK.CUR)) return -E.INVAL;
    if (target !== this.place) this.moveTo(target);
    else if (target === 0) this.rewind();
    return target;
  }

  override peekEntry(): DirectoryEntry | undefined | number {
    if (this.current !== undefined) return this.current;
    if (this.place === END_POSITION) return undefined;
    this.scan ??= this.openScan();
    if (this.scan === undefined) return -E.NOENT;
    this.current = this.place < 2 ? this.dotEntry() : this.nextEntry(this.scan);
    if (this.current === undefined) this.place = END_POSITION;
    return this.current;
  }

  override takeEntry(): void {
    this.current = undefined;
    this.place++;
  }

  protected override close(): number {
    this.scan?.close();
    return super.close();
  }

  private openScan(): HostDirectory | undefined {
    const scan = this.host.files.openDirectory(this.host.files.pathOfFd(this.fd));
    return typeof scan === 'number' ? undefined : scan;
  }

  private rewind(): void {
    this.scan?.close();
    this.scan = undefined;
    this.current = undefined;
    this.place = 0;
  }

  private moveTo(position: number): void {
    if (position < this.place) this.rewind();
    while (this.place < position && typeof this.peekEntry() === 'object') this.takeEntry();
  }

  private dotEntry(): DirectoryEntry {
    const name = bytePath(this.place === 0 ? '.' : '..');
    return { name, inode: this.inodeOf(name), type: DT.DIR, next: this.place + 1 };
  }

  private nextEntry(scan: HostDirectory): DirectoryEntry | undefined {
    const entry = scan.next();
    if (entry === undefined) return undefined;
    return { name: entry.name, inode: this.inodeOf(entry.name), type: entry.type, next: this.place + 1 };
  }

  /** Node's directory scan drops the inode number, so it costs a stat. */
  private inodeOf(name: BytePath): bigint {
    const stat = this.host.files.stat(bytePath(`${this.host.files.pathOfFd(this.fd)}/${name}`), false);
    return typeof stat === 'number' ? 1n : stat.inode;
  }
}
