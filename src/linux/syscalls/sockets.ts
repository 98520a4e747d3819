/** Making, naming and connecting sockets. Messages and options are in files of their own. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { createPair, createSocket } from '../sockets/createSocket.js';
import { credentialsOf } from '../sockets/network.js';
import type { Socket, SocketKind } from '../sockets/socket.js';
import type { SocketAddress } from '../sockets/socketAddress.js';
import { SHUT, SOCK } from '../sockets/socketConstants.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { onForeign } from './inheritedSockets.js';
import { install } from './opening.js';
import { onSocket, readAddress, runOn, writeAddress } from './socketAccess.js';
import { messageCalls } from './socketMessages.js';
import { socketOptionCalls } from './socketOptions.js';

const FLAGS = SOCK.CLOEXEC | SOCK.NONBLOCK;

/** The kind that the arguments ask for, and the flags beside the type; a number if they make no sense. */
function wantedKind(a: SyscallArgs): { kind: SocketKind; flags: number } | number {
  const type = a.uint(1);
  if ((type & ~(SOCK.TYPE_MASK | FLAGS)) !== 0) return -E.INVAL;
  return { kind: { family: a.int(0), type: type & SOCK.TYPE_MASK, protocol: a.int(2) }, flags: type & FLAGS };
}

function makePair(p: Process, a: SyscallArgs): number {
  const wanted = wantedKind(a);
  if (typeof wanted === 'number') return wanted;
  const resultAt = a.addr(3);
  const { kind, flags } = wanted;
  p.space.view(resultAt, 8, 'write');
  const pair = createPair(p.world.network, kind, credentialsOf(p), flags & SOCK.NONBLOCK);
  if (typeof pair === 'number') return pair;
  const first = install(p, pair[0], flags);
  if (first < 0) return first;
  const second = install(p, pair[1], flags);
  if (second < 0) {
    p.files.close(first);
    return second;
  }
  p.space.writeU32(resultAt, first);
  p.space.writeU32(resultAt + 4, second);
  return 0;
}

function acceptOn(p: Process, a: SyscallArgs, socket: Socket, flags: number): SyscallResult {
  if ((flags & ~FLAGS) !== 0) return -E.INVAL;
  const [addressAt, lengthAt] = [a.addr(1), a.addr(2)];
  const attempt = (): number => {
    if (p.files.isFull) return -E.MFILE;
    const accepted = socket.accept();
    if (typeof accepted === 'number') return accepted;
    accepted.flags |= flags & SOCK.NONBLOCK;
    const fd = install(p, accepted, flags);
    if (fd < 0 || addressAt === 0) return fd;
    const peer = accepted.peerName();
    const result = writeAddress(p, addressAt, lengthAt, typeof peer === 'number' ? accepted.name() : peer);
    if (result < 0) p.files.close(fd);
    return result < 0 ? result : fd;
  };
  return runOn(p, socket, { attempt, doing: 'accept on' }, 'receive');
}

function connectTo(p: Process, socket: Socket, address: SocketAddress): SyscallResult {
  const started = socket.connect(p, address);
  if (started === -E.AGAIN) return runOn(p, socket, { attempt: () => socket.connect(p, address), doing: 'connect' }, 'send');
  if ((started !== -E.INPROGRESS && started !== -E.ALREADY) || socket.nonBlocking) return started;
  return runOn(p, socket, { attempt: () => socket.connecting(), doing: 'connect', onTimeout: -E.INPROGRESS }, 'send');
}

function named(name: (socket: Socket) => SocketAddress | number): (p: Process, a: SyscallArgs, socket: Socket) => number {
  return (p, a, socket) => {
    const address = name(socket);
    return typeof address === 'number' ? address : writeAddress(p, a.addr(1), a.addr(2), address);
  };
}


export const socketCalls: SyscallFamily = {
  socket(p, a) {
    const wanted = wantedKind(a);
    if (typeof wanted === 'number') return wanted;
    const { kind, flags } = wanted;
    return install(p, createSocket(p.world.network, kind, credentialsOf(p), flags & SOCK.NONBLOCK), flags);
  },

  socketpair: makePair,
  getsockname: onSocket(named((socket) => socket.name()), onForeign.name),
  getpeername: onSocket(named((socket) => socket.peerName()), onForeign.name),

  bind: onSocket((p, a, socket) => {
    const address = readAddress(p, a.addr(1), a.int(2));
    return typeof address === 'number' ? address : socket.bind(p, address);
  }, () => -E.INVAL),

  connect: onSocket((p, a, socket) => {
    const address = readAddress(p, a.addr(1), a.int(2));
    return typeof address === 'number' ? address : connectTo(p, socket, address);
  }, () => -E.ISCONN),

  listen: onSocket((p, a, socket) => socket.listen(p, Math.min(a.uint(1), p.world.network.settings.longestBacklog)), () => -E.INVAL),
  accept: onSocket((p, a, socket) => acceptOn(p, a, socket, 0), () => -E.INVAL),
  accept4: onSocket((p, a, socket) => acceptOn(p, a, socket, a.uint(3)), () => -E.INVAL),

  shutdown: onSocket((_p, a, socket) => {
    const how = a.int(1);
    return how < SHUT.RD || how > SHUT.RDWR ? -E.INVAL : socket.shutdown(how);
  }, () => 0),

  ...messageCalls,
  ...socketOptionCalls,
};
