/** connect(2) for TCP: to a socket of the guest that listens, to a program of this machine, or further out. */
import { E } from '../../base/errno.js';
import { BROADCAST4, type IpAddress, isAny, isMulticast, isV4, LOOPBACK4, LOOPBACK6 } from './ipAddress.js';
import { OutsideEnd } from './outsideEnd.js';
import { accepts } from './portTable.js';
import type { InetAddress, SocketAddress } from './socketAddress.js';
import { AF } from './socketConstants.js';
import type { TcpSocket } from './tcpSocket.js';

type FamilyCheck = (address: SocketAddress) => InetAddress | number;

/** -EINPROGRESS if all is well so far: how it goes on is the socket's `connecting`. */
export function startConnecting(socket: TcpSocket, address: SocketAddress, check: FamilyCheck): number {
  if (address.family === 'other' && address.number === AF.UNSPEC) {
    const connected = socket.state === 'connected';
    socket.disconnect();
    if (connected) socket.pendingError = E.CONNRESET;
    return 0;
  }
  if (socket.state !== 'closed' || socket.stage === 'done') return -E.ISCONN;
  const wanted = check(address);
  if (typeof wanted === 'number') return wanted;
  const ip = destination(wanted.ip);
  if (isMulticast(ip) || ip === BROADCAST4 || (socket.ipv6Only && isV4(ip))) return -E.NETUNREACH;
  const source = socket.network.sourceFor(ip);
  if (source === undefined) return -E.NETUNREACH;
  const result = socket.takeSource(source);
  if (result < 0) return result;
  socket.remote = socket.addressOf(ip, wanted.port);
  socket.stage = 'started';
  socket.state = 'connecting';
  socket.receiveShut = socket.sendShut = false;
  reach(socket, ip, wanted.port);
  return -E.INPROGRESS;
}

function destination(ip: IpAddress): IpAddress {
  if (!isAny(ip)) return ip;
  return isV4(ip) ? LOOPBACK4 : LOOPBACK6;
}

function reach(socket: TcpSocket, ip: IpAddress, port: number): void {
  const { network } = socket;
  const listener = findListener(socket, ip, port)?.listener;
  if (listener !== undefined) listener.knock(socket, ip);
  else if (network.isLocal(ip) && !network.outside.isTaken('tcp', ip, port)) socket.fail(E.CONNREFUSED);
  else {
    const end = new OutsideEnd(socket);
    socket.peer = end;
    end.connect({ address: ip, port });
  }
}

/**
 * Who listens: one bound to just this address before one bound to all; several that share a port take turns by the
 * client's port.
 */
function findListener(socket: TcpSocket, ip: IpAddress, port: number): TcpSocket | undefined {
  if (!socket.network.isLocal(ip)) return undefined;
  const found: TcpSocket[] = [];
  for (const holder of socket.network.tcp.holders(port)) {
    if (holder.isListening && accepts(holder, ip)) found.push(holder);
  }
  const exact = found.filter((one) => one.boundIp === ip);
  const sameFamily = found.filter((one) => isV4(one.boundIp) === isV4(ip));
  const candidates = [exact, sameFamily, found].find((group) => group.length > 0) ?? [];
  return candidates[socket.localPort % candidates.length];
}
