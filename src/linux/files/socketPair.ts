/** The two ends of socketpair(AF_UNIX, SOCK_STREAM): a pipe each way. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../host/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from './anonymousFile.js';
import { O, POLL, S_IFSOCK } from './fileConstants.js';
import { OpenFile } from './openFile.js';
import { Pipe } from './pipe.js';

const BUFFER_SIZE = 212_992;

export class SocketEnd extends OpenFile {
  private constructor(
    private readonly inode: bigint,
    private readonly incoming: Pipe,
    private readonly outgoing: Pipe,
    flags: number,
  ) {
    super(O.RDWR | flags);
  }

  static pair(inodes: readonly [bigint, bigint], flags: number): readonly [SocketEnd, SocketEnd] {
    const [there, back] = [new Pipe(inodes[0], BUFFER_SIZE), new Pipe(inodes[1], BUFFER_SIZE)];
    for (const pipe of [there, back]) pipe.readers = pipe.writers = 1;
    return [new SocketEnd(inodes[0], back, there, flags), new SocketEnd(inodes[1], there, back, flags)];
  }

  override get path(): BytePath {
    return bytePath(`socket:[${this.inode}]`);
  }

  override read(target: Uint8Array): number {
    if (this.incoming.filled > 0) return this.incoming.take(target);
    return this.incoming.writers === 0 || target.length === 0 ? 0 : -E.AGAIN;
  }

  override write(bytes: Uint8Array): number {
    if (this.outgoing.readers === 0) return -E.PIPE;
    return this.outgoing.free > 0 || bytes.length === 0 ? this.outgoing.put(bytes) : -E.AGAIN;
  }

  override stat(): HostStat {
    return syntheticStat({ mode: S_IFSOCK | 0o777, inode: this.inode, device: 0x8n });
  }

  override poll(): number {
    const ended = this.incoming.writers === 0;
    const input = this.incoming.filled > 0 || ended ? POLL.IN | POLL.RDNORM : 0;
    const output = this.outgoing.free > 0 ? POLL.OUT | POLL.WRNORM : 0;
    return input | output | (ended ? POLL.HUP | POLL.RDHUP : 0);
  }

  override available(): number {
    return this.incoming.filled;
  }

  /** shutdown(2): 0 no more reading, 1 no more writing, 2 neither. */
  shutdown(how: number): number {
    if (how < 0 || how > 2) return -E.INVAL;
    if (how !== 1) this.incoming.readers = 0;
    if (how !== 0) this.outgoing.writers = 0;
    return 0;
  }

  protected override close(): number {
    return this.shutdown(2);
  }
}
