/** msgget, msgsnd, msgrcv, msgctl. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { ACCESS, IPC, PERMISSIONS_SIZE } from './ipcObjects.js';
import { DEFAULT_CAPACITY, type Message, MESSAGE_BYTES, MessageQueue, MSG, type Reception } from './messageQueue.js';

const COMMAND = { STAT_PLACE: 11, INFO: 12, STAT_ANY: 13 } as const;
/** /proc/sys/kernel/msgmax and msgmni. */
const LARGEST_MESSAGE = 8192;
const MOST_QUEUES = 32_000;
/** struct msqid64_ds. */
const STATUS_SIZE = 120;
const INFO_SIZE = 32;
const SIZE_LIMIT = 2 ** 63;

const seconds = (p: Process): number => p.clock.realtime().seconds;

function msgsnd(p: Process, a: SyscallArgs): SyscallResult {
  const [id, at, size, flags] = [a.int(0), a.addr(1), a.addr(2), a.int(3)];
  const type = p.space.readSigned64(at);
  if (size > LARGEST_MESSAGE || id < 0 || type < 1) return -E.INVAL;
  const message: Message = { type, bytes: p.space.read(at + 8, size) };
  const queue = p.world.ipc.messageQueues.find(id);
  if (typeof queue === 'number') return queue;
  if (!queue.allows(p, ACCESS.WRITE)) return -E.ACCES;
  if (p.world.budget.left < MESSAGE_BYTES + size) return -E.NOMEM;
  const sending = { message, pid: p.pid };
  if (queue.send(sending, seconds(p))) return 0;
  if ((flags & IPC.NOWAIT) !== 0) return -E.AGAIN;
  const describe = (): string => `room in the message queue with key ${queue.key}`;
  return queue.senders.wait(p, sending, { onSignal: -ERESTART.NOHAND, describe });
}

/** What the program gets of a message: as much as it has room for. */
function store(p: Process, at: number, { type, bytes }: Message, largest: number): number {
  const shown = bytes.subarray(0, Math.min(bytes.length, largest));
  p.space.writeNum64(at, type);
  p.space.write(at + 8, shown);
  return shown.length;
}

function copyMessage(p: Process, queue: MessageQueue, at: number, reception: Reception): number {
  if ((reception.flags & MSG.EXCEPT) !== 0 || (reception.flags & IPC.NOWAIT) === 0) return -E.INVAL;
  const message = queue.peek(reception.type);
  if (message === undefined) return -E.NOMSG;
  const tooLong = message.bytes.length > reception.largest && (reception.flags & MSG.NOERROR) === 0;
  return tooLong ? -E['2BIG'] : store(p, at, message, reception.largest);
}

function msgrcv(p: Process, a: SyscallArgs): SyscallResult {
  const [id, at, largest, type, flags] = [a.int(0), a.addr(1), a.addr(2), a.long(3), a.int(4)];
  if (id < 0 || largest >= SIZE_LIMIT) return -E.INVAL;
  const copying = (flags & MSG.COPY) !== 0;
  const queue = p.world.ipc.messageQueues.find(id);
  if (typeof queue === 'number') return queue;
  if (!queue.allows(p, ACCESS.READ)) return -E.ACCES;
  const reception: Reception = { type, flags, largest, pid: p.pid, taken: undefined };
  if (copying) return copyMessage(p, queue, at, reception);
  const accept = (result: number): number => (reception.taken === undefined ? result : store(p, at, reception.taken, largest));
  const result = queue.receive(reception, seconds(p));
  if (result !== -E.NOMSG || (flags & IPC.NOWAIT) !== 0) return accept(result);
  const describe = (): string => `a message in the queue with key ${queue.key}`;
  return queue.receivers.wait(p, reception, { onSignal: -ERESTART.NOHAND, describe }, accept);
}

function writeStatus(p: Process, queue: MessageQueue, id: number, at: number): void {
  p.space.fillBytes(at, STATUS_SIZE, 0);
  queue.writePermissions(p.space, at, id);
  const { sent, received, changed, bytes, count, capacity } = queue;
  [sent, received, changed, bytes, count, capacity].forEach((value, i) => p.space.writeNum64(at + PERMISSIONS_SIZE + i * 8, value));
  p.space.writeU32(at + 96, queue.lastSender);
  p.space.writeU32(at + 100, queue.lastReceiver);
}

function setStatus(p: Process, queue: MessageQueue, at: number): number {
  const capacity = p.space.readNum64(at + 88);
  if (capacity > DEFAULT_CAPACITY && !p.credentials.privileged) return -E.PERM;
  queue.setPermissions(p.space, at);
  queue.capacity = capacity;
  queue.changed = seconds(p);
  queue.serveSenders(queue.changed);
  return 0;
}

/** IPC_INFO and MSG_INFO: struct msginfo. */
function information(p: Process, command: number, at: number): number {
  const { messageQueues } = p.world.ipc;
  const queues = messageQueues.all();
  const sum = (of: (queue: MessageQueue) => number): number => queues.reduce((total, queue) => total + of(queue), 0);
  const used = command === COMMAND.INFO;
  const fields = [
    used ? queues.length : Math.floor((MOST_QUEUES * DEFAULT_CAPACITY) / 1024), used ? sum(({ count }) => count) : DEFAULT_CAPACITY, LARGEST_MESSAGE,
    DEFAULT_CAPACITY, MOST_QUEUES, 16, used ? sum(({ bytes }) => bytes) : DEFAULT_CAPACITY,
  ];
  p.space.fillBytes(at, INFO_SIZE, 0);
  fields.forEach((value, i) => p.space.writeU32(at + i * 4, value));
  p.space.writeU16(at + 28, 0xffff);
  return messageQueues.highestPlace;
}

function statusAtPlace(p: Process, index: number, any: boolean, at: number): number {
  const place = p.world.ipc.messageQueues.atPlace(index);
  if (place === undefined) return -E.INVAL;
  if (!any && !place.object.allows(p, ACCESS.READ)) return -E.ACCES;
  writeStatus(p, place.object, place.id, at);
  return place.id;
}

function msgctl(p: Process, a: SyscallArgs): number {
  const [id, command, at] = [a.int(0), a.int(1), a.addr(2)];
  if (id < 0 || command < 0) return -E.INVAL;
  if (command === IPC.INFO || command === COMMAND.INFO) return information(p, command, at);
  if (command === COMMAND.STAT_PLACE || command === COMMAND.STAT_ANY) return statusAtPlace(p, id, command === COMMAND.STAT_ANY, at);
  if (command > IPC.STAT) return -E.INVAL;
  if (command === IPC.SET) p.space.view(at, STATUS_SIZE, 'read');
  const queue = p.world.ipc.messageQueues.find(id);
  if (typeof queue === 'number') return queue;
  if (command === IPC.STAT) {
    if (!queue.allows(p, ACCESS.READ)) return -E.ACCES;
    writeStatus(p, queue, id, at);
    return 0;
  }
  if (!queue.ownedBy(p)) return -E.PERM;
  if (command === IPC.SET) return setStatus(p, queue, at);
  p.world.ipc.messageQueues.remove(id);
  queue.remove();
  return 0;
}

export const messageCalls: SyscallFamily = {
  msgget: (p, a) => {
    const [key, flags] = [a.int(0), a.int(1)];
    return p.world.ipc.messageQueues.get(p, key, flags, () => new MessageQueue(p, key, flags & 0o777), () => 0);
  },
  msgsnd,
  msgrcv,
  msgctl,
};
