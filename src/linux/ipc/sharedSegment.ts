/**
 * A segment of System V shared memory: bytes that exist from shmget to the last shmdt after IPC_RMID, mapped as
 * files are. Pages that have not been written take no room.
 */
import { PAGE_SIZE, pageCeil } from '../../base/types.js';
import type { MappableFile } from '../../machine/mapping.js';
import type { Process } from '../process.js';
import { IpcObject } from './ipcObjects.js';

/** As /proc/PID/maps shows it; segments are apart from anonymous shared memory, which has the same device. */
const DEVICE = 1;
const FIRST_INODE = 0x4000_0000;

export class SharedSegment extends IpcObject {
  private readonly pages = new Map<number, Uint8Array>();
  readonly creator: number;
  lastUser = 0;
  attached = 0;
  detached = 0;
  changed: number;
  /** IPC_RMID was called: it goes with its last user. */
  condemned = false;
  /** The ways to map it: for reading and writing, and for reading only. */
  readonly files: { readonly writable: MappableFile; readonly readOnly: MappableFile };

  constructor(
    creator: Process,
    key: number,
    mode: number,
    readonly size: number,
    /** Tells segments apart; the same for all that map this one. */
    serial: number,
  ) {
    super(creator, key, mode);
    this.creator = creator.pid;
    this.changed = creator.clock.realtime().seconds;
    const readOnly: MappableFile = {
      path: `/SYSV${(key >>> 0).toString(16).padStart(8, '0')} (deleted)`,
      device: DEVICE, inode: FIRST_INODE + serial, size: pageCeil(size),
      read: (offset, target) => this.read(offset, target),
    };
    this.files = { readOnly, writable: { ...readOnly, writeBack: (offset, bytes) => this.write(offset, bytes) } };
  }

  isMappedBy(file: MappableFile | undefined): boolean {
    return file === this.files.writable || file === this.files.readOnly;
  }

  /** The end of a process detaches what it has attached. */
  userEnded(process: Process): void {
    if (!process.memory.space.mappings().some(({ file }) => this.isMappedBy(file))) return;
    this.lastUser = process.pid;
    this.detached = process.clock.realtime().seconds;
  }

  private read(offset: number, target: Uint8Array): number {
    this.eachPage(offset, target.length, (page, from, at, count) => {
      const bytes = this.pages.get(page);
      if (bytes === undefined) target.fill(0, at, at + count);
      else target.set(bytes.subarray(from, from + count), at);
    });
    return target.length;
  }

  private write(offset: number, source: Uint8Array): void {
    this.eachPage(offset, source.length, (page, from, at, count) => {
      const bytes = this.pages.get(page) ?? new Uint8Array(PAGE_SIZE);
      bytes.set(source.subarray(at, at + count), from);
      this.pages.set(page, bytes);
    });
  }

  /** Calls `visit` with the number of each page in the range, where in it, where in the range, and how many bytes. */
  private eachPage(offset: number, length: number, visit: (page: number, from: number, at: number, count: number) => void): void {
    for (let at = 0; at < length; ) {
      const from = (offset + at) % PAGE_SIZE;
      const count = Math.min(PAGE_SIZE - from, length - at);
      visit(Math.floor((offset + at) / PAGE_SIZE), from, at, count);
      at += count;
    }
  }
}
