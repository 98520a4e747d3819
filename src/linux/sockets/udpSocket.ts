/**
 * UDP. Datagrams to addresses of this machine go straight into the queues of the guest's sockets that are
 * bound there; what no socket of the guest takes, and everything further out, goes through the host (udpOutside.ts).
 */
import { E } from '../../base/errno.js';
import { POLL } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { datagramCost } from './bufferCosts.js';
import { IP } from './inetOptions.js';
import { InetSocket } from './inetSocket.js';
import { BROADCAST4, type IpAddress, isLoopback, isMulticast, isV4 } from './ipAddress.js';
import { type Incoming, type Outgoing, plainIncoming } from './message.js';
import { accepts, type PortTable } from './portTable.js';
import { ReceiveQueue } from './receiveQueue.js';
import type { InetAddress, SocketAddress } from './socketAddress.js';
import { AF, IPPROTO, LARGEST_DATAGRAM, MSG, POLL_IN, POLL_OUT, SO } from './socketConstants.js';
import { UdpOutside } from './udpOutside.js';

/** A datagram on its way. */
interface Packet {
  readonly bytes: Uint8Array;
  readonly fromIp: IpAddress;
  readonly fromPort: number;
  readonly toIp: IpAddress;
}

/** Datagrams lie in memory with their IP and UDP headers. */
const HEADERS = 64;

export class UdpSocket extends InetSocket {
  private readonly inbox = new ReceiveQueue(this.network.budget);
  private inboxCost = 0;
  private readonly groups = new Set<IpAddress>();
  private readonly outside = new UdpOutside(this);

  protected override get ports(): PortTable<UdpSocket> {
    return this.network.udp;
  }

  override get keepsMessages(): boolean {
    return true;
  }

  override get isExternal(): boolean {
    return this.outside.isOpen;
  }

  override bind(p: Process, address: SocketAddress): number {
    const result = super.bind(p, address);
    if (result < 0 || !this.portChosen) return result;
    const opened = this.outside.openAt(this.localPort);
    if (opened === 0 || this.reusePort || this.reuseAddress) return 0;
    this.dropPort();
    return opened;
  }

  override connect(_p: Process, address: SocketAddress): number {
    if (address.family === 'other' && address.number === AF.UNSPEC) return this.disconnect();
    const wanted = this.acceptable(address);
    if (typeof wanted === 'number') return wanted;
    const ip = this.destination(wanted.ip);
    if (ip === BROADCAST4 && !this.options.flag(SO.BROADCAST)) return -E.ACCES;
    const source = this.network.sourceFor(ip);
    if (source === undefined || (this.ipv6Only && isV4(ip))) return -E.NETUNREACH;
    const bound = this.ensurePort();
    if (bound < 0) return bound;
    if (this.boundIp === this.anyIp) this.localIp = source;
    this.remote = this.addressOf(ip, wanted.port);
    return 0;
  }

  override send(message: Outgoing): number {
    if ((message.flags & MSG.OOB) !== 0) return -E.OPNOTSUPP;
    if (message.bytes.length > LARGEST_DATAGRAM) return -E.MSGSIZE;
    const to = this.target(message.to);
    if (typeof to === 'number') return to;
    if (this.pendingError !== 0) return -this.takeError();
    if (this.sendShut) return -E.PIPE;
    const bound = this.ensurePort();
    if (bound < 0) return bound;
    return this.route(message.bytes, this.destination(to.ip), to.port);
  }

  override receive(target: Uint8Array, flags: number): Incoming | number {
    if ((flags & MSG.ERRQUEUE) !== 0) return -E.AGAIN;
    const message = this.inbox.takeMessage(target, (flags & MSG.PEEK) !== 0);
    if (message !== undefined) return message;
    if (this.pendingError !== 0) return -this.takeError();
    return this.receiveShut && (flags & MSG.DONTWAIT) === 0 && !this.nonBlocking ? plainIncoming(0) : -E.AGAIN;
  }

  override shutdown(how: number): number {
    super.shutdown(how);
    this.wake(0);
    return this.remote === undefined ? -E.NOTCONN : 0;
  }

  override poll(): number {
    let events = POLL_OUT | (this.pendingError === 0 ? 0 : POLL.ERR);
    if (this.receiveShut) events |= POLL_IN | POLL.RDHUP | (this.sendShut ? POLL.HUP : 0);
    return this.inbox.isEmpty ? events : events | POLL_IN;
  }

  override available(): number {
    return this.inbox.firstLength;
  }

  /** IP_ADD_MEMBERSHIP and its kin. `on` is the address of an interface, if one was named. */
  join(group: IpAddress, on: IpAddress | undefined): number {
    if (!isMulticast(group)) return -E.INVAL;
    if (this.groups.has(group)) return -E.ADDRINUSE;
    this.groups.add(group);
    this.outside.join(group, on);
    return 0;
  }

