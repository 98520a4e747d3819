/**
 * Netlink sockets of protocol ROUTE, as far as programs ask which interfaces and addresses there are (getifaddrs,
 * getaddrinfo). A request is answered at once, into the queue of the socket that sent it.
 */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { Incoming, Outgoing } from './message.js';
import { answerRouteRequest } from './netlinkRoute.js';
import { ReceiveQueue } from './receiveQueue.js';
import { Socket } from './socket.js';
import type { NetlinkAddress, SocketAddress } from './socketAddress.js';
import { AF, MSG, POLL_IN, POLL_OUT } from './socketConstants.js';

const KERNEL: NetlinkAddress = { family: AF.NETLINK, port: 0, groups: 0 };

export class NetlinkSocket extends Socket {
  private readonly inbox = new ReceiveQueue(this.network.budget);
  private port = 0;
  private groups = 0;

  override get keepsMessages(): boolean {
    return true;
  }

  override name(): NetlinkAddress {
    return { family: AF.NETLINK, port: this.port, groups: this.groups };
  }

  override peerName(): SocketAddress {
    return KERNEL;
  }

  override bind(p: Process, address: SocketAddress): number {
    if (address.family !== AF.NETLINK) return -E.INVAL;
    if (this.port !== 0 && address.port !== this.port && address.port !== 0) return -E.INVAL;
    this.groups = address.groups;
    if (this.port === 0) this.port = address.port === 0 ? this.network.takeNetlinkPort(p.pid) : address.port;
    return 0;
  }

  override connect(p: Process, address: SocketAddress): number {
    if (address.family === 'other') return address.number === AF.UNSPEC ? 0 : -E.INVAL;
    if (address.family !== AF.NETLINK) return -E.INVAL;
    if (this.port === 0) this.port = this.network.takeNetlinkPort(p.pid);
    return 0;
  }

  override send({ bytes, to, credentials }: Outgoing): number {
    if (to !== undefined && (to.family !== AF.NETLINK || to.port !== 0)) return to.family === AF.NETLINK ? -E.CONNREFUSED : -E.INVAL;
    if (this.port === 0) this.port = this.network.takeNetlinkPort(credentials.pid);
    for (const answer of answerRouteRequest(bytes, this.port, this.network.outside.interfaces())) {
      this.inbox.add({ bytes: answer, from: KERNEL });
    }
    this.wake(POLL_IN);
    return bytes.length;
  }

  /** A message from the kernel that no call here asked for (mq_notify). */
  deliver(bytes: Uint8Array): void {
    this.inbox.add({ bytes, from: KERNEL });
    this.wake(POLL_IN);
  }

  override receive(target: Uint8Array, flags: number): Incoming | number {
    return this.inbox.takeMessage(target, (flags & MSG.PEEK) !== 0) ?? -E.AGAIN;
  }

  override poll(): number {
    return this.inbox.isEmpty ? POLL_OUT : POLL_OUT | POLL_IN;
  }

  override available(): number {
    return this.inbox.firstLength;
  }

  protected override close(): number {
    this.network.dropNetlinkPort(this.port);
    return 0;
  }
}
