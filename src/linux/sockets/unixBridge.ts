/**
 * Connects a Unix stream socket of the guest with one of the host: the guest's socket has a peer of the usual
 * kind, whose bytes are carried to the host and back. Descriptors and credentials cannot come along.
 */
import { E } from '../../base/errno.js';
import type { HostStream, HostStreamEvents } from '../../host/hostNetwork.js';
import type { ReadinessWatcher } from '../files/readiness.js';
import { NO_CREDENTIALS } from './message.js';
import { MSG, SHUT } from './socketConstants.js';
import type { UnixSocket } from './unixSocket.js';

const CHUNK = 65_536;
/** While more than this waits to be read by the guest, the host is to keep what comes in. */
const MOST_WAITING = 1 << 18;

export class UnixBridge implements HostStreamEvents, ReadinessWatcher {
  readonly exclusive = false;
  private stream: HostStream | undefined;
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private ending = false;
  private finished = false;

  constructor(
    private readonly far: UnixSocket,
    private readonly onConnected: () => void,
    private readonly onFailed: (error: number) => void,
  ) {
    far.retain();
    far.watchReadiness(this);
  }

  open(stream: HostStream): void {
    this.stream = stream;
    this.carry();
  }

  // From the guest.

  woken(): boolean {
    this.carry();
    return false;
  }

  fileClosed(): void {
    this.stream?.close();
  }

  // From the host.

  connected(): void {
    this.tell(this.onConnected);
  }

  data(bytes: Uint8Array): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes > MOST_WAITING) this.stream?.pause();
    this.tell(() => this.carry());
  }

  ended(): void {
    this.ending = true;
    this.tell(() => this.carry());
  }

  failed(error: number): void {
    this.tell(() => this.onFailed(error));
  }

  drained(): void {
    this.tell(() => this.carry());
  }

  private tell(news: () => void): void {
    news();
    this.far.network.notify();
  }

  private carry(): void {
    this.carryOut();
    this.carryIn();
    const { peer } = this.far;
    if (peer?.closed === true && !this.far.isClosed) this.far.release();
  }

  private carryOut(): void {
    const buffer = new Uint8Array(CHUNK);
    while (!this.finished && this.stream !== undefined && this.stream.room > 0) {
      const got = this.far.receive(buffer, 0);
      if (typeof got === 'number') return;
      got.files?.drop();
      if (got.count > 0) this.stream.write(buffer.subarray(0, got.count));
      else {
        this.finished = true;
        this.stream.end();
      }
    }
  }

  private carryIn(): void {
    while (this.waiting.length > 0) {
      const [bytes] = this.waiting as [Uint8Array];
      const sent = this.far.send({ bytes, flags: MSG.NOSIGNAL, credentials: NO_CREDENTIALS });
      if (sent === -E.AGAIN) return;
      const left = sent < 0 ? bytes.length : sent;
      this.waitingBytes -= left;
      if (left < bytes.length) this.waiting[0] = bytes.subarray(left);
      else this.waiting.shift();
      if (this.waitingBytes < MOST_WAITING / 2) this.stream?.resume();
    }
    if (this.ending && !this.far.sendShut) this.far.shutdown(SHUT.WR);
  }
}