  leaveGroup(group: IpAddress, on: IpAddress | undefined): number {
    if (!this.groups.delete(group)) return -E.ADDRNOTAVAIL;
    this.outside.leave(group, on);
    return 0;
  }

  get memberships(): Iterable<IpAddress> {
    return this.groups;
  }

  /** Whether a packet is for this socket, and how well it fits: the best one gets it. */
  fit(packet: Packet): number {
    const { remote } = this;
    if (!this.hears(packet.toIp)) return 0;
    if (remote === undefined) return 1 + Number(this.boundIp === packet.toIp);
    return remote.port === packet.fromPort && remote.ip === packet.fromIp ? 4 : 0;
  }

  /** A packet for this socket. What does not fit into its queue is lost. */
  deliver(packet: Packet): void {
    const cost = datagramCost(packet.bytes.length + HEADERS);
    if (this.receiveShut || this.inboxCost + cost > this.options.receiveBuffer) return;
    this.inboxCost += cost;
    this.inbox.add({
      bytes: packet.bytes,
      from: this.addressOf(packet.fromIp, packet.fromPort),
      to: this.addressOf(packet.toIp, this.localPort),
      onGone: () => {
        this.inboxCost -= cost;
      },
    });
    this.wake(POLL_IN);
  }

  /** No receiver was there. Only a connected socket hears of it. */
  unreachable(): void {
    if (this.remote === undefined) return;
    this.pendingError = E.CONNREFUSED;
    this.wake(POLL.ERR);
  }

  protected override close(): number {
    this.outside.close();
    if (this.localPort !== 0) this.dropPort();
    this.inbox.clear();
    return 0;
  }

  private hears(ip: IpAddress): boolean {
    if (isMulticast(ip)) return this.groups.has(ip) && (accepts(this, ip) || this.boundIp === ip);
    return accepts(this, ip) || (ip === BROADCAST4 && this.boundIp === this.anyIp);
  }

  private disconnect(): number {
    this.remote = undefined;
    this.localIp = this.boundIp;
    if (!this.portBound && this.localPort !== 0) this.dropPort();
    return 0;
  }

  private ensurePort(): number {
    return this.localPort === 0 ? Math.min(0, this.takePort(0)) : 0;
  }

  /** A destination: sockets of IPv6 take those of IPv4 as well. */
  private acceptable(address: SocketAddress): InetAddress | number {
    return address.family === AF.INET && this.kind.family === AF.INET6 ? address : this.ownFamily(address, false);
  }

  private target(to: SocketAddress | undefined): InetAddress | number {
    if (to === undefined || (to.family === 'other' && to.number === AF.UNSPEC)) return this.remote ?? -E.DESTADDRREQ;
    const wanted = this.acceptable(to);
    if (typeof wanted === 'number') return wanted;
    if (wanted.port === 0) return -E.INVAL;
    return this.ipv6Only && isV4(wanted.ip) ? -E.NETUNREACH : wanted;
  }

  private route(bytes: Uint8Array, toIp: IpAddress, port: number): number {
    const source = this.network.sourceFor(toIp);
    const fromIp = this.boundIp === this.anyIp ? source : this.localIp;
    if (fromIp === undefined) return -E.NETUNREACH;
    const packet = { bytes, fromIp, fromPort: this.localPort, toIp };
    if (isMulticast(toIp)) return this.sendToAll(packet, port, this.hearsItself);
    if (toIp === BROADCAST4) return this.options.flag(SO.BROADCAST) ? this.sendToAll(packet, port, true) : -E.ACCES;
    const receiver = this.network.isLocal(toIp) ? this.bestReceiver(packet, port) : undefined;
    if (receiver !== undefined) receiver.deliver(packet);
    else if (this.network.isLocal(toIp) && !this.network.outside.isTaken('udp', toIp, port)) this.unreachable();
    else return this.outside.send(bytes, toIp, port);
    return bytes.length;
  }

  /** What is sent to a group comes back unless that is switched off; on the loopback interface it always does. */
  private get hearsItself(): boolean {
    return isLoopback(this.multicastInterface) || this.inet.flag(IPPROTO.IP, IP.MULTICAST_LOOP);
  }

  private bestReceiver(packet: Packet, port: number): UdpSocket | undefined {
    let [best, fit]: [UdpSocket | undefined, number] = [undefined, 0];
    for (const holder of this.network.udp.holders(port)) {
      const found = holder.fit(packet);
      // Of those that share an address, the last one that was bound gets it.
      if (found >= fit && found > 0) [best, fit] = [holder, found];
    }
    return best;
  }

  private sendToAll(packet: Packet, port: number, here: boolean): number {
    if (here) {
      for (const holder of [...this.network.udp.holders(port)]) {
        if (holder.fit(packet) > 0) holder.deliver(packet);
      }
    }
    this.outside.send(packet.bytes, packet.toIp, port);
    return packet.bytes.length;
  }
}
