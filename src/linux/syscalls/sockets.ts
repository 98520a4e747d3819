/**
 * Sockets, as far as there are any: those that the shell hands us as standard streams, and pairs
 * within the process. Programs ask of any descriptor whether it is one; others are refused.
 */
import { E } from '../../base/errno.js';
import { MAX_TRANSFER, O, S_IFMT, S_IFSOCK } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { SocketEnd } from '../files/socketPair.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallHandler } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { install } from './opening.js';
import { readFile, writeFile } from './transfer.js';

const AF_UNIX = 1;
const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_ERROR = 4;
const SOCK_STREAM = 1;

function socketOf(p: Process, fd: number): OpenFile | number {
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  const stat = file.stat();
  return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFSOCK ? file : -E.NOTSOCK;
}

function onSocket(action: (p: Process, a: SyscallArgs, socket: OpenFile) => ReturnType<SyscallHandler>): SyscallHandler {
  return (p, a) => {
    const socket = socketOf(p, a.int(0));
    return typeof socket === 'number' ? socket : action(p, a, socket);
  };
}

/** The address of an unnamed socket: its family alone, as far as the caller has room for it. */
const unnamed = onSocket((p, a) => {
  const room = p.space.readI32(a.addr(2));
  if (room < 0) return -E.INVAL;
  if (room >= 2) p.space.writeU16(a.addr(1), AF_UNIX);
  p.space.writeU32(a.addr(2), 2);
  return 0;
});

const refuse: SyscallHandler = () => -E.AFNOSUPPORT;

function makePair(p: Process, a: SyscallArgs): number {
  const [family, type, resultAt] = [a.int(0), a.uint(1), a.addr(3)];
  if (family !== AF_UNIX) return -E.AFNOSUPPORT;
  if ((type & ~(O.CLOEXEC | O.NONBLOCK)) !== SOCK_STREAM) return -E.OPNOTSUPP;
  p.space.view(resultAt, 8, 'write');
  const [first, second] = SocketEnd.pair([p.takeInode(), p.takeInode()], type & O.NONBLOCK);
  const fd = install(p, first, type);
  if (fd < 0) return fd;
  const other = install(p, second, type);
  if (other < 0) {
    p.files.close(fd);
    return other;
  }
  p.space.writeU32(resultAt, fd);
  p.space.writeU32(resultAt + 4, other);
  return 0;
}

export const socketCalls: SyscallFamily = {
  socket: refuse,
  socketpair: makePair,
  getpeername: unnamed,
  getsockname: unnamed,
  connect: onSocket(() => -E.ISCONN),
  bind: onSocket(() => -E.INVAL),
  listen: onSocket(() => -E.INVAL),
  accept: onSocket(() => -E.INVAL),
  accept4: onSocket(() => -E.INVAL),
  shutdown: onSocket((_p, a, socket) => (socket instanceof SocketEnd ? socket.shutdown(a.int(1)) : 0)),
  setsockopt: onSocket(() => 0),

  getsockopt: onSocket((p, a) => {
    const [level, option] = [a.int(1), a.int(2)];
    if (level !== SOL_SOCKET || (option !== SO_TYPE && option !== SO_ERROR)) return -E.NOPROTOOPT;
    p.space.writeU32(a.addr(3), option === SO_TYPE ? SOCK_STREAM : 0);
    p.space.writeU32(a.addr(4), 4);
    return 0;
  }),

  sendto: onSocket((p, a, socket) => writeFile(p, socket, p.buffer(a.addr(1), Math.min(a.addr(2), MAX_TRANSFER), 'read'))),
  recvfrom: onSocket((p, a, socket) => readFile(p, socket, a.addr(1), Math.min(a.addr(2), MAX_TRANSFER))),
};
