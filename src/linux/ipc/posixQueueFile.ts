/** A descriptor of a POSIX message queue. */
import { bytePath, bytesOfBytePath, type BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from '../files/anonymousFile.js';
import { POLL, S_IFREG } from '../files/fileConstants.js';
import { OpenFile } from '../files/openFile.js';
import type { PosixQueue } from './posixQueue.js';

/** What a queue says of its size. */
const STATUS_LENGTH = 80;

export class PosixQueueFile extends OpenFile {
  private offset = 0;

  constructor(
    readonly queue: PosixQueue,
    private readonly name: string,
    flags: number,
  ) {
    super(flags);
    queue.watchers.add(this);
  }

  override get path(): BytePath {
    return bytePath(`/${this.name}`);
  }

  override get announcesReadiness(): boolean {
    return true;
  }

  override stat(): HostStat {
    const { mode, uid, gid, inode } = this.queue;
    return syntheticStat({ mode: S_IFREG | mode, uid, gid, inode, size: STATUS_LENGTH, device: 0x13n });
  }

  /** Tells about the queue; its messages are not read this way. */
  override read(target: Uint8Array): number {
    const { bytes, notification } = this.queue;
    const [method, signal, pid] = [notification?.method ?? 0, notification?.signal ?? 0, notification?.process.pid ?? 0];
    const text = `QSIZE:${String(bytes).padEnd(10)} NOTIFY:${String(method).padEnd(5)} SIGNO:${String(signal).padEnd(5)} NOTIFY_PID:${String(pid).padEnd(6)}\n`;
    const shown = bytesOfBytePath(text).subarray(this.offset, this.offset + target.length);
    target.set(shown);
    this.offset += shown.length;
    return shown.length;
  }

  override poll(): number {
    const { queue } = this;
    return (queue.count > 0 ? POLL.IN | POLL.RDNORM : 0) | (queue.isFull ? 0 : POLL.OUT | POLL.WRNORM);
  }

  protected override close(): number {
    this.queue.watchers.delete(this);
    this.queue.forgetIfUnused();
    return 0;
  }
}
