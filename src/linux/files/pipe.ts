/** A pipe inside the guest: a queue (pipeQueue.ts) with reading and writing ends. */
import { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from './anonymousFile.js';
import { O, POLL, S_IFIFO } from './fileConstants.js';
import { OpenFile } from './openFile.js';
import { PAGE, PipeQueue } from './pipeQueue.js';

export { PIPE_SIZE } from './pipeQueue.js';

const LARGEST_PIPE = 1 << 20;

export class Pipe {
  private readonly queue = new PipeQueue();
  readers = 0;
  writers = 0;
  permissions = 0o600;
  /** The open files that are its ends. */
  readonly ends = new Set<OpenFile>();

  constructor(
    readonly inode: bigint,
    private readonly budget = new Budget(),
  ) {}

  /** Whether there is memory for as much as it holds at most, which counts from its first end to its last. */
  get hasRoom(): boolean {
    return this.ends.size > 0 || this.budget.left >= this.size;
  }

  addEnd(end: OpenFile): void {
    if (this.ends.size === 0) this.budget.force(this.size);
    this.ends.add(end);
  }

  removeEnd(end: OpenFile): void {
    if (this.ends.delete(end) && this.ends.size === 0) this.budget.giveBack(this.size);
  }

  get size(): number {
    return this.queue.size;
  }

  get filled(): number {
    return this.queue.filled;
  }

  /** Whether who waits for room still has to wait. */
  get isFull(): boolean {
    return this.queue.isFull;
  }

  /** F_SETPIPE_SZ: the next power of two of pages. The result is the new size. */
  resize(size: number): number {
    if (size > LARGEST_PIPE) return -E.PERM;
    const pages = 2 ** Math.ceil(Math.log2(Math.max(1, Math.ceil(size / PAGE))));
    const more = pages * PAGE - this.size;
    if (more > this.budget.left) return -E.PERM;
    if (!this.queue.resize(pages)) return -E.BUSY;
    this.budget.force(more);
    this.wake(POLL.OUT | POLL.WRNORM, 'writable');
    return this.size;
  }

  /** Tells all who watch an end; `kind`: only those for reading or writing, as each have a queue of their own. */
  wake(events: number, kind?: 'readable' | 'writable'): void {
    for (const end of this.ends) if (kind === undefined || end[kind]) end.wake(events);
  }

  take(target: Uint8Array): number {
    const wasFull = this.isFull;
    const count = this.queue.take(target);
    if (wasFull && !this.isFull) this.wake(POLL.OUT | POLL.WRNORM, 'writable');
    return count;
  }

  peek(length: number): Uint8Array {
    return this.queue.peek(length);
  }

  /** As many of the bytes as there is room for; up to a page all or nothing. */
  put(bytes: Uint8Array, packet = false): number {
    const count = this.queue.put(bytes, packet);
    // Also who could write nothing has knocked.
    this.wake(POLL.IN | POLL.RDNORM, 'readable');
    return count;
  }
}

export abstract class PipeEnd extends OpenFile {
  constructor(
    readonly pipe: Pipe,
    flags: number,
  ) {
    super(flags);
    pipe.addEnd(this);
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
    this.pipe.removeEnd(this);
    // The other end is alone now.
    if ((this.pipe.readers === 0) !== (this.pipe.writers === 0)) this.pipe.wake(0);
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
    const count = this.pipe.put(bytes, (this.flags & O.DIRECT) !== 0);
    return count > 0 ? count : -E.AGAIN;
  }

  override poll(): number {
    const room = this.pipe.isFull ? 0 : POLL.OUT | POLL.WRNORM;
    return this.pipe.readers === 0 ? room | POLL.ERR : room;
  }

  protected override close(): number {
    this.pipe.writers--;
    return super.close();
  }
}
