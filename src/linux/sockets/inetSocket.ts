/** What TCP and UDP sockets have in common: addresses, ports, and the options of their levels. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { InetOptions } from './inetOptions.js';
import { ANY4, ANY6, type IpAddress, isAny, isMulticast, isV4, LOOPBACK4, LOOPBACK6 } from './ipAddress.js';
import type { PeerCredentials } from './message.js';
import type { Network } from './network.js';
import type { PortHolder, PortTable } from './portTable.js';
import { Socket, type SocketKind } from './socket.js';
import { addressLength, type InetAddress, type SocketAddress } from './socketAddress.js';
import { AF, IPPROTO, SO } from './socketConstants.js';

export abstract class InetSocket extends Socket implements PortHolder {
  readonly inet: InetOptions;
  /** What bind(2) said, or the any-address. */
  boundIp: IpAddress;
  /** The address packets come from: that of a connection, otherwise `boundIp`. */
  localIp: IpAddress;
  localPort = 0;
  remote: InetAddress | undefined;
  /** IP_MULTICAST_IF. */
  multicastInterface: IpAddress = ANY4;
  /** Whether the port was asked for by number. */
  protected portChosen = false;
  /** Whether bind(2) gave the port: then it is kept when a connection is undone. */
  protected portBound = false;

  constructor(network: Network, kind: SocketKind, creator: PeerCredentials, flags = 0) {
    super(network, kind, creator, flags);
    this.inet = new InetOptions(kind, network.settings);
    this.boundIp = this.anyIp;
    this.localIp = this.boundIp;
  }

  protected abstract get ports(): PortTable<InetSocket>;

  get reuseAddress(): boolean {
    return this.options.flag(SO.REUSEADDR);
  }

  get reusePort(): boolean {
    return this.options.flag(SO.REUSEPORT);
  }

  get ownerUid(): number {
    return this.creator.uid;
  }

  get ipv6Only(): boolean {
    return this.kind.family === AF.INET6 && this.inet.ipv6Only;
  }

  override name(): SocketAddress {
    return this.addressOf(this.localIp, this.localPort);
  }

  override peerName(): SocketAddress | number {
    return this.remote ?? -E.NOTCONN;
  }

  /** As a structure of our own family. */
  addressOf(ip: IpAddress, port: number): InetAddress {
    return { family: this.kind.family === AF.INET ? AF.INET : AF.INET6, ip, port };
  }

  override bind(p: Process, address: SocketAddress): number {
    const wanted = this.ownFamily(address, true);
    if (typeof wanted === 'number') return wanted;
    const { ip, port } = wanted;
    if (this.ipv6Only && isV4(ip)) return -E.INVAL;
    if (!isMulticast(ip) && !this.network.isLocal(ip) && !this.inet.mayBindAnywhere && ip !== '255.255.255.255') return -E.ADDRNOTAVAIL;
    if (port > 0 && port < this.network.settings.firstUnprivilegedPort && !p.credentials.privileged) return -E.ACCES;
    if (this.localPort !== 0 || !this.mayBind) return -E.INVAL;
    this.boundIp = ip;
    const result = this.takePort(port);
    if (result < 0) this.boundIp = this.anyIp;
    else [this.portBound, this.portChosen] = [true, port !== 0];
    this.localIp = this.boundIp;
    return Math.min(result, 0);
  }

  /** Takes a port, any free one for 0. */
  protected takePort(port: number): number {
    const chosen = port === 0 ? this.ports.findFree() : port;
    if (chosen < 0) return chosen;
    if (port !== 0 && this.ports.conflicts(this, port, this.sharing)) return -E.ADDRINUSE;
    if (port !== 0 && !this.reusePort && this.takenOutside(port)) return -E.ADDRINUSE;
    this.ports.add(this, chosen);
    this.localPort = chosen;
    return chosen;
  }

  protected dropPort(): void {
    this.ports.remove(this, this.localPort);
    this.localPort = 0;
    this.boundIp = this.anyIp;
    this.localIp = this.boundIp;
  }

  /** The address in our own family; a number if it is of another, or one that we do not talk to. */
  protected ownFamily(address: SocketAddress, forBinding: boolean): InetAddress | number {
    if (address.family === this.kind.family) return address as InetAddress;
    const unspecified = address.family === 'other' && address.number === AF.UNSPEC;
    // Old programs bind to an address without a family, which is taken for the any-address.
    if (unspecified && forBinding && this.kind.family === AF.INET) return this.addressOf(ANY4, 0);
    return addressLength(address) < (this.kind.family === AF.INET ? 16 : 24) ? -E.INVAL : -E.AFNOSUPPORT;
  }

  /** The any-address as a destination is this machine. */
  protected destination(ip: IpAddress): IpAddress {
    if (!isAny(ip)) return ip;
    return isV4(ip) ? LOOPBACK4 : LOOPBACK6;
  }

  protected get anyIp(): IpAddress {
    return this.kind.family === AF.INET ? ANY4 : ANY6;
  }

  protected get sharing(): 'tcp' | 'udp' {
    return this.kind.protocol === IPPROTO.TCP ? 'tcp' : 'udp';
  }

  protected get mayBind(): boolean {
    return true;
  }

  private takenOutside(port: number): boolean {
    for (const holder of this.ports.holders(port)) if (holder !== this) return false;
    return this.network.outside.isTaken(this.sharing, this.boundIp, port);
  }
}
