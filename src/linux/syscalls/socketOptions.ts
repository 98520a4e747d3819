/** setsockopt and getsockopt. Plain numbers are looked up in the socket's tables; structures are taken apart here. */
import { E } from '../../base/errno.js';
import { bytePath, bytePathFromBytes, bytesOfBytePath } from '../../base/bytePath.js';
import type { Process } from '../process.js';
import { IP, IPV6, TCP } from '../sockets/inetOptions.js';
import { InetSocket } from '../sockets/inetSocket.js';
import { bytesOfIp, type IpAddress, ipFromBytes } from '../sockets/ipAddress.js';
import { NO_CREDENTIALS } from '../sockets/message.js';
import type { Socket } from '../sockets/socket.js';
import { addressBytes } from '../sockets/socketAddress.js';
import { AF, IPPROTO, SO, SOCK, SOL_SOCKET } from '../sockets/socketConstants.js';
import { tcpInfo } from '../sockets/tcpInfo.js';
import { TcpSocket } from '../sockets/tcpSocket.js';
import { UdpSocket } from '../sockets/udpSocket.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { onForeign } from './inheritedSockets.js';
import { onSocket } from './socketAccess.js';

const SECOND = 1e9;
const TIMEVAL_SIZE = 16;
const LARGEST_OPTION = 4096;
const CONGESTION_NAME = 16;

function ints(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, i) => view.setInt32(i * 4, value, true));
  return new Uint8Array(view.buffer);
}

function timeValue(nanoseconds: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(TIMEVAL_SIZE));
  const whole = nanoseconds === Infinity ? 0 : nanoseconds;
  view.setBigInt64(0, BigInt(Math.floor(whole / SECOND)), true);
  view.setBigInt64(8, BigInt(Math.floor((whole % SECOND) / 1000)), true);
  return new Uint8Array(view.buffer);
}

/** The value of an option of level SOL_SOCKET: its bytes, or an error. */
function socketOption(socket: Socket, option: number): Uint8Array | number {
  const { kind, options } = socket;
  switch (option) {
    case SO.TYPE:
      return ints(kind.type);
    case SO.DOMAIN:
      return ints(kind.family);
    case SO.PROTOCOL:
      return ints(kind.protocol);
    case SO.ERROR:
      return ints(socket.takeError());
    case SO.ACCEPTCONN:
      return ints(Number(socket.isListening));
    case SO.LINGER:
      return ints(Number(options.linger.on), options.linger.seconds);
    case SO.RCVTIMEO:
    case SO.RCVTIMEO_NEW:
      return timeValue(options.timeouts.receive);
    case SO.SNDTIMEO:
    case SO.SNDTIMEO_NEW:
      return timeValue(options.timeouts.send);
    case SO.PEERCRED: {
      const { pid, uid, gid } = socket.peerCredentials ?? { ...NO_CREDENTIALS, uid: -1, gid: -1 };
      return ints(pid, uid, gid);
    }
    case SO.PEERNAME: {
      const peer = socket.peerName();
      return typeof peer === 'number' ? peer : addressBytes(peer);
    }
    case SO.PEERGROUPS:
      return socket.peerCredentials === undefined ? -E.NODATA : new Uint8Array(0);
    case SO.BINDTODEVICE:
    case SO.ATTACH_FILTER:
      return new Uint8Array(0);
    case SO.TIMESTAMPING:
    case SO.TIMESTAMPING_NEW:
    case SO.TXTIME:
      return ints(0, 0);
    case SO.MAX_PACING_RATE:
      return ints(-1, -1);
    case SO.COOKIE:
      return ints(Number(socket.inode), 0);
    case SO.MEMINFO:
      return ints(0, options.receiveBuffer, socket.unsent(), options.sendBuffer, 0, 0, 0, 0, 0);
    default: {
      const value = options.number(option);
      if (value === undefined) return -E.NOPROTOOPT;
      return value === -E.OPNOTSUPP ? value : ints(value);
    }
  }
}

