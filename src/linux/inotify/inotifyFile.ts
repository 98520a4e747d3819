/**
 * inotify: a queue of what happened to watched files and directories, read as records. What happens is told
 * by FileEvents; here it is filtered by each watch's mask, merged with its like, and kept until it is read.
 */
import { E } from '../../base/errno.js';
import { bytesOfBytePath, type BytePath } from '../../base/bytePath.js';
import { AnonymousFile } from '../files/anonymousFile.js';
import { O, POLL } from '../files/fileConstants.js';
import type { FileEvents } from './fileEvents.js';

export const IN = {
  ACCESS: 1, MODIFY: 2, ATTRIB: 4, CLOSE_WRITE: 8, CLOSE_NOWRITE: 0x10, OPEN: 0x20, MOVED_FROM: 0x40, MOVED_TO: 0x80, CREATE: 0x100,
  DELETE: 0x200, DELETE_SELF: 0x400, MOVE_SELF: 0x800, Q_OVERFLOW: 0x4000, IGNORED: 0x8000, ALL_EVENTS: 0xfff, ONLYDIR: 0x100_0000,
  DONT_FOLLOW: 0x200_0000, EXCL_UNLINK: 0x400_0000, MASK_CREATE: 0x1000_0000, MASK_ADD: 0x2000_0000, ISDIR: 0x4000_0000, ONESHOT: 0x8000_0000,
} as const;

const HEADER_SIZE = 16;
/** /proc/sys/fs/inotify/max_queued_events. */
const MOST_EVENTS = 16_384;
const NO_WATCH = -1;

export interface InotifyWatch {
  readonly instance: InotifyFile;
  readonly number: number;
  /** The file, by device and inode. */
  readonly key: string;
  /** Bits of IN: what to report, and how. */
  mask: number;
}

interface Event {
  readonly watch: number;
  readonly mask: number;
  readonly cookie: number;
  readonly name: BytePath | undefined;
}

export class InotifyFile extends AnonymousFile {
  private readonly watches = new Map<number, InotifyWatch>();
  private queue: Event[] = [];
  private nextNumber = 1;

  constructor(
    private readonly events: FileEvents,
    flags: number,
  ) {
    super('inotify', O.RDONLY | flags);
  }

  /** Others may change what is watched. */
  override get isExternal(): boolean {
    return this.watches.size > 0;
  }

  override get announcesReadiness(): boolean {
    return true;
  }

  watchOf(key: string): InotifyWatch | undefined {
    return [...this.watches.values()].find((watch) => watch.key === key);
  }

  add(key: string, mask: number): InotifyWatch {
    const watch: InotifyWatch = { instance: this, number: this.nextNumber++, key, mask };
    this.watches.set(watch.number, watch);
    return watch;
  }

  /** Ends a watch: its file is gone, or is not wanted any more. */
  remove(number: number): number {
    const watch = this.watches.get(number);
    if (watch === undefined) return -E.INVAL;
    this.watches.delete(number);
    this.events.unwatch(watch);
    this.enqueue({ watch: number, mask: IN.IGNORED, cookie: 0, name: undefined });
    return 0;
  }

  /** Something happened to what `watch` watches, or to its entry `name`. */
  report(watch: InotifyWatch, mask: number, cookie: number, name: BytePath | undefined): void {
    if ((watch.mask & mask & IN.ALL_EVENTS) === 0 || !this.watches.has(watch.number)) return;
    this.enqueue({ watch: watch.number, mask, cookie, name });
    if ((watch.mask & IN.ONESHOT) !== 0) this.remove(watch.number);
  }

  override read(target: Uint8Array): number {
    let filled = 0;
    for (let event = this.queue[0]; event !== undefined; event = this.queue[0]) {
      const size = sizeOf(event);
      if (filled + size > target.length) return filled === 0 ? -E.INVAL : filled;
      encode(event, target.subarray(filled, filled + size));
      filled += size;
      this.queue.shift();
    }
    return filled === 0 ? -E.AGAIN : filled;
  }

  override poll(): number {
    return this.queue.length > 0 ? POLL.IN | POLL.RDNORM : 0;
  }

  override available(): number {
    return this.queue.reduce((sum, event) => sum + sizeOf(event), 0);
  }

  protected override close(): number {
    for (const watch of this.watches.values()) this.events.unwatch(watch);
    this.watches.clear();
    return 0;
  }

  /** The same as the last one is not repeated. */
  private enqueue(event: Event): void {
    const last = this.queue.at(-1);
    if (last !== undefined && last.watch === event.watch && last.mask === event.mask && last.name === event.name && last.cookie === event.cookie) return;
    if (this.queue.length === MOST_EVENTS) this.queue.push({ watch: NO_WATCH, mask: IN.Q_OVERFLOW, cookie: 0, name: undefined });
    else if (this.queue.length < MOST_EVENTS) this.queue.push(event);
    this.wake(POLL.IN | POLL.RDNORM);
  }
}

/** Names end with at least one zero, and are filled up with them. */
function nameSize({ name }: Event): number {
  return name === undefined ? 0 : Math.ceil((name.length + 1) / HEADER_SIZE) * HEADER_SIZE;
}

function sizeOf(event: Event): number {
  return HEADER_SIZE + nameSize(event);
}

function encode(event: Event, target: Uint8Array): void {
  target.fill(0);
  const view = new DataView(target.buffer, target.byteOffset);
  view.setInt32(0, event.watch, true);
  view.setUint32(4, event.mask, true);
  view.setUint32(8, event.cookie, true);
  view.setUint32(12, nameSize(event), true);
  if (event.name !== undefined) target.set(bytesOfBytePath(event.name), HEADER_SIZE);
}
