/** A TCP or Unix stream of the host, through Node's net. */
import type net from 'node:net';
import { E } from '../base/errno.js';
import type { HostEndpoint, HostStream, HostStreamEvents } from './hostNetwork.js';

/** What may wait in Node's buffers before a writer has to. */
const WRITE_LIMIT = 1 << 18;

export class NodeStream implements HostStream {
  private events: HostStreamEvents | undefined;

  constructor(private readonly socket: net.Socket) {
    // The world waits for us where it wants to; an open connection alone must not keep the run alive.
    socket.unref();
    socket.setNoDelay?.(true);
    socket.on('error', (error: NodeJS.ErrnoException) => this.events?.failed(errorNumber(error)));
  }

  /** Tells `events` from now on. A new connection says first that it is there. */
  tell(events: HostStreamEvents): this {
    this.events = events;
    const { socket } = this;
    socket.on('connect', () => events.connected(endpoint(socket.localAddress, socket.localPort), endpoint(socket.remoteAddress, socket.remotePort)));
    socket.on('data', (bytes) => events.data(bytes));
    socket.on('end', () => events.ended());
    socket.on('drain', () => events.drained());
    return this;
  }

  get room(): number {
    return Math.max(0, WRITE_LIMIT - this.socket.writableLength);
  }

  write(bytes: Uint8Array): void {
    // What is still on its way when the guest ends should go out.
    this.socket.ref();
    this.socket.write(bytes.slice(), () => this.socket.unref());
  }

  end(): void {
    this.socket.end();
  }

  reset(): void {
    this.forget();
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.forget();
    // Reads on, so that the end is noticed; what comes is dropped.
    this.socket.on('data', () => undefined);
    this.socket.resume();
    this.socket.end();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  private forget(): void {
    this.events = undefined;
    for (const event of ['connect', 'data', 'end', 'drain']) this.socket.removeAllListeners(event);
  }
}

export function endpoint(address: string | undefined, port: number | undefined): HostEndpoint {
  return { address: address ?? '0.0.0.0', port: port ?? 0 };
}

export function errorNumber(error: NodeJS.ErrnoException): number {
  return error.errno === undefined ? E.IO : Math.abs(error.errno);
}
