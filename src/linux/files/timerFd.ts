/** timerfd: a timer that is read as the number of times it has run out. */
import { E } from '../../base/errno.js';
import type { VirtualClock } from '../tasks/virtualClock.js';
import { AnonymousFile } from './anonymousFile.js';
import { O, POLL } from './fileConstants.js';

export interface TimerSetting {
  /** Nanoseconds until it runs out; 0: not armed. */
  readonly remaining: number;
  readonly interval: number;
}

export class TimerFd extends AnonymousFile {
  /** When it runs out next, in time.now(); Infinity if it is not armed. */
  private next = Infinity;
  private interval = 0;
  private expirations = 0;

  constructor(
    private readonly time: Pick<VirtualClock, 'now'>,
    readonly clock: number,
    flags: number,
  ) {
    super('timerfd', O.RDWR | flags);
  }

  /** Arms for a deadline (Infinity disarms) and then every `interval` nanoseconds (0: once). */
  arm(deadline: number, interval: number): void {
    this.next = deadline;
    this.interval = interval;
    this.expirations = 0;
  }

  setting(): TimerSetting {
    this.update();
    return { remaining: this.next === Infinity ? 0 : this.next - this.time.now(), interval: this.interval };
  }

  /** When it runs out next, in the guest's time; Infinity if it is not armed. */
  get schedule(): { readonly next: number; readonly interval: number } {
    return { next: this.next, interval: this.interval };
  }

  override read(target: Uint8Array): number {
    if (target.length < 8) return -E.INVAL;
    this.update();
    if (this.expirations === 0) return -E.AGAIN;
    new DataView(target.buffer, target.byteOffset).setBigUint64(0, BigInt(this.expirations), true);
    this.expirations = 0;
    return 8;
  }

  override readyAt(): number {
    return this.next;
  }

  override poll(): number {
    this.update();
    return this.expirations > 0 ? POLL.IN | POLL.RDNORM : 0;
  }

  override details(): string {
    const { remaining, interval } = this.setting();
    const parts = (time: number): string => `(${Math.floor(time / 1e9)}, ${Math.floor(time % 1e9)})`;
    return `clockid: ${this.clock}\nticks: ${this.expirations}\nsettime flags: 00\nit_value: ${parts(remaining)}\nit_interval: ${parts(interval)}\n`;
  }

  /** Counts what has run out since the last look. */
  private update(): void {
    const late = this.time.now() - this.next;
    if (late < 0 || this.next === Infinity) return;
    const more = this.interval > 0 ? Math.floor(late / this.interval) : 0;
    this.expirations += 1 + more;
    this.next = this.interval > 0 ? this.next + (1 + more) * this.interval : Infinity;
    this.wake(POLL.IN | POLL.RDNORM);
  }
}
