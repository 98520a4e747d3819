/** ioctl on sockets: what is on its way, and the older way to ask about interfaces (netdevice(7)). */
import { E } from '../../base/errno.js';
import { bytePathFromBytes, bytesOfBytePath } from '../../base/bytePath.js';
import type { HostInterface } from '../../host/hostNetwork.js';
import type { Process } from '../process.js';
import { ANY4, bytesOfIp, type IpAddress, ipFromText } from '../sockets/ipAddress.js';
import type { Socket } from '../sockets/socket.js';
import { addressBytes } from '../sockets/socketAddress.js';
import { AF, SOCK } from '../sockets/socketConstants.js';

const SIOC = {
  OUTQ: 0x5411, ATMARK: 0x8905, GPGRP: 0x8904, SPGRP: 0x8902, GIFNAME: 0x8910, GIFCONF: 0x8912, GIFFLAGS: 0x8913, GIFADDR: 0x8915,
  GIFBRDADDR: 0x8919, GIFNETMASK: 0x891b, GIFMETRIC: 0x891d, GIFMTU: 0x8921, GIFHWADDR: 0x8927, GIFINDEX: 0x8933, GIFTXQLEN: 0x8942,
} as const;
const NAME_SIZE = 16;
/** struct ifreq. */
const REQUEST_SIZE = 40;
const IFF = { UP: 1, BROADCAST: 2, LOOPBACK: 8, RUNNING: 0x40, MULTICAST: 0x1000 } as const;
const ARPHRD = { ETHER: 1, LOOPBACK: 772 } as const;

/** Undefined: not a request for sockets. */
export function controlSocket(p: Process, socket: Socket, request: number, address: number): number | undefined {
  switch (request) {
    case SIOC.OUTQ:
      p.space.writeU32(address, socket.unsent());
      return 0;
    case SIOC.ATMARK:
      if (socket.kind.type !== SOCK.STREAM) return -E.NOTTY;
      p.space.writeU32(address, 0);
      return 0;
    case SIOC.GPGRP:
      p.space.writeU32(address, socket.owner);
      return 0;
    case SIOC.SPGRP:
      socket.setOwner(p.space.readI32(address), p.credentials.user);
      return 0;
    case SIOC.GIFCONF:
      return listAddresses(p, socket, address);
    case SIOC.GIFNAME:
      return nameOfIndex(p, socket, address);
    default:
      return Object.values<number>(SIOC).includes(request) ? askInterface(p, socket, request, address) : undefined;
  }
}

function nameOfIndex(p: Process, socket: Socket, address: number): number {
  const index = p.space.readI32(address + NAME_SIZE);
  const found = socket.network.outside.interfaces().find((one) => one.index === index);
  if (found === undefined) return -E.NODEV;
  p.space.write(address, nameBytes(found));
  return 0;
}

function nameBytes({ name }: HostInterface): Uint8Array {
  return bytesOfBytePath(name.slice(0, NAME_SIZE - 1).padEnd(NAME_SIZE, '\0'));
}

function askInterface(p: Process, socket: Socket, request: number, address: number): number {
  const name = bytePathFromBytes(p.space.readCString(address, NAME_SIZE));
  const found = socket.network.outside.interfaces().find((one) => one.name === name);
  if (found === undefined) return -E.NODEV;
  const answer = answerFor(found, request);
  if (typeof answer === 'number') return answer;
  p.space.write(address + NAME_SIZE, answer);
  return 0;
}

/** The part of struct ifreq behind the name. */
function answerFor(one: HostInterface, request: number): Uint8Array | number {
  const four = one.addresses.find((address) => address.family === 4);
  switch (request) {
    case SIOC.GIFINDEX:
      return word(one.index);
    case SIOC.GIFMTU:
      return word(one.mtu);
    case SIOC.GIFMETRIC:
      return word(0);
    case SIOC.GIFTXQLEN:
      return word(1000);
    case SIOC.GIFFLAGS:
      return word(IFF.UP | IFF.RUNNING | (one.loopback ? IFF.LOOPBACK : IFF.BROADCAST | IFF.MULTICAST)).subarray(0, 2);
    case SIOC.GIFHWADDR:
      return hardwareAddress(one);
    default:
      if (four === undefined) return -E.ADDRNOTAVAIL;
      return inet(addressFor(request, ipFromText(four.address), four.prefix, one.loopback));
  }
}

function addressFor(request: number, ip: IpAddress, prefix: number, loopback: boolean): IpAddress {
  const mask = bytesOfIp(ip).map((_, i) => 0xff & ~(0xff >> Math.min(8, Math.max(0, prefix - i * 8))));
  if (request === SIOC.GIFNETMASK) return mask.join('.') as IpAddress;
  if (request !== SIOC.GIFBRDADDR) return ip;
  return loopback ? ANY4 : (bytesOfIp(ip).map((byte, i) => byte | (0xff & ~(mask[i] as number))).join('.') as IpAddress);
}

function inet(ip: IpAddress): Uint8Array {
  return addressBytes({ family: AF.INET, ip, port: 0 });
}

function hardwareAddress(one: HostInterface): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint16(0, one.loopback ? ARPHRD.LOOPBACK : ARPHRD.ETHER, true);
  bytes.set(one.hardware.split(':').map((part) => Number.parseInt(part, 16)), 2);
  return bytes;
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return bytes;
}

/** SIOCGIFCONF: all IPv4 addresses as struct ifreq. Without a buffer, how much room they take. */
function listAddresses(p: Process, socket: Socket, address: number): number {
  const [room, at] = [p.space.readI32(address), p.space.readNum64(address + 8)];
  const all = socket.network.outside.interfaces().flatMap((one) =>
    one.addresses.filter(({ family }) => family === 4).map((four) => ({ one, ip: ipFromText(four.address) })),
  );
  const count = at === 0 ? all.length : Math.min(all.length, Math.floor(room / REQUEST_SIZE));
  if (at !== 0) {
    all.slice(0, count).forEach(({ one, ip }, i) => {
      const request = new Uint8Array(REQUEST_SIZE);
      request.set(nameBytes(one));
      request.set(inet(ip), NAME_SIZE);
      p.space.write(at + i * REQUEST_SIZE, request);
    });
  }
  p.space.writeU32(address, count * REQUEST_SIZE);
  return 0;
}
