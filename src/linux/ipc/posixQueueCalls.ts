/**
 * mq_open, mq_unlink, mq_timedsend, mq_timedreceive, mq_notify, mq_getsetattr. Queues live in the guest's world only.
 */
import { E } from '../../base/errno.js';
import { NAME_MAX, O } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { senderInfo, SI } from '../signals/siginfo.js';
import { isSignal } from '../../base/signalNumbers.js';
import { NetlinkSocket } from '../sockets/netlinkSocket.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { install } from '../syscalls/opening.js';
import { deadlineAfter, readTimeout } from '../syscalls/timeouts.js';
import { ACCESS } from './ipcObjects.js';
import { MESSAGE_BYTES } from './messageQueue.js';
import { type Notification, PosixQueue, type PosixMessage, type PosixReception, type QueueSize } from './posixQueue.js';
import { PosixQueueFile } from './posixQueueFile.js';

/** /proc/sys/fs/mqueue, and what the privileged may go up to. */
const DEFAULT_SIZE: QueueSize = { mostMessages: 10, messageSize: 8192 };
const PRIVILEGED_SIZE: QueueSize = { mostMessages: 65_536, messageSize: 16_777_216 };
const MOST_QUEUES = 256;
const MOST_PRIORITIES = 32_768;
const ATTRIBUTES_SIZE = 64;
const SIGEV = { SIGNAL: 0, NONE: 1, THREAD: 2 } as const;
const COOKIE_SIZE = 32;
/** What becomes of the last byte of a cookie. */
const COOKIE = { MESSAGE: 1, REMOVED: 2 } as const;

function nameOf(p: Process, at: number): string | number {
  const name = p.readPath(at);
  if (typeof name === 'number') return name;
  if (name === '') return -E.NOENT;
  if (name.includes('/') || name === '.' || name === '..') return -E.ACCES;
  return name.length > NAME_MAX ? -E.NAMETOOLONG : name;
}

function sizeOf(p: Process, attributesAt: number): QueueSize | number {
  if (attributesAt === 0) return DEFAULT_SIZE;
  const size = { mostMessages: p.space.readSigned64(attributesAt + 8), messageSize: p.space.readSigned64(attributesAt + 16) };
  const largest = p.credentials.privileged ? PRIVILEGED_SIZE : DEFAULT_SIZE;
  const allowed = size.mostMessages > 0 && size.messageSize > 0 && size.mostMessages <= largest.mostMessages && size.messageSize <= largest.messageSize;
  return allowed ? size : -E.INVAL;
}

function open(p: Process, a: SyscallArgs): number {
  const [flags, mode] = [a.uint(1), a.uint(2)];
  if ((flags & O.CREAT) !== 0 && a.addr(3) !== 0) p.space.view(a.addr(3), ATTRIBUTES_SIZE, 'read');
  const name = nameOf(p, a.addr(0));
  if (typeof name === 'number') return name;
  const { posixQueues } = p.world.ipc;
  const found = posixQueues.get(name);
  const queue = found === undefined ? create(p, name, flags, mode, a.addr(3)) : existing(flags, found);
  if (typeof queue === 'number') return queue;
  const access = flags & O.ACCMODE;
  if (access === O.ACCMODE) return -E.INVAL;
  const wanted = (access !== O.WRONLY ? ACCESS.READ : 0) | (access !== O.RDONLY ? ACCESS.WRITE : 0);
  if (!queue.allows(p, wanted)) return -E.ACCES;
  return install(p, new PosixQueueFile(queue, name, flags & (O.ACCMODE | O.NONBLOCK)), O.CLOEXEC);
}

function existing(flags: number, found: PosixQueue): PosixQueue | number {
  return (flags & O.CREAT) !== 0 && (flags & O.EXCL) !== 0 ? -E.EXIST : found;
}

function create(p: Process, name: string, flags: number, mode: number, attributesAt: number): PosixQueue | number {
  if ((flags & O.CREAT) === 0) return -E.NOENT;
  const size = sizeOf(p, attributesAt);
  if (typeof size === 'number') return size;
  const { posixQueues } = p.world.ipc;
  if (posixQueues.size >= MOST_QUEUES && !p.credentials.privileged) return -E.NOSPC;
  const queue = new PosixQueue(p, mode & 0o7777 & ~p.umask, size, p.takeInode());
  posixQueues.set(name, queue);
  return queue;
}

function unlink(p: Process, a: SyscallArgs): number {
  const name = nameOf(p, a.addr(0));
  if (typeof name === 'number') return name;
  const queue = p.world.ipc.posixQueues.get(name);
  if (queue === undefined) return -E.NOENT;
  if (!queue.ownedBy(p)) return -E.ACCES;
  p.world.ipc.posixQueues.delete(name);
  queue.removed = true;
  queue.forgetIfUnused();
  return 0;
}

function fileOf(p: Process, fd: number): PosixQueueFile | undefined {
  const file = p.files.get(fd);
  return file instanceof PosixQueueFile ? file : undefined;
}

/** When a call gives up; a number of type E if the time makes no sense. */
function deadlineOf(p: Process, at: number): { readonly deadline: number } | number {
  const timeout = readTimeout(p, at);
  return typeof timeout === 'number' ? timeout : { deadline: deadlineAfter(p, timeout, 'realtime') };
}

