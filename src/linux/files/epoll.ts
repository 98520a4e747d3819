/** epoll: a set of files watched for events, itself a file. Readiness is asked for, never pushed. */
import { E } from '../../base/errno.js';
import { AnonymousFile } from './anonymousFile.js';
import { O, POLL } from './fileConstants.js';
import type { OpenFile } from './openFile.js';

export const EPOLL = { CTL_ADD: 1, CTL_DEL: 2, CTL_MOD: 3, ONESHOT: 0x4000_0000, ET: 0x8000_0000 } as const;
const ALWAYS = POLL.ERR | POLL.HUP;

interface Watch {
  readonly file: OpenFile;
  events: number;
  data: bigint;
  /** What was ready when last reported: an edge-triggered watch reports only news. */
  reported: number;
}

export interface EpollEvent {
  readonly events: number;
  readonly data: bigint;
}

export class Epoll extends AnonymousFile {
  private readonly watches = new Map<number, Watch>();

  constructor() {
    super('eventpoll', O.RDWR);
  }

  add(fd: number, file: OpenFile, events: number, data: bigint): number {
    if (this.find(fd, file) !== undefined) return -E.EXIST;
    this.watches.set(fd, { file, events, data, reported: 0 });
    return 0;
  }

  modify(fd: number, file: OpenFile, events: number, data: bigint): number {
    const watch = this.find(fd, file);
    if (watch === undefined) return -E.NOENT;
    Object.assign(watch, { events, data, reported: 0 });
    return 0;
  }

  remove(fd: number, file: OpenFile): number {
    if (this.find(fd, file) === undefined) return -E.NOENT;
    this.watches.delete(fd);
    return 0;
  }

  /** Up to `most` watches with something to report. */
  collect(most: number): EpollEvent[] {
    const found: EpollEvent[] = [];
    for (const [fd, watch] of this.watches) {
      if (found.length === most) break;
      if (watch.file.isClosed) {
        this.watches.delete(fd);
        continue;
      }
      const events = this.news(watch);
      if (events !== 0) found.push({ events, data: watch.data });
    }
    return found;
  }

  override poll(): number {
    for (const watch of this.watches.values()) {
      if ((watch.file.poll() & (watch.events | ALWAYS)) !== 0) return POLL.IN | POLL.RDNORM;
    }
    return 0;
  }

  private find(fd: number, file: OpenFile): Watch | undefined {
    const watch = this.watches.get(fd);
    return watch?.file === file ? watch : undefined;
  }

  private news(watch: Watch): number {
    if (watch.events === 0) return 0;
    const ready = watch.file.poll() & ((watch.events & 0xffff) | ALWAYS);
    const edge = (watch.events & EPOLL.ET) !== 0;
    const events = edge ? ready & ~watch.reported : ready;
    watch.reported = ready;
    if (events !== 0 && (watch.events & EPOLL.ONESHOT) !== 0) watch.events = 0;
    return edge && events !== 0 ? ready : events;
  }
}
