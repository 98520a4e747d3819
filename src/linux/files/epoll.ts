/**
 * epoll: a set of files watched for events, itself a file. Watches whose file announces its readiness get into
 * the list of ready ones when something happens to the file; the others (files of the host) are asked
 * at every look. What is in the list is asked again before it is reported, and reported in the
 * order in which it got there: a level-triggered watch then goes to the end, an edge-triggered one leaves.
 */
import { E } from '../../base/errno.js';
import { AnonymousFile } from './anonymousFile.js';
import { O, POLL } from './fileConstants.js';
import type { OpenFile } from './openFile.js';
import type { ReadinessWatcher } from './readiness.js';

export const EPOLL = {
  CTL_ADD: 1, CTL_DEL: 2, CTL_MOD: 3, EXCLUSIVE: 0x1000_0000, WAKEUP: 0x2000_0000, ONESHOT: 0x4000_0000, ET: 0x8000_0000,
} as const;
/** Bits that say how to watch, not what for. */
const MANNER = (EPOLL.EXCLUSIVE | EPOLL.WAKEUP | EPOLL.ONESHOT | EPOLL.ET) >>> 0;
const ALWAYS = POLL.ERR | POLL.HUP;
/** What may be asked for together with EPOLLEXCLUSIVE. */
const EXCLUSIVE_ALLOWED = (POLL.IN | POLL.OUT | ALWAYS | EPOLL.WAKEUP | EPOLL.ET | EPOLL.EXCLUSIVE) >>> 0;
/** How deep epolls may be watched by epolls. */
const MOST_NESTED = 4;

interface EpollEvent {
  readonly events: number;
  readonly data: bigint;
}

class Watch implements ReadinessWatcher {
  /** What the file was ready for when last asked: for files that do not announce it. */
  seen = 0;

  constructor(
    readonly epoll: Epoll,
    readonly file: OpenFile,
    readonly fd: number,
    /** What to report and how. */
    public events: number,
    public data: bigint,
  ) {}

  get exclusive(): boolean {
    return (this.events & EPOLL.EXCLUSIVE) !== 0;
  }

  /** False once a one-shot watch has been reported. */
  get enabled(): boolean {
    return (this.events & ~MANNER) !== 0;
  }

  /** What there is to report. */
  current(): number {
    return this.file.poll() & this.events;
  }

  taken(events: number): void {
    this.seen &= ~events;
  }

  woken(events: number): boolean {
    if (!this.enabled || (events !== 0 && (events & this.events) === 0)) return false;
    return this.epoll.becameReady(this);
  }

  fileClosed(): void {
    this.epoll.forget(this);
  }
}

export class Epoll extends AnonymousFile {
  private readonly watches = new Map<OpenFile, Map<number, Watch>>();
  /** In the order in which they got ready. */
  private readonly ready = new Set<Watch>();
  /** Of files that do not announce their readiness. */
  private readonly unannounced = new Set<Watch>();
  /** Epolls that watch this one. */
  private readonly watchedBy = new Set<Epoll>();
  /** How many tasks wait here. */
  waiting = 0;

  constructor() {
    super('eventpoll', O.RDWR);
  }

  override read(): number {
    return -E.INVAL;
  }

  override write(): number {
    return -E.INVAL;
  }

  add(fd: number, file: OpenFile, events: number, data: bigint): number {
    if ((events & EPOLL.EXCLUSIVE) !== 0 && (file instanceof Epoll || (events & ~EXCLUSIVE_ALLOWED) !== 0)) return -E.INVAL;
    if (file instanceof Epoll && !this.mayNest(file)) return -E.LOOP;
    if (this.find(fd, file) !== undefined) return -E.EXIST;
    const watch = new Watch(this, file, fd, events | ALWAYS, data);
    this.remember(watch);
    file.watchReadiness(watch);
    if (!file.announcesReadiness) this.unannounced.add(watch);
    if (file instanceof Epoll) file.watchedBy.add(this);
    this.look(watch);
    return 0;
  }

  /** What it watches. */
  list(): { readonly file: OpenFile; readonly fd: number; readonly events: number; readonly data: bigint }[] {
    return [...this.watches.values()].flatMap((byFd) => [...byFd.values()]);
  }

  modify(fd: number, file: OpenFile, events: number, data: bigint): number {
    if ((events & EPOLL.EXCLUSIVE) !== 0) return -E.INVAL;
    const watch = this.find(fd, file);
    if (watch === undefined) return -E.NOENT;
    if (watch.exclusive) return -E.INVAL;
    Object.assign(watch, { events: events | ALWAYS, data });
    this.look(watch);
    return 0;
  }

