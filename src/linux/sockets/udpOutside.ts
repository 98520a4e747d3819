/** The host's side of a UDP socket: made when the socket takes a port by number, or first sends out of the guest. */
import { E } from '../../base/errno.js';
import type { HostDatagrams, HostEndpoint } from '../../host/hostNetwork.js';
import { ANY4, type IpAddress, ipFromText, isV4 } from './ipAddress.js';
import { AF, SO } from './socketConstants.js';
import type { UdpSocket } from './udpSocket.js';

export class UdpOutside {
  private host: HostDatagrams | undefined;

  constructor(private readonly socket: UdpSocket) {}

  get isOpen(): boolean {
    return this.host !== undefined;
  }

  /** 0, or why it cannot be. */
  openAt(port: number): number {
    const { network, boundIp, ipv6Only, options } = this.socket;
    const reuse = options.flag(SO.REUSEADDR) || options.flag(SO.REUSEPORT);
    const opened = network.outside.datagrams({ address: boundIp, port }, { ipv6Only, reuse }, {
      message: (bytes, from) => this.received(bytes, from),
      failed: () => undefined,
    });
    if (typeof opened === 'number') return opened;
    this.host = opened;
    for (const group of this.socket.memberships) opened?.join(group, undefined);
    return 0;
  }

  send(bytes: Uint8Array, to: IpAddress, port: number): number {
    if (this.host === undefined && this.openAt(this.socket.localPort) !== 0 && this.openAt(0) !== 0) return -E.NETUNREACH;
    if (this.host === undefined) return -E.NETUNREACH;
    if (this.socket.options.flag(SO.BROADCAST)) this.host.setBroadcast(true);
    const mapped = isV4(to) && this.socket.kind.family === AF.INET6;
    this.host.send(bytes, { address: mapped ? `::ffff:${to}` : to, port });
    return bytes.length;
  }

  join(group: IpAddress, on: IpAddress | undefined): void {
    this.host?.join(group, on === ANY4 ? undefined : on);
  }

  leave(group: IpAddress, on: IpAddress | undefined): void {
    this.host?.leave(group, on === ANY4 ? undefined : on);
  }

  close(): void {
    this.host?.close();
    this.host = undefined;
  }

  private received(bytes: Uint8Array, from: HostEndpoint): void {
    const { socket } = this;
    const fromIp = ipFromText(from.address);
    // Our own broadcasts come back from the host; they have been delivered already.
    if (from.port === this.host?.local.port && socket.network.isLocal(fromIp)) return;
    const toIp = socket.network.sourceFor(fromIp) ?? socket.localIp;
    const packet = { bytes, fromIp, fromPort: from.port, toIp };
    const { remote } = socket;
    if (remote !== undefined && (remote.ip !== fromIp || remote.port !== from.port)) return;
    socket.deliver(packet);
    socket.network.notify();
  }
}
