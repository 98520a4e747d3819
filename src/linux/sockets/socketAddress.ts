/** Addresses of sockets, and the sockaddr structures through which the guest names them. */
import { bytePath, bytePathFromBytes, bytesOfBytePath, textOfBytePath, type BytePath } from '../../base/bytePath.js';
import { ANY4, bytes16OfIp, bytesOfIp, ipFromBytes, isV4, type IpAddress } from './ipAddress.js';
import { AF } from './socketConstants.js';

export interface UnixAddress {
  readonly family: typeof AF.UNIX;
  /** A path; with a NUL in front, an abstract name; empty if the socket has no name. */
  readonly name: BytePath;
}

export interface InetAddress {
  /** The family of the structure, not of `ip`: an IPv6 socket may talk to IPv4 addresses. */
  readonly family: typeof AF.INET | typeof AF.INET6;
  readonly ip: IpAddress;
  readonly port: number;
  readonly scope?: number;
}

export interface NetlinkAddress {
  readonly family: typeof AF.NETLINK;
  readonly port: number;
  readonly groups: number;
}

/** A structure of another family, one that is too short, or AF_UNSPEC, which undoes a connection. */
interface OtherAddress {
  readonly family: 'other';
  readonly number: number;
  readonly length: number;
}

export type SocketAddress = UnixAddress | InetAddress | NetlinkAddress | OtherAddress;

export const UNNAMED: UnixAddress = { family: AF.UNIX, name: bytePath('') };
/** sizeof(struct sockaddr_storage): longer ones are refused. */
export const LARGEST_ADDRESS = 128;
const UNIX_PATH_SIZE = 108;
const INET_SIZE = 16;
const INET6_SIZE = 28;
/** Without the scope, which came later. */
const INET6_SMALLEST = 24;
const NETLINK_SIZE = 12;

/** What makes no sense is 'other': whether that matters depends on the socket. */
export function parseAddress(bytes: Uint8Array): SocketAddress {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const number = bytes.length < 2 ? -1 : view.getUint16(0, true);
  return parseKnown(number, bytes, view) ?? { family: 'other', number, length: bytes.length };
}

function parseKnown(family: number, bytes: Uint8Array, view: DataView): SocketAddress | undefined {
  switch (family) {
    case AF.UNIX:
      return parseUnix(bytes);
    case AF.INET:
      if (bytes.length < INET_SIZE) return undefined;
      return { family, port: view.getUint16(2), ip: ipFromBytes(bytes.subarray(4, 8)) };
    case AF.INET6:
      if (bytes.length < INET6_SMALLEST) return undefined;
      return { family, port: view.getUint16(2), ip: ipFromBytes(bytes.subarray(8, 24)), scope: scopeOf(view) };
    case AF.NETLINK:
      if (bytes.length < NETLINK_SIZE) return undefined;
      return { family, port: view.getUint32(4, true), groups: view.getUint32(8, true) };
    default:
      return undefined;
  }
}

function scopeOf(view: DataView): number {
  return view.byteLength >= INET6_SIZE ? view.getUint32(24, true) : 0;
}

/** A path ends at its NUL or with the structure; an abstract name has all the bytes there are. */
function parseUnix(bytes: Uint8Array): UnixAddress | undefined {
  const name = bytes.subarray(2);
  if (name.length > UNIX_PATH_SIZE) return undefined;
  if (name[0] === 0) return { family: AF.UNIX, name: bytePathFromBytes(name) };
  const end = name.indexOf(0);
  return { family: AF.UNIX, name: bytePathFromBytes(end < 0 ? name : name.subarray(0, end)) };
}

/** For people. */
export function describeAddress(address: SocketAddress): string {
  switch (address.family) {
    case AF.UNIX:
      return address.name === '' ? 'unnamed' : textOfBytePath(bytePath(address.name.replace('\0', '@')));
    case AF.INET:
    case AF.INET6:
      return isV4(address.ip) ? `${address.ip}:${address.port}` : `[${address.ip}]:${address.port}`;
    case AF.NETLINK:
      return `netlink ${address.port}`;
    case 'other':
      return `family ${address.number}`;
  }
}

/** Length of the structure that was given. */
export function addressLength(address: SocketAddress): number {
  return address.family === 'other' ? address.length : addressBytes(address).length;
}

export function addressBytes(address: SocketAddress): Uint8Array {
  switch (address.family) {
    case AF.UNIX:
      return unixBytes(address);
    case AF.NETLINK:
      return netlinkBytes(address);
    case AF.INET:
    case AF.INET6:
      return inetBytes(address);
    case 'other':
      return Uint8Array.from([address.number & 0xff, address.number >> 8]);
  }
}

function unixBytes({ name }: UnixAddress): Uint8Array {
  const abstract = name.startsWith('\0');
  const bytes = bytesOfBytePath(abstract || name === '' ? name : `${name}\0`);
  return Uint8Array.from([AF.UNIX, 0, ...bytes]);
}

function netlinkBytes({ port, groups }: NetlinkAddress): Uint8Array {
  const view = new DataView(new ArrayBuffer(NETLINK_SIZE));
  view.setUint16(0, AF.NETLINK, true);
  view.setUint32(4, port, true);
  view.setUint32(8, groups, true);
  return new Uint8Array(view.buffer);
}

function inetBytes({ family, ip, port, scope = 0 }: InetAddress): Uint8Array {
  const bytes = new Uint8Array(family === AF.INET ? INET_SIZE : INET6_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, family, true);
  view.setUint16(2, port);
  if (family === AF.INET) {
    bytes.set(bytesOfIp(isV4(ip) ? ip : ANY4), 4);
    return bytes;
  }
  bytes.set(bytes16OfIp(ip), 8);
  view.setUint32(24, scope, true);
  return bytes;
}
