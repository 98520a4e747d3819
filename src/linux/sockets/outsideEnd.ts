/** The outside as one end of a TCP connection: bytes go through the host, both ways. */
import type { HostConnection, HostEndpoint, HostStream, HostStreamEvents } from '../../host/hostNetwork.js';
import { ipFromText } from './ipAddress.js';
import type { TcpEnd } from './tcpEnd.js';
import type { TcpSocket } from './tcpSocket.js';

/** While more than this is unread, the host is to keep what comes in. */
const MOST_UNREAD = 1 << 18;

export class OutsideEnd implements TcpEnd, HostStreamEvents {
  private stream: HostStream | undefined;
  private paused = false;
  private gone = false;

  constructor(private readonly socket: TcpSocket) {}

  connect(to: HostEndpoint): void {
    this.stream = this.socket.network.outside.connect(to, this);
  }

  adopt(connection: HostConnection): void {
    this.stream = connection.adopt(this);
  }

  // What our socket does to the outside.

  room(): number {
    return this.stream?.room ?? 0;
  }

  isWritable(): boolean {
    return this.room() > 0;
  }

  refuses(): boolean {
    return false;
  }

  take(bytes: Uint8Array): void {
    this.stream?.write(bytes);
  }

  finish(): void {
    this.stream?.end();
  }

  reset(): void {
    this.gone = true;
    this.stream?.reset();
  }

  left(): void {
    this.gone = true;
    this.stream?.close();
  }

  hasRead(): void {
    if (!this.paused || this.socket.inbox.size > MOST_UNREAD / 2) return;
    this.paused = false;
    this.stream?.resume();
  }

  // What the outside does to our socket.

  connected(local: HostEndpoint): void {
    this.socket.localIp = ipFromText(local.address);
    this.tell(() => this.socket.established(this));
  }

  data(bytes: Uint8Array): void {
    this.tell(() => this.socket.take(bytes));
    if (this.socket.inbox.size <= MOST_UNREAD) return;
    this.paused = true;
    this.stream?.pause();
  }

  ended(): void {
    this.tell(() => this.socket.finish());
  }

  failed(error: number): void {
    this.tell(() => this.socket.fail(error));
  }

  drained(): void {
    this.tell(() => this.socket.hasRead());
  }

  private tell(news: () => void): void {
    if (this.gone) return;
    news();
    this.socket.network.notify();
  }
}