  remove(fd: number, file: OpenFile): number {
    const watch = this.find(fd, file);
    if (watch === undefined) return -E.NOENT;
    file.unwatchReadiness(watch);
    this.forget(watch);
    return 0;
  }

  /**
   * Reports up to `most` watches; returns how many. If `deliver` throws (a bad address), the watch stays as it is,
   * and what was delivered before counts.
   */
  collect(most: number, deliver: (event: EpollEvent, index: number) => void): number {
    this.lookAtUnannounced();
    let count = 0;
    for (const watch of [...this.ready]) {
      if (count === most) break;
      const events = watch.current();
      if (events === 0) {
        this.ready.delete(watch);
        continue;
      }
      try {
        deliver({ events, data: watch.data }, count);
      } catch (error) {
        if (count === 0) throw error;
        break;
      }
      count++;
      watch.seen = events;
      this.reported(watch);
    }
    return count;
  }

  override get isExternal(): boolean {
    for (const byFd of this.watches.values()) for (const { file } of byFd.values()) if (file.isExternal) return true;
    return false;
  }

  override readyAt(): number {
    let soonest = Infinity;
    // Files that announce what happens do not become ready by the mere passing of time.
    for (const { file } of this.unannounced) soonest = Math.min(soonest, file.readyAt());
    return soonest;
  }

  override details(): string {
    return [...this.watches.values()].flatMap((byFd) => [...byFd.values()]).map(({ fd, events, data }) =>
      `tfd: ${String(fd).padStart(8)} events: ${events.toString(16).padStart(8)} data: ${data.toString(16).padStart(16)}\n`).join('');
  }

  override poll(): number {
    this.lookAtUnannounced();
    for (const watch of this.ready) {
      if (watch.current() !== 0) return POLL.IN | POLL.RDNORM;
      this.ready.delete(watch);
    }
    return 0;
  }

  /** Returns whether a task waits for it. */
  becameReady(watch: Watch): boolean {
    const heard = this.waiting > 0;
    this.ready.add(watch);
    this.wake(POLL.IN | POLL.RDNORM);
    return heard;
  }

  forget(watch: Watch): void {
    const ofFile = this.watches.get(watch.file);
    ofFile?.delete(watch.fd);
    if (ofFile?.size === 0) this.watches.delete(watch.file);
    this.ready.delete(watch);
    this.unannounced.delete(watch);
    if (watch.file instanceof Epoll && !this.watches.has(watch.file)) watch.file.watchedBy.delete(this);
  }

  protected override close(): number {
    for (const ofFile of [...this.watches.values()]) {
      for (const watch of [...ofFile.values()]) this.remove(watch.fd, watch.file);
    }
    return 0;
  }

  private find(fd: number, file: OpenFile): Watch | undefined {
    return this.watches.get(file)?.get(fd);
  }

  private remember(watch: Watch): void {
    const ofFile = this.watches.get(watch.file) ?? new Map<number, Watch>();
    this.watches.set(watch.file, ofFile.set(watch.fd, watch));
  }

  private look(watch: Watch): void {
    watch.seen = watch.current();
    if (watch.seen !== 0) this.becameReady(watch);
  }

  private lookAtUnannounced(): void {
    for (const watch of this.unannounced) {
      if (!watch.enabled) continue;
      const before = watch.seen;
      watch.seen = watch.current();
      const news = (watch.events & EPOLL.ET) !== 0 ? watch.seen & ~before : watch.seen;
      if (news !== 0) this.ready.add(watch);
    }
  }

  private reported(watch: Watch): void {
    this.ready.delete(watch);
    if ((watch.events & EPOLL.ONESHOT) !== 0) watch.events = (watch.events & MANNER) >>> 0;
    else if ((watch.events & EPOLL.ET) === 0) this.ready.add(watch);
  }

  private mayNest(inner: Epoll): boolean {
    const below = inner.depthBelow(this);
    return below !== Infinity && below + 1 + this.depthAbove() <= MOST_NESTED;
  }

  /** How many levels of epolls this one watches; Infinity if `forbidden` is among them. */
  private depthBelow(forbidden: Epoll): number {
    if (this === forbidden) return Infinity;
    let depth = 0;
    for (const file of this.watches.keys()) {
      if (file instanceof Epoll) depth = Math.max(depth, 1 + file.depthBelow(forbidden));
    }
    return depth;
  }

  private depthAbove(): number {
    let depth = 0;
    for (const outer of this.watchedBy) depth = Math.max(depth, 1 + outer.depthAbove());
    return depth;
  }
}
