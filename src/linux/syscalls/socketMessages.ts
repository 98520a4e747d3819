/** sendto, recvfrom, sendmsg, recvmsg and their plural forms. */
import { E } from '../../base/errno.js';
import { MAX_TRANSFER } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { ControlWriter, readControl } from '../sockets/ancillary.js';
import type { Incoming } from '../sockets/message.js';
import type { Socket } from '../sockets/socket.js';
import { addressBytes } from '../sockets/socketAddress.js';
import { MSG } from '../sockets/socketConstants.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { onForeign } from './inheritedSockets.js';
import { onSocket, type Operation, readAddress, runOn, writeAddress } from './socketAccess.js';
import { receiving, sending } from './socketTransfer.js';
import { readTimeout, toNanoseconds } from './timeouts.js';
import { gather, partOf, readVectors } from './vectors.js';

/** struct msghdr. */
const MSGHDR = { name: 0, nameLength: 8, vectors: 16, vectorCount: 24, control: 32, controlLength: 40, flags: 48 } as const;
/** struct mmsghdr: a msghdr and the length of its message. */
const MMSGHDR_SIZE = 64;
const MMSGHDR_LENGTH = 56;
const MOST_MESSAGES = 1024;
const MOST_VECTORS = 1024;
const LARGEST_CONTROL = 0x7fff_ffff;
const LARGEST_DATAGRAM = 64 * 1024;

interface Header {
  readonly at: number;
  readonly nameAt: number;
  readonly nameLength: number;
  readonly vectorsAt: number;
  readonly vectorCount: number;
  readonly controlAt: number;
  readonly controlLength: number;
}

function readHeader(p: Process, at: number): Header | number {
  const { space } = p;
  space.view(at, MSGHDR.flags + 8, 'read');
  const header = {
    at,
    nameAt: space.readNum64(at + MSGHDR.name),
    nameLength: space.readI32(at + MSGHDR.nameLength),
    vectorsAt: space.readNum64(at + MSGHDR.vectors),
    vectorCount: space.readNum64(at + MSGHDR.vectorCount),
    controlAt: space.readNum64(at + MSGHDR.control),
    controlLength: space.readNum64(at + MSGHDR.controlLength),
  };
  if (header.nameLength < 0) return -E.INVAL;
  return header.vectorCount > MOST_VECTORS ? -E.MSGSIZE : header;
}

/** sendmsg as an operation; a number if the request makes no sense. */
function sendingMessage(p: Process, socket: Socket, at: number, flags: number): Operation | number {
  const header = readHeader(p, at);
  if (typeof header === 'number') return header;
  const vectors = readVectors(p, header.vectorsAt, header.vectorCount);
  if (typeof vectors === 'number') return vectors;
  const named = header.nameAt !== 0 && header.nameLength > 0;
  const to = named ? readAddress(p, header.nameAt, header.nameLength) : undefined;
  if (typeof to === 'number') return to;
  if (header.controlLength > LARGEST_CONTROL) return -E.NOBUFS;
  const extras = header.controlAt === 0 ? {} : readControl(p, socket, header.controlAt, header.controlLength);
  if (typeof extras === 'number') return extras;
  return sending(p, socket, { bytes: gather(p, partOf(vectors, 0, mostSent(socket, flags))), flags, extras, ...(to === undefined ? {} : { to }) });
}

/**
 * A socket does not take more than this at once, so more is not looked at: larger messages are refused. Who waits sends
 * everything.
 */
function mostSent({ options, keepsMessages, nonBlocking }: Socket, flags: number): number {
  if (keepsMessages) return options.sendBuffer + LARGEST_DATAGRAM;
  return nonBlocking || (flags & MSG.DONTWAIT) !== 0 ? 2 * (options.sendBuffer + options.receiveBuffer) + LARGEST_DATAGRAM : Infinity;
}

/** recvmsg as an operation. */
function receivingMessage(p: Process, socket: Socket, at: number, flags: number): Operation | number {
  const header = readHeader(p, at);
  if (typeof header === 'number') return header;
  const vectors = readVectors(p, header.vectorsAt, header.vectorCount);
  if (typeof vectors === 'number') return vectors;
  const room = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const deliver = (incoming: Incoming): number => {
    const control = new ControlWriter(p, header.controlAt, header.controlAt === 0 ? 0 : header.controlLength);
    control.putAll(socket, incoming, flags);
    if (header.nameAt !== 0) writeName(p, header, incoming);
    const cut = socket.keepsMessages && incoming.length > room ? MSG.TRUNC : 0;
    p.space.writeU32(at + MSGHDR.flags, incoming.flags | control.flags | cut | (flags & MSG.CMSG_CLOEXEC));
    p.space.writeNum64(at + MSGHDR.controlLength, control.used);
    return 0;
  };
  return receiving(p, socket, { vectors, flags, deliver });
}

