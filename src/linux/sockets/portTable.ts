/** Who has which port of TCP or of UDP, and who may have it beside others. */
import { E } from '../../base/errno.js';
import { ANY4, ANY6, type IpAddress, isV4 } from './ipAddress.js';
import type { NetworkSettings } from './networkSettings.js';

/** What the table wants to know of a socket that has, or wants, a port. */
export interface PortHolder {
  /** The address it is bound to; the any-address of IPv6 stands for IPv4 as well unless `ipv6Only`. */
  readonly boundIp: IpAddress;
  readonly ipv6Only: boolean;
  readonly reuseAddress: boolean;
  readonly reusePort: boolean;
  /** Only sockets of the same user share a port by SO_REUSEPORT. */
  readonly ownerUid: number;
  readonly isListening: boolean;
}

export function accepts(holder: PortHolder, ip: IpAddress): boolean {
  if (holder.boundIp === ANY6) return !holder.ipv6Only || !isV4(ip);
  if (holder.boundIp === ANY4) return isV4(ip);
  return holder.boundIp === ip;
}

function overlap(a: PortHolder, b: PortHolder): boolean {
  return accepts(a, b.boundIp) || accepts(b, a.boundIp);
}

export class PortTable<T extends PortHolder> {
  private readonly ports = new Map<number, Set<T>>();
  /** How many have been given out in turn. */
  next = 0;

  constructor(private readonly settings: () => NetworkSettings) {}

  holders(port: number): Iterable<T> {
    return this.ports.get(port) ?? [];
  }

  /** Whether another holder is in the way of this one. */
  conflicts(holder: T, port: number, sharing: 'tcp' | 'udp'): boolean {
    for (const other of this.holders(port)) {
      if (other === holder || !overlap(holder, other)) continue;
      if (holder.reusePort && other.reusePort && holder.ownerUid === other.ownerUid) continue;
      if (holder.reuseAddress && other.reuseAddress && (sharing === 'udp' || !other.isListening)) continue;
      return true;
    }
    return false;
  }

  add(holder: T, port: number): void {
    const holders = this.ports.get(port) ?? new Set<T>();
    this.ports.set(port, holders.add(holder));
  }

  remove(holder: T, port: number): void {
    const holders = this.ports.get(port);
    if (holders?.delete(holder) === true && holders.size === 0) this.ports.delete(port);
  }

  /**
   * A port that no socket has: the next one in turn, so that the same run gets the same ports. -EADDRNOTAVAIL if none
   * is left.
   */
  findFree(): number {
    const { firstEphemeralPort: first, lastEphemeralPort: last } = this.settings();
    const count = last - first + 1;
    for (let i = 0; i < count; i++) {
      const port = first + (this.next++ % count);
      if (!this.ports.has(port)) return port;
    }
    return -E.ADDRNOTAVAIL;
  }
}
