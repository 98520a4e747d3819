/** Answers of NETLINK_ROUTE: RTM_GETLINK and RTM_GETADDR dumps (linux/rtnetlink.h, linux/if_link.h). */
import { E } from '../../base/errno.js';
import { bytesOfBytePath } from '../../base/bytePath.js';
import type { HostInterface, HostInterfaceAddress } from '../../host/hostNetwork.js';
import { bytesOfIp, ipFromText } from './ipAddress.js';
import { AF } from './socketConstants.js';

const HEADER = 16;
const NLM = { REQUEST: 1, MULTI: 2, ACK: 4, DUMP: 0x300 } as const;
const NLMSG = { ERROR: 2, DONE: 3 } as const;
const RTM = { NEWLINK: 16, GETLINK: 18, NEWADDR: 20, GETADDR: 22 } as const;
const IFLA = { ADDRESS: 1, BROADCAST: 2, IFNAME: 3, MTU: 4, TXQLEN: 13, OPERSTATE: 16 } as const;
const IFA = { ADDRESS: 1, LOCAL: 2, LABEL: 3, BROADCAST: 4, FLAGS: 8 } as const;
const IFF = { UP: 1, BROADCAST: 2, LOOPBACK: 8, RUNNING: 0x40, MULTICAST: 0x1000, LOWER_UP: 0x1_0000 } as const;
const ARPHRD = { ETHER: 1, LOOPBACK: 772 } as const;
const SCOPE = { GLOBAL: 0, LINK: 253, HOST: 254 } as const;
const IFA_F_PERMANENT = 0x80;
/** One answer holds no more than this; a dump goes on in the next. */
const LARGEST_ANSWER = 4096;

/** The datagrams that answer a request. */
export function answerRouteRequest(request: Uint8Array, port: number, interfaces: readonly HostInterface[]): Uint8Array[] {
  if (request.length < HEADER) return [];
  const view = new DataView(request.buffer, request.byteOffset, request.length);
  const [type, flags, sequence] = [view.getUint16(4, true), view.getUint16(6, true), view.getUint32(8, true)];
  if ((flags & NLM.REQUEST) === 0) return [];
  const family = request[HEADER] ?? 0;
  const message = (kind: number, body: Uint8Array, multi = NLM.MULTI as number): Uint8Array => withHeader(kind, multi, sequence, port, body);
  const sorted = [...interfaces].sort((a, b) => a.index - b.index);
  if (type === RTM.GETLINK && (flags & NLM.DUMP) === 0) return [oneLink(request, sorted, message)];
  if (type === RTM.GETLINK) return dump(sorted.map((one) => message(RTM.NEWLINK, linkBody(one))), message);
  if (type === RTM.GETADDR) return dump(addressBodies(sorted, family).map((body) => message(RTM.NEWADDR, body)), message);
  return [failure(message, E.OPNOTSUPP, request)];
}

type MakeMessage = (kind: number, body: Uint8Array, multi?: number) => Uint8Array;

function failure(message: MakeMessage, error: number, request: Uint8Array): Uint8Array {
  return message(NLMSG.ERROR, concat([words(-error), request.subarray(0, HEADER)]), 0);
}

/** Packs messages into datagrams; the end of a dump is a message of its own. */
function dump(messages: readonly Uint8Array[], message: MakeMessage): Uint8Array[] {
  const answers: Uint8Array[] = [];
  let current: Uint8Array[] = [];
  let size = 0;
  for (const one of messages) {
    if (size + one.length > LARGEST_ANSWER) {
      answers.push(concat(current));
      [current, size] = [[], 0];
    }
    current.push(one);
    size += one.length;
  }
  if (current.length > 0) answers.push(concat(current));
  return [...answers, message(NLMSG.DONE, words(0))];
}

