/**
 * The network as the host gives it to us: byte streams, datagrams, and what its interfaces are. Addresses are
 * text; errors are negative Linux error numbers. What comes in is told to the events object, from the event loop.
 */
import { E } from '../base/errno.js';
import type { BytePath } from '../base/bytePath.js';

export interface HostEndpoint {
  readonly address: string;
  readonly port: number;
}

export interface HostInterfaceAddress {
  readonly family: 4 | 6;
  readonly address: string;
  /** Bits of the network part. */
  readonly prefix: number;
  readonly scope: number;
}

export interface HostInterface {
  readonly index: number;
  readonly name: string;
  /** Six bytes, as `aa:bb:cc:dd:ee:ff`. */
  readonly hardware: string;
  readonly loopback: boolean;
  readonly mtu: number;
  readonly addresses: readonly HostInterfaceAddress[];
}

/** A connection to the outside. */
export interface HostStream {
  /** Bytes that may be written now without piling up. */
  readonly room: number;
  /** Takes all of the bytes, which the caller may change afterwards. */
  write(bytes: Uint8Array): void;
  /** No more bytes will be written. */
  end(): void;
  /** Breaks the connection off. */
  reset(): void;
  /** The guest will not look at what comes in any more; what was written still goes out. */
  close(): void;
  /** Stops or goes on telling of data. */
  pause(): void;
  resume(): void;
}

export interface HostStreamEvents {
  connected(local: HostEndpoint, remote: HostEndpoint): void;
  data(bytes: Uint8Array): void;
  /** The other side will send no more. */
  ended(): void;
  /** `error` is a Linux error number. */
  failed(error: number): void;
  /** There is room to write again. */
  drained(): void;
}

export interface HostListener {
  close(): void;
}

/** A connection that came in: `adopt` says who is to hear of it from now on. */
export interface HostConnection {
  readonly local: HostEndpoint;
  readonly remote: HostEndpoint;
  adopt(events: HostStreamEvents): HostStream;
}

export interface HostDatagrams {
  readonly local: HostEndpoint;
  send(bytes: Uint8Array, to: HostEndpoint): void;
  setBroadcast(on: boolean): void;
  join(group: string, interfaceAddress: string | undefined): number;
  leave(group: string, interfaceAddress: string | undefined): number;
  close(): void;
}

export interface HostDatagramOptions {
  readonly ipv6Only: boolean;
  readonly reuse: boolean;
}

export interface HostDatagramEvents {
  message(bytes: Uint8Array, from: HostEndpoint): void;
  failed(error: number): void;
}

export interface HostNetwork {
  interfaces(): readonly HostInterface[];
  /** Whether a program of the host has the port: listens on it (TCP), or is bound to it (UDP). */
  isTaken(protocol: 'tcp' | 'udp', address: string, port: number): boolean;
  connect(to: HostEndpoint, events: HostStreamEvents): HostStream;
  /** A Unix stream socket of the host. */
  connectPath(path: BytePath, events: HostStreamEvents): HostStream;
  /**
   * Makes the file of a Unix stream socket and takes connections there. Undefined: no process outside could connect;
   * there is no file.
   */
  listenPath(path: BytePath, mode: number, arrived: (connection: HostConnection) => void): HostListener | undefined | number;
  /** Undefined: no process outside could connect. */
  listen(at: HostEndpoint, ipv6Only: boolean, arrived: (connection: HostConnection) => void): HostListener | undefined | number;
  /** Undefined: there is no peer to talk to. */
  datagrams(at: HostEndpoint, options: HostDatagramOptions, events: HostDatagramEvents): HostDatagrams | undefined | number;
}

/** No way out, and no peer there: the network of a guest that must not reach the outside. */
export class NoNetwork implements HostNetwork {
  private readonly loopback: HostInterface = {
    index: 1, name: 'lo', hardware: '00:00:00:00:00:00', loopback: true, mtu: 65_536,
    addresses: [{ family: 4, address: '127.0.0.1', prefix: 8, scope: 0 }, { family: 6, address: '::1', prefix: 128, scope: 0 }],
  };

  interfaces(): readonly HostInterface[] {
    return [this.loopback];
  }

  isTaken(): boolean {
    return false;
  }

  connect(_to: HostEndpoint, events: HostStreamEvents): HostStream {
    return this.refuse(events, E.NETUNREACH);
  }

  connectPath(_path: BytePath, events: HostStreamEvents): HostStream {
    return this.refuse(events, E.CONNREFUSED);
  }

  listenPath(): undefined {
    return undefined;
  }

  listen(): undefined {
    return undefined;
  }

  datagrams(): undefined {
    return undefined;
  }

  private refuse(events: HostStreamEvents, error: number): HostStream {
    const nothing = (): void => undefined;
    events.failed(error);
    return { room: 0, write: nothing, end: nothing, reset: nothing, close: nothing, pause: nothing, resume: nothing };
  }
}