function writeName(p: Process, header: Header, { from }: Incoming): void {
  const bytes = from === undefined ? new Uint8Array(0) : addressBytes(from);
  p.space.write(header.nameAt, bytes.subarray(0, header.nameLength));
  p.space.writeU32(header.at + MSGHDR.nameLength, bytes.length);
}

function sendTo(p: Process, a: SyscallArgs, socket: Socket): SyscallResult {
  const [address, length, flags, toAt] = [a.addr(1), Math.min(a.addr(2), MAX_TRANSFER), a.uint(3), a.addr(4)];
  const to = toAt === 0 ? undefined : readAddress(p, toAt, a.int(5));
  if (typeof to === 'number') return to;
  const bytes = p.space.view(address, Math.min(length, mostSent(socket, flags)), 'read');
  return runOn(p, socket, sending(p, socket, { bytes, flags, ...(to === undefined ? {} : { to }) }), 'send');
}

function receiveFrom(p: Process, a: SyscallArgs, socket: Socket): SyscallResult {
  const [address, length, flags, fromAt, lengthAt] = [a.addr(1), Math.min(a.addr(2), MAX_TRANSFER), a.uint(3), a.addr(4), a.addr(5)];
  const deliver = (incoming: Incoming): number => {
    if ((flags & MSG.PEEK) === 0) incoming.files?.drop();
    return fromAt === 0 ? 0 : writeAddress(p, fromAt, lengthAt, incoming.from);
  };
  return runOn(p, socket, receiving(p, socket, { vectors: length === 0 ? [] : [{ address, length }], flags, deliver }), 'receive');
}

function run(p: Process, socket: Socket, operation: Operation | number, direction: 'receive' | 'send'): SyscallResult {
  return typeof operation === 'number' ? operation : runOn(p, socket, operation, direction);
}

interface Several {
  readonly at: number;
  readonly count: number;
  readonly flags: number;
  /** One message of them. */
  one(at: number, flags: number): Operation | number;
  /** Whether to go on when `done` messages are through. */
  more?(done: number): boolean;
}

/** One message after the other. An error counts only if nothing went through before it. */
function several(p: Process, { at, count, flags, one, more }: Several): Operation {
  let done = 0;
  let current: Operation | number | undefined;
  const attempt = (): number => {
    while (done < count) {
      const stopping = done > 0 && (flags & MSG.WAITFORONE) !== 0;
      current ??= one(at + done * MMSGHDR_SIZE, (flags & ~MSG.WAITFORONE) | (stopping ? MSG.DONTWAIT : 0));
      if (typeof current === 'number') return current;
      const result = current.attempt();
      if (result === -E.AGAIN) return stopping ? done : result;
      const length = current.finish?.(result) ?? result;
      current = undefined;
      if (length < 0) return length;
      p.space.writeU32(at + done * MMSGHDR_SIZE + MMSGHDR_LENGTH, length);
      done++;
      if (more?.(done) === false) break;
    }
    return done;
  };
  const finish = (result: number): number => (result < 0 && done > 0 ? done : result);
  return { attempt, finish, flags, doing: 'messages on' };
}

function receiveSeveral(p: Process, a: SyscallArgs, socket: Socket): SyscallResult {
  const [at, count, flags] = [a.addr(1), Math.min(a.uint(2), MOST_MESSAGES), a.uint(3)];
  const timeout = readTimeout(p, a.addr(4));
  if (typeof timeout === 'number') return timeout;
  const end = timeout === undefined ? Infinity : p.clock.now() + toNanoseconds(timeout);
  const one = (header: number, oneFlags: number): Operation | number => receivingMessage(p, socket, header, oneFlags);
  // The time is looked at only after a message, as the manual page says under BUGS.
  return runOn(p, socket, several(p, { at, count, flags, one, more: () => p.clock.now() < end }), 'receive');
}

export const messageCalls: SyscallFamily = {
  sendto: onSocket(sendTo, onForeign.send),
  recvfrom: onSocket(receiveFrom, onForeign.receive),
  sendmsg: onSocket((p, a, socket) => run(p, socket, sendingMessage(p, socket, a.addr(1), a.uint(2)), 'send'), () => -E.OPNOTSUPP),
  recvmsg: onSocket((p, a, socket) => run(p, socket, receivingMessage(p, socket, a.addr(1), a.uint(2)), 'receive'), () => -E.OPNOTSUPP),

  sendmmsg: onSocket((p, a, socket) => {
    const [at, count, flags] = [a.addr(1), Math.min(a.uint(2), MOST_MESSAGES), a.uint(3)];
    return runOn(p, socket, several(p, { at, count, flags, one: (header, each) => sendingMessage(p, socket, header, each) }), 'send');
  }, () => -E.OPNOTSUPP),

  recvmmsg: onSocket(receiveSeveral, () => -E.OPNOTSUPP),
};
