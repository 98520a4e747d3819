/** /proc/sysvipc: the guest's System V objects, which ipcs lists. */
import { type BytePath, bytePath, bytesOfBytePath } from '../../base/bytePath.js';
import { DT } from '../files/fileConstants.js';
import type { IpcObject } from '../ipc/ipcObjects.js';
import { attachments } from '../ipc/sharedMemoryCalls.js';
import type { Process } from '../process.js';
import type { VirtualNode } from './virtualNode.js';

const DIRECTORY = bytePath('/proc/sysvipc');
const CONDEMNED = 0o1000;

const pad = (value: number, width: number): string => String(value).padStart(width);
const owners = ({ uid, gid, creatorUid, creatorGid }: IpcObject): string => [uid, gid, creatorUid, creatorGid].map((id) => pad(id, 5)).join(' ');
const start = (id: number, { key, mode }: IpcObject, extra = 0): string => `${pad(key, 10)} ${pad(id, 10)}  ${(mode | extra).toString(8).padStart(4)}`;
const times = (...seconds: readonly number[]): string => seconds.map((time) => pad(time, 10)).join(' ');

const TEXTS: Readonly<Record<string, (p: Process) => string>> = {
  msg: ({ world }) => [
    '       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid  cgid      stime      rtime      ctime\n',
    ...world.ipc.messageQueues.entries().map(({ id, object: q }) =>
      `${start(id, q)}  ${pad(q.bytes, 10)} ${pad(q.count, 10)} ${pad(q.lastSender, 5)} ${pad(q.lastReceiver, 5)} ${owners(q)} ${times(q.sent, q.received, q.changed)}\n`),
  ].join(''),

  sem: ({ world }) => [
    '       key      semid perms      nsems   uid   gid  cuid  cgid      otime      ctime\n',
    ...world.ipc.semaphores.entries().map(({ id, object: s }) => `${start(id, s)} ${pad(s.values.length, 10)} ${owners(s)} ${times(s.operated, s.changed)}\n`),
  ].join(''),

  shm: (p) => [
    '       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n',
    ...p.world.ipc.segments.entries().map(({ id, object: s }) =>
      `${start(id, s, s.condemned ? CONDEMNED : 0)} ${pad(s.size, 21)} ${pad(s.creator, 5)} ${pad(s.lastUser, 5)}  ${pad(attachments(p, s), 5)} ${owners(s)} ` +
      `${times(s.attached, s.detached, s.changed)} ${pad(0, 21)} ${pad(0, 21)}\n`),
  ].join(''),
};

/** What is at /proc/sysvipc/`name`, or there without one. */
export function sysVIpcNode(process: Process, name: string | undefined): VirtualNode | undefined {
  if (name === undefined) return { kind: 'directory', path: DIRECTORY, mode: 0o555, hostPath: DIRECTORY, entries: () => Object.keys(TEXTS).map((text) => ({ name: bytePath(text), type: DT.REG })) };
  const make = TEXTS[name];
  if (make === undefined) return undefined;
  const path: BytePath = bytePath(`${DIRECTORY}/${name}`);
  return { kind: 'text', path, mode: 0o444, text: () => bytesOfBytePath(make(process)) };
}
