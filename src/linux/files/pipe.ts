/** A pipe inside the guest: a byte queue of bounded size with a reading and a writing end. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../host/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from './anonymousFile.js';
import { O, POLL, S_IFIFO } from './fileConstants.js';
import { OpenFile } from './openFile.js';

export const PIPE_SIZE = 65536;
/** Writes up to this size are all or nothing. */
const PIPE_BUF = 4096;

export class Pipe {
  private readonly ring: Uint8Array;
  private start = 0;
  filled = 0;
  readers = 0;
  writers = 0;
  permissions = 0o600;
  /** The open files that are its ends. */
  readonly ends = new Set<OpenFile>();

  constructor(
    readonly inode: bigint,
    readonly size = PIPE_SIZE,
  ) {
    this.ring = new Uint8Array(size);
  }

  get free(): number {
    return this.size - this.filled;
  }

  /** Tells all who watch an end. */
  wake(events: number): void {
    for (const end of this.ends) end.wake(events);
  }

  take(target: Uint8Array): number {
    const wasFull = this.free < PIPE_BUF;
    const count = Math.min(target.length, this.filled);
    const first = Math.min(count, this.size - this.start);
    target.set(this.ring.subarray(this.start, this.start + first));
    target.set(this.ring.subarray(0, count - first), first);
    this.start = (this.start + count) % this.size;
    this.filled -= count;
    if (wasFull) this.wake(POLL.OUT | POLL.WRNORM);
    return count;
  }

  /** A copy of the first bytes, which stay. */
  peek(length: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(length, this.filled));
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.ring[(this.start + i) % this.size] ?? 0;
    return bytes;
  }

  put(bytes: Uint8Array): number {
    const count = Math.min(bytes.length, this.free);
    const end = (this.start + this.filled) % this.size;
    const first = Math.min(count, this.size - end);
    this.ring.set(bytes.subarray(0, first), end);
    this.ring.set(bytes.subarray(first, count), 0);
    this.filled += count;
    this.wake(POLL.IN | POLL.RDNORM);
    return count;
  }
}

export abstract class PipeEnd extends OpenFile {
  constructor(
    readonly pipe: Pipe,
    flags: number,
  ) {
    super(flags);
    pipe.ends.add(this);
  }

  override get announcesReadiness(): boolean {
    return true;
  }

  override get path(): BytePath {
    return bytePath(`pipe:[${this.pipe.inode}]`);
  }

  override stat(): HostStat {
    return syntheticStat({ mode: S_IFIFO | this.pipe.permissions, inode: this.pipe.inode, device: 0xdn });
  }

  override chmod(mode: number): number {
    this.pipe.permissions = mode;
    return 0;
  }

  override available(): number {
    return this.pipe.filled;
  }

  /** Through /proc/self/fd: another end, of the kind that is asked for. */
  reopen(flags: number): OpenFile {
    const status = flags & (O.NONBLOCK | O.DIRECT);
    return (flags & O.ACCMODE) === O.RDONLY ? new PipeReader(this.pipe, status) : new PipeWriter(this.pipe, status);
  }

  protected override close(): number {
    this.pipe.ends.delete(this);
    this.pipe.wake(0);
    return 0;
  }
}

export class PipeReader extends PipeEnd {
  constructor(pipe: Pipe, flags: number) {
    super(pipe, flags | O.RDONLY);
    pipe.readers++;
  }

  override read(target: Uint8Array): number {
    if (target.length === 0) return 0;
    if (this.pipe.filled > 0) return this.pipe.take(target);
    return this.pipe.writers === 0 ? 0 : -E.AGAIN;
  }

  override poll(): number {
    const hangUp = this.pipe.writers === 0 ? POLL.HUP : 0;
    return this.pipe.filled > 0 ? POLL.IN | POLL.RDNORM | hangUp : hangUp;
  }

  protected override close(): number {
    this.pipe.readers--;
    return super.close();
  }
}

export class PipeWriter extends PipeEnd {
  constructor(pipe: Pipe, flags: number) {
    super(pipe, flags | O.WRONLY);
    pipe.writers++;
  }

  override write(bytes: Uint8Array): number {
    if (this.pipe.readers === 0) return -E.PIPE;
    if (bytes.length === 0) return 0;
    const enough = bytes.length <= PIPE_BUF ? bytes.length : 1;
    return this.pipe.free >= enough ? this.pipe.put(bytes) : -E.AGAIN;
  }

  override poll(): number {
    if (this.pipe.readers === 0) return POLL.OUT | POLL.WRNORM | POLL.ERR;
    return this.pipe.free >= PIPE_BUF ? POLL.OUT | POLL.WRNORM : 0;
  }

  protected override close(): number {
    this.pipe.writers--;
    return super.close();
  }
}