function oneLink(request: Uint8Array, interfaces: readonly HostInterface[], message: MakeMessage): Uint8Array {
  const view = new DataView(request.buffer, request.byteOffset, request.length);
  const index = request.length >= HEADER + 8 ? view.getInt32(HEADER + 4, true) : 0;
  const found = interfaces.find((one) => one.index === index);
  return found === undefined ? failure(message, E.NODEV, request) : message(RTM.NEWLINK, linkBody(found), 0);
}

function linkBody(one: HostInterface): Uint8Array {
  const kind = one.loopback ? IFF.LOOPBACK : IFF.BROADCAST | IFF.MULTICAST;
  const fixed = new DataView(new ArrayBuffer(16));
  fixed.setUint16(2, one.loopback ? ARPHRD.LOOPBACK : ARPHRD.ETHER, true);
  fixed.setInt32(4, one.index, true);
  fixed.setUint32(8, IFF.UP | IFF.RUNNING | IFF.LOWER_UP | kind, true);
  const hardware = Uint8Array.from(one.hardware.split(':').map((part) => Number.parseInt(part, 16)));
  return concat([
    new Uint8Array(fixed.buffer),
    attribute(IFLA.IFNAME, bytesOfBytePath(`${one.name}\0`)),
    attribute(IFLA.TXQLEN, words(1000)),
    attribute(IFLA.OPERSTATE, Uint8Array.of(one.loopback ? 0 : 6)),
    attribute(IFLA.MTU, words(one.mtu)),
    attribute(IFLA.ADDRESS, hardware),
    attribute(IFLA.BROADCAST, hardware.map(() => (one.loopback ? 0 : 0xff))),
  ]);
}

/** IPv4 first, as the kernel lists them. */
function addressBodies(interfaces: readonly HostInterface[], family: number): Uint8Array[] {
  const wanted = ([4, 6] as const).filter((one) => family === AF.UNSPEC || family === (one === 4 ? AF.INET : AF.INET6));
  return wanted.flatMap((version) =>
    interfaces.flatMap((one) => one.addresses.filter((address) => address.family === version).map((address) => addressBody(one, address))),
  );
}

function addressBody(one: HostInterface, address: HostInterfaceAddress): Uint8Array {
  const bytes = bytesOfIp(ipFromText(address.address));
  const link = address.address.startsWith('fe80') ? SCOPE.LINK : SCOPE.GLOBAL;
  const fixed = new DataView(new ArrayBuffer(8));
  fixed.setUint8(0, address.family === 4 ? AF.INET : AF.INET6);
  fixed.setUint8(1, address.prefix);
  fixed.setUint8(2, IFA_F_PERMANENT);
  fixed.setUint8(3, one.loopback ? SCOPE.HOST : link);
  fixed.setUint32(4, one.index, true);
  const parts = [new Uint8Array(fixed.buffer), attribute(IFA.ADDRESS, bytes)];
  if (address.family === 4) {
    parts.push(attribute(IFA.LOCAL, bytes));
    if (!one.loopback) parts.push(attribute(IFA.BROADCAST, broadcastOf(bytes, address.prefix)));
    parts.push(attribute(IFA.LABEL, bytesOfBytePath(`${one.name}\0`)));
  }
  parts.push(attribute(IFA.FLAGS, words(IFA_F_PERMANENT)));
  return concat(parts);
}

function broadcastOf(bytes: Uint8Array, prefix: number): Uint8Array {
  return bytes.map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, prefix - i * 8))));
}

function withHeader(type: number, flags: number, sequence: number, port: number, body: Uint8Array): Uint8Array {
  const length = HEADER + body.length;
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setUint16(4, type, true);
  view.setUint16(6, flags, true);
  view.setUint32(8, sequence, true);
  view.setUint32(12, port, true);
  bytes.set(body, HEADER);
  return bytes;
}

function attribute(type: number, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((4 + data.length) / 4) * 4);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 4 + data.length, true);
  view.setUint16(2, type, true);
  bytes.set(data, 4);
  return bytes;
}

function words(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, i) => view.setInt32(i * 4, value, true));
  return new Uint8Array(view.buffer);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