function send(p: Process, a: SyscallArgs): SyscallResult {
  const [fd, at, length, priority] = [a.int(0), a.addr(1), a.addr(2), a.uint(3)];
  const limit = deadlineOf(p, a.addr(4));
  if (typeof limit === 'number') return limit;
  if (priority >= MOST_PRIORITIES) return -E.INVAL;
  const file = fileOf(p, fd);
  if (file === undefined || !file.writable) return -E.BADF;
  const { queue } = file;
  if (length > queue.size.messageSize) return -E.MSGSIZE;
  if (p.world.budget.left < MESSAGE_BYTES + length) return -E.NOMEM;
  const message: PosixMessage = { priority, bytes: p.space.read(at, length) };
  if (queue.send(message, p)) return 0;
  if (file.nonBlocking) return -E.AGAIN;
  const describe = (): string => `room in message queue ${file.path}`;
  return queue.senders.wait(p, message, { ...limit, onTimeout: -E.TIMEDOUT, describe });
}

function receive(p: Process, a: SyscallArgs): SyscallResult {
  const [fd, at, length, priorityAt] = [a.int(0), a.addr(1), a.addr(2), a.addr(3)];
  const limit = deadlineOf(p, a.addr(4));
  if (typeof limit === 'number') return limit;
  const file = fileOf(p, fd);
  if (file === undefined || !file.readable) return -E.BADF;
  const { queue } = file;
  if (length < queue.size.messageSize) return -E.MSGSIZE;
  const reception: PosixReception = { taken: undefined };
  const store = (): number => {
    const { bytes, priority } = reception.taken as PosixMessage;
    if (priorityAt !== 0) p.space.writeU32(priorityAt, priority);
    p.space.write(at, bytes);
    return bytes.length;
  };
  if (queue.receive(reception)) return store();
  if (file.nonBlocking) return -E.AGAIN;
  const describe = (): string => `a message in queue ${file.path}`;
  return queue.receivers.wait(p, reception, { ...limit, onTimeout: -E.TIMEDOUT, describe }, store);
}

function attributes(p: Process, a: SyscallArgs): number {
  const [fd, newAt, oldAt] = [a.int(0), a.addr(1), a.addr(2)];
  const flags = newAt === 0 ? undefined : p.space.readSigned64(newAt);
  if (flags !== undefined && (flags & ~O.NONBLOCK) !== 0) return -E.INVAL;
  const file = fileOf(p, fd);
  if (file === undefined) return -E.BADF;
  const { size, count } = file.queue;
  const old = [file.flags & O.NONBLOCK, size.mostMessages, size.messageSize, count];
  if (flags !== undefined) file.flags = (file.flags & ~O.NONBLOCK) | flags;
  if (oldAt === 0) return 0;
  p.space.fillBytes(oldAt, ATTRIBUTES_SIZE, 0);
  old.forEach((value, i) => p.space.writeNum64(oldAt + i * 8, value));
  return 0;
}

/** struct sigevent, as far as it matters here. */
interface NotifyRequest {
  readonly value: bigint;
  readonly signal: number;
  readonly method: number;
}

function readNotifyRequest(p: Process, at: number): NotifyRequest {
  return { value: p.space.readU64(at), signal: p.space.readI32(at + 8), method: p.space.readI32(at + 12) };
}

/** How a request wants its process to be told; a number if it makes no sense. */
function notificationFor(p: Process, { value, signal, method }: NotifyRequest): Notification | number {
  switch (method) {
    case SIGEV.NONE:
      return { process: p, method, signal: 0, notify: () => {} };
    case SIGEV.SIGNAL: {
      if (!isSignal(signal)) return -E.INVAL;
      const notify = (sender: Process): void =>
        void p.signals.send(senderInfo(signal, SI.MESGQ, sender.pid, sender.credentials.user.real, value), 'process');
      return { process: p, method, signal, notify };
    }
    case SIGEV.THREAD: {
      // The library's threads wait at a socket, whose descriptor takes the place of the signal, for a cookie of theirs.
      const socket = p.files.get(signal);
      if (!(socket instanceof NetlinkSocket)) return -E.BADF;
      const cookie = p.space.read(Number(value), COOKIE_SIZE);
      const deliver = (what: number): void => socket.deliver(cookie.with(COOKIE_SIZE - 1, what));
      return { process: p, method, signal: 0, notify: () => deliver(COOKIE.MESSAGE), withdraw: () => deliver(COOKIE.REMOVED) };
    }
    default:
      return -E.INVAL;
  }
}

function notify(p: Process, a: SyscallArgs): number {
  const [fd, eventAt] = [a.int(0), a.addr(1)];
  const notification = eventAt === 0 ? undefined : notificationFor(p, readNotifyRequest(p, eventAt));
  if (typeof notification === 'number') return notification;
  const queue = fileOf(p, fd)?.queue;
  if (queue === undefined) return -E.BADF;
  if (notification === undefined) {
    queue.withdraw(p);
    return 0;
  }
  if (queue.notification !== undefined) return -E.BUSY;
  queue.notification = notification;
  return 0;
}

export const posixQueueCalls: SyscallFamily = {
  mq_open: open,
  mq_unlink: unlink,
  mq_timedsend: send,
  mq_timedreceive: receive,
  mq_notify: notify,
  mq_getsetattr: attributes,
};
