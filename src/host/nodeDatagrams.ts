/** A UDP socket of the host, through Node's dgram. */
import dgram from 'node:dgram';
import { E } from '../base/errno.js';
import type { HostDatagramEvents, HostDatagramOptions, HostDatagrams, HostEndpoint } from './hostNetwork.js';
import { endpoint, errorNumber } from './nodeStream.js';

/** Addresses are numbers already: answering at once makes binding synchronous. */
function lookup(address: string, options: unknown, answer: (error: null, address: string, family: number) => void): void {
  answer(null, address, options === 6 ? 6 : 4);
}

export class NodeDatagrams implements HostDatagrams {
  private constructor(private readonly socket: dgram.Socket) {}

  static open(at: HostEndpoint, options: HostDatagramOptions, events: HostDatagramEvents): NodeDatagrams | number {
    const six = at.address.includes(':');
    const socket = dgram.createSocket({
      type: six ? 'udp6' : 'udp4', reuseAddr: options.reuse, ipv6Only: options.ipv6Only, lookup: lookup as never,
    });
    let failure = 0;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      failure = errorNumber(error);
      events.failed(failure);
    });
    socket.on('message', (bytes, from) => events.message(bytes, endpoint(from.address, from.port)));
    socket.bind({ address: at.address, port: at.port, exclusive: true });
    if (failure !== 0) {
      socket.close();
      return -failure;
    }
    socket.unref();
    return new NodeDatagrams(socket);
  }

  get local(): HostEndpoint {
    const { address, port } = this.socket.address();
    return { address, port };
  }

  send(bytes: Uint8Array, to: HostEndpoint): void {
    this.socket.ref();
    this.socket.send(bytes.slice(), to.port, to.address, () => this.socket.unref());
  }

  setBroadcast(on: boolean): void {
    this.socket.setBroadcast(on);
  }

  join(group: string, interfaceAddress: string | undefined): number {
    return attempted(() => this.socket.addMembership(group, interfaceAddress));
  }

  leave(group: string, interfaceAddress: string | undefined): number {
    return attempted(() => this.socket.dropMembership(group, interfaceAddress));
  }

  close(): void {
    this.socket.removeAllListeners('message');
    this.socket.close();
  }
}

function attempted(action: () => void): number {
  try {
    action();
    return 0;
  } catch (error) {
    return -errorNumber(error as NodeJS.ErrnoException) || -E.INVAL;
  }
}
