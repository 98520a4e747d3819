/**
 * The network of one guest world: who has which port and which name, what the outside looks like. All
 * processes of a run share it; between them nothing leaves it.
 */
import type { Budget } from '../../base/budget.js';
import type { Host, HostNetwork } from '../../host/host.js';
import type { Process } from '../process.js';
import { type IpAddress, ipFromText, isAny, isLoopback, isV4, LOOPBACK4, LOOPBACK6 } from './ipAddress.js';
import type { PeerCredentials } from './message.js';
import { type NetworkSettings, readNetworkSettings } from './networkSettings.js';
import { PortTable } from './portTable.js';
import type { TcpSocket } from './tcpSocket.js';
import type { UdpSocket } from './udpSocket.js';
import { UnixNames } from './unixSocket.js';

/** From here downwards, where several sockets of a process have to share its number. */
const LAST_NETLINK_PORT = 0xffff_f000;

export class Network {
  readonly unix = new UnixNames();
  readonly tcp: PortTable<TcpSocket>;
  readonly udp: PortTable<UdpSocket>;
  private readonly known: { settings?: NetworkSettings; addresses?: ReadonlySet<string> } = {};
  private readonly netlinkPorts = new Set<number>();

  constructor(
    private readonly host: Host,
    /** To be called when something has come in from outside. */
    readonly notify: () => void,
    readonly takeInode: () => bigint,
    /** What all that was sent and not read may take. */
    readonly budget: Budget,
  ) {
    this.tcp = new PortTable(() => this.settings);
    this.udp = new PortTable(() => this.settings);
  }

  /** The way out. */
  get outside(): HostNetwork {
    return this.host.network;
  }

  /** Read when first needed: most programs have no sockets. */
  get settings(): NetworkSettings {
    this.known.settings ??= readNetworkSettings(this.host.files);
    return this.known.settings;
  }

  /** A number for a netlink socket that did not choose one. */
  takeNetlinkPort(preferred: number): number {
    let port = preferred;
    while (this.netlinkPorts.has(port)) port = port === preferred ? LAST_NETLINK_PORT : port - 1;
    this.netlinkPorts.add(port);
    return port;
  }

  dropNetlinkPort(port: number): void {
    this.netlinkPorts.delete(port);
  }

  /** Whether packets to `ip` stay on this machine. */
  isLocal(ip: IpAddress): boolean {
    return isLoopback(ip) || isAny(ip) || this.addresses.has(ip);
  }

  /** The address from which a socket talks to `ip`; undefined if there is no way there. */
  sourceFor(ip: IpAddress): IpAddress | undefined {
    if (isLoopback(ip)) return isV4(ip) ? LOOPBACK4 : LOOPBACK6;
    if (this.addresses.has(ip)) return ip;
    const family = isV4(ip) ? 4 : 6;
    const candidates = this.outside.interfaces().flatMap((one) => one.addresses)
      .filter((one) => one.family === family && !isLoopback(ipFromText(one.address)));
    const best = candidates.find((one) => !one.address.startsWith('fe80')) ?? candidates[0];
    return best === undefined ? undefined : ipFromText(best.address);
  }

  /** Number of the interface that has an address; that of the loopback if none has. */
  interfaceOf(ip: IpAddress): number {
    const found = this.outside.interfaces().find((one) => one.addresses.some(({ address }) => ipFromText(address) === ip));
    return found?.index ?? 1;
  }

  private get addresses(): ReadonlySet<string> {
    this.known.addresses ??= new Set(
      this.outside.interfaces().flatMap((one) => one.addresses.map(({ address }) => ipFromText(address))),
    );
    return this.known.addresses;
  }
}

/** A process as others see it through a socket. */
export function credentialsOf(p: Process): PeerCredentials {
  const { user, group } = p.credentials;
  return { pid: p.pid, uid: user.effective, gid: group.effective };
}