function inetOption(socket: InetSocket, level: number, option: number): Uint8Array | number {
  if (level === IPPROTO.TCP && socket instanceof TcpSocket) {
    if (option === TCP.INFO) return tcpInfo(socket);
    if (option === TCP.CONGESTION) return bytesOfBytePath(socket.inet.congestionControl.padEnd(CONGESTION_NAME, '\0'));
    if (option === TCP.MAXSEG && socket.state === 'connected') return ints(socket.segmentSize);
  }
  if (level === IPPROTO.IP && (option === IP.OPTIONS || (option === IP.PKTOPTIONS && socket instanceof TcpSocket))) return new Uint8Array(0);
  if (level === IPPROTO.IP && option === IP.MULTICAST_IF) return bytesOfIp(socket.multicastInterface);
  const value = socket.inet.get(level, option, socket.remote !== undefined);
  if (value === undefined) return socket.inet.hasLevel(level) || socket.kind.family === AF.INET6 ? -E.NOPROTOOPT : -E.OPNOTSUPP;
  return value === -E.NOTCONN ? value : ints(value);
}

function optionBytes(socket: Socket, level: number, option: number): Uint8Array | number {
  if (level === SOL_SOCKET) return socketOption(socket, option);
  if (socket instanceof InetSocket) return inetOption(socket, level, option);
  return socket.kind.family === AF.UNIX ? -E.OPNOTSUPP : -E.NOPROTOOPT;
}

function getOption(p: Process, a: SyscallArgs, socket: Socket): number {
  const [level, option, at, lengthAt] = [a.int(1), a.int(2), a.addr(3), a.addr(4)];
  const room = p.space.readI32(lengthAt);
  if (room < 0) return -E.INVAL;
  const bytes = optionBytes(socket, level, option);
  if (typeof bytes === 'number') return bytes;
  if (option === SO.PEERNAME && level === SOL_SOCKET && room > bytes.length) return -E.INVAL;
  // Options of the IP levels that are small numbers fit into a byte, for programs that ask for one.
  const byteOnly = room > 0 && room < 4 && level === IPPROTO.IP && bytes.length === 4;
  const stored = bytes.subarray(0, byteOnly ? 1 : Math.min(room, bytes.length));
  p.space.write(at, stored);
  p.space.writeU32(lengthAt, stored.length);
  return 0;
}

function setTime(socket: Socket, value: Uint8Array, direction: 'receive' | 'send'): number {
  if (value.length < TIMEVAL_SIZE) return -E.INVAL;
  const view = new DataView(value.buffer, value.byteOffset);
  const [seconds, micros] = [Number(view.getBigInt64(0, true)), Number(view.getBigInt64(8, true))];
  if (micros < 0 || micros >= 1e6) return -E.DOM;
  const none = seconds === 0 && micros === 0;
  socket.options.timeouts[direction] = seconds < 0 ? 0 : none ? Infinity : seconds * SECOND + micros * 1000;
  return 0;
}

function setSocketOption(p: Process, socket: Socket, option: number, value: Uint8Array): number {
  if (option === SO.BINDTODEVICE) return bindToDevice(socket, value);
  if (option === SO.ATTACH_FILTER) return value.length < 16 ? -E.INVAL : 0;
  if (value.length < 4) return -E.INVAL;
  const view = new DataView(value.buffer, value.byteOffset);
  switch (option) {
    case SO.LINGER:
      if (value.length < 8) return -E.INVAL;
      socket.options.linger = { on: view.getInt32(0, true) !== 0, seconds: view.getInt32(4, true) };
      return 0;
    case SO.RCVTIMEO:
    case SO.RCVTIMEO_NEW:
      return setTime(socket, value, 'receive');
    case SO.SNDTIMEO:
    case SO.SNDTIMEO_NEW:
      return setTime(socket, value, 'send');
    case SO.DETACH_FILTER:
      return -E.NOENT;
    case SO.TIMESTAMPING:
    case SO.TIMESTAMPING_NEW:
    case SO.MAX_PACING_RATE:
      return 0;
    default:
      return socket.options.setNumber(option, view.getInt32(0, true), p.credentials.privileged) ?? -E.NOPROTOOPT;
  }
}

function bindToDevice(socket: Socket, value: Uint8Array): number {
  const name = bytePath(bytePathFromBytes(value).split('\0')[0] ?? '');
  return name === '' || socket.network.outside.interfaces().some((one) => one.name === name) ? 0 : -E.NODEV;
}

