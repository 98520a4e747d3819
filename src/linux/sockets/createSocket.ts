/** socket(2) and socketpair(2): which combinations of family, type and protocol there are. */
import { E } from '../../base/errno.js';
import type { PeerCredentials } from './message.js';
import type { Network } from './network.js';
import { NetlinkSocket } from './netlinkSocket.js';
import type { Socket, SocketKind } from './socket.js';
import { AF, IPPROTO, SOCK } from './socketConstants.js';
import { TcpSocket } from './tcpSocket.js';
import { UdpSocket } from './udpSocket.js';
import { UnixConnection } from './unixConnection.js';
import { UnixDatagram } from './unixDatagram.js';

const FAMILIES = 46;
const TYPES = 11;

export function createSocket(network: Network, wanted: SocketKind, creator: PeerCredentials, flags: number): Socket | number {
  const kind = resolve(wanted);
  if (typeof kind === 'number') return kind;
  switch (kind.family) {
    case AF.UNIX:
      return kind.type === SOCK.DGRAM ? new UnixDatagram(network, kind, creator, flags) : new UnixConnection(network, kind, creator, flags);
    case AF.NETLINK:
      return new NetlinkSocket(network, kind, creator, flags);
    default:
      return kind.type === SOCK.STREAM ? new TcpSocket(network, kind, creator, flags) : new UdpSocket(network, kind, creator, flags);
  }
}

export function createPair(network: Network, wanted: SocketKind, creator: PeerCredentials, flags: number): readonly [Socket, Socket] | number {
  const kind = resolve(wanted);
  if (typeof kind === 'number') return kind;
  if (kind.family !== AF.UNIX) return -E.OPNOTSUPP;
  return kind.type === SOCK.DGRAM ? UnixDatagram.pair(network, kind, creator, flags) : UnixConnection.pair(network, kind, creator, flags);
}

/** With the protocol that 0 stands for. */
function resolve({ family, type, protocol }: SocketKind): SocketKind | number {
  if (family < 0 || family >= FAMILIES) return -E.AFNOSUPPORT;
  if (type >= TYPES) return -E.INVAL;
  switch (family) {
    case AF.UNIX:
      return resolveUnix(type, protocol);
    case AF.INET:
    case AF.INET6:
      return resolveInet(family, type, protocol);
    case AF.NETLINK:
      if (type !== SOCK.RAW && type !== SOCK.DGRAM) return -E.SOCKTNOSUPPORT;
      return protocol === 0 ? { family, type, protocol } : -E.PROTONOSUPPORT;
    default:
      return -E.AFNOSUPPORT;
  }
}

function resolveUnix(type: number, protocol: number): SocketKind | number {
  if (protocol !== 0 && protocol !== AF.UNIX) return -E.PROTONOSUPPORT;
  if (type === SOCK.RAW) return { family: AF.UNIX, type: SOCK.DGRAM, protocol: 0 };
  if (type !== SOCK.STREAM && type !== SOCK.DGRAM && type !== SOCK.SEQPACKET) return -E.SOCKTNOSUPPORT;
  return { family: AF.UNIX, type, protocol: 0 };
}

function resolveInet(family: number, type: number, protocol: number): SocketKind | number {
  if (protocol < 0 || protocol > 262) return -E.INVAL;
  if (type === SOCK.RAW) return protocol === 0 ? -E.PROTONOSUPPORT : -E.PERM;
  const own = type === SOCK.STREAM ? IPPROTO.TCP : IPPROTO.UDP;
  if (type !== SOCK.STREAM && type !== SOCK.DGRAM) return -E.SOCKTNOSUPPORT;
  return protocol === 0 || protocol === own ? { family, type, protocol: own } : -E.PROTONOSUPPORT;
}