/** struct ip_mreq, ip_mreqn or ipv6_mreq: a group and the interface to listen on. */
function membership(level: number, value: Uint8Array): { group: IpAddress; on: IpAddress | undefined } | number {
  if (level === IPPROTO.IPV6) return value.length < 20 ? -E.INVAL : { group: ipFromBytes(value.subarray(0, 16)), on: undefined };
  return value.length < 8 ? -E.INVAL : { group: ipFromBytes(value.subarray(0, 4)), on: ipFromBytes(value.subarray(4, 8)) };
}

function setMembership(socket: InetSocket, level: number, option: number, value: Uint8Array): number | undefined {
  const adding = level === IPPROTO.IP ? IP.ADD_MEMBERSHIP : IPV6.ADD_MEMBERSHIP;
  const dropping = level === IPPROTO.IP ? IP.DROP_MEMBERSHIP : IPV6.DROP_MEMBERSHIP;
  if (option !== adding && option !== dropping) return undefined;
  const wanted = membership(level, value);
  if (typeof wanted === 'number') return wanted;
  if (!(socket instanceof UdpSocket)) return -E.PROTO;
  return option === adding ? socket.join(wanted.group, wanted.on) : socket.leaveGroup(wanted.group, wanted.on);
}

function setInetOption(socket: InetSocket, level: number, option: number, value: Uint8Array): number {
  if (level === IPPROTO.IP || level === IPPROTO.IPV6) {
    const result = setMembership(socket, level, option, value);
    if (result !== undefined) return result;
    if (level === IPPROTO.IP && option === IP.MULTICAST_IF) return setMulticastInterface(socket, value);
    if (level === IPPROTO.IP && option === IP.OPTIONS) return 0;
  }
  if (level === IPPROTO.TCP && option === TCP.CONGESTION && socket instanceof TcpSocket) return setCongestion(socket, value);
  if (level === IPPROTO.IPV6 && option === IPV6.V6ONLY && socket.localPort !== 0) return -E.INVAL;
  // A single byte will do for IPPROTO_IP.
  if (value.length < 4 && (level !== IPPROTO.IP || value.length === 0)) return -E.INVAL;
  const number = value.length < 4 ? (value[0] as number) : new DataView(value.buffer, value.byteOffset).getInt32(0, true);
  return socket.inet.set(level, option, number);
}

/** struct in_addr, or ip_mreqn with the address in its second word. */
function setMulticastInterface(socket: InetSocket, value: Uint8Array): number {
  if (value.length < 4) return -E.INVAL;
  const at = value.length >= 8 ? 4 : 0;
  const ip = ipFromBytes(value.subarray(at, at + 4));
  if (!socket.network.isLocal(ip)) return -E.ADDRNOTAVAIL;
  socket.multicastInterface = ip;
  return 0;
}

function setCongestion(socket: TcpSocket, value: Uint8Array): number {
  const name = bytePathFromBytes(value.subarray(0, CONGESTION_NAME - 1)).split('\0')[0] ?? '';
  if (!['cubic', 'reno', 'bbr', socket.network.settings.congestionControl].includes(name)) return -E.NOENT;
  socket.inet.congestionControl = name;
  return 0;
}

function setOption(p: Process, a: SyscallArgs, socket: Socket): number {
  const [level, option, at, length] = [a.int(1), a.int(2), a.addr(3), a.int(4)];
  if (length < 0) return -E.INVAL;
  const value = p.space.read(at, Math.min(length, LARGEST_OPTION));
  if (level === SOL_SOCKET) return setSocketOption(p, socket, option, value);
  if (socket instanceof InetSocket) return setInetOption(socket, level, option, value);
  if (socket.kind.family === AF.NETLINK) return 0;
  return socket.kind.type === SOCK.DGRAM || socket.kind.family === AF.UNIX ? -E.OPNOTSUPP : -E.NOPROTOOPT;
}

export const socketOptionCalls: SyscallFamily = {
  setsockopt: onSocket(setOption, () => 0),
  getsockopt: onSocket(getOption, onForeign.getOption),
};
