/** What a kernel knows of a process, a thread, an open file, in the form that recordings have it in. */
import type { BytePath } from '../../base/bytePath.js';
import { Epoll } from '../../linux/files/epoll.js';
import { EventFd } from '../../linux/files/eventFd.js';
import { S_IFMT } from '../../linux/files/fileConstants.js';
import { HostBackedFile } from '../../linux/files/hostBackedFile.js';
import { MemFd } from '../../linux/files/memFd.js';
import type { OpenFile } from '../../linux/files/openFile.js';
import { PipeEnd } from '../../linux/files/pipe.js';
import { SignalFd } from '../../linux/files/signalFd.js';
import { TimerFd } from '../../linux/files/timerFd.js';
import { TcpSocket } from '../../linux/sockets/tcpSocket.js';
import { UnixConnection } from '../../linux/sockets/unixConnection.js';
import type { Process } from '../../linux/process.js';
import { PidFile } from '../../linux/processes/pidFile.js';
import type { PendingSignals } from '../../linux/signals/pendingSignals.js';
import { SIG_DFL } from '../../linux/signals/signalActions.js';
import { SIGNAL_COUNT } from '../../base/signalNumbers.js';
import type { Task } from '../../linux/tasks/task.js';
import type { World } from '../../linux/world.js';
import type { FileFacts, PosixTimerFacts, ProcessFacts, ProgramFacts, TaskFacts, WorldFacts, ZombieFacts } from '../log/kernelFacts.js';

const INTERVAL_TIMERS = [0, 1, 2] as const;

export function worldFacts({ host, clock }: World): WorldFacts {
  const { pid, parentPid, processGroup, session, uid, effectiveUid, gid, effectiveGid, groups } = host.identity;
  return {
    identity: { pid, parentPid, processGroup, session, uid, effectiveUid, gid, effectiveGid, groups },
    start: clock.starts,
    workingDirectory: host.files.workingDirectory(),
  };
}

export function programFacts({ exe, argv, environment, auxv, memory, space }: Process): ProgramFacts {
  const { brkStart, mmapBase, hugePages } = memory;
  return { exe, argv, environment, auxv: [...auxv], brkStart, mmapBase, hugePages, reserved: space.reserved };
}

export function processFacts(p: Process, parent: number, table: number): ProcessFacts {
  const { user, group, groups, processGroup, session, keepsCapabilities } = p.credentials;
  const { exitSignal, isSubreaper, hasExecuted, stoppedBy, holdsParent, outsideParent, childrenTime, childrenPeakBytes } = p.family;
  const { umask, personality, dumpable, noNewPrivileges, timerSlack, parentDeathSignal, pid, startTime } = p;
  const { timers, pending } = p.signals.process;
  return {
    pid, parent, outsideParent, table, workingDirectory: workingDirectoryOf(p), umask, personality, dumpable, noNewPrivileges, timerSlack, parentDeathSignal,
    user, group, groups, processGroup, session, keepsCapabilities,
    limits: p.limits.all().map(({ soft, hard }) => ({ soft: finite(soft), hard: finite(hard) })),
    brk: p.memory.currentBrk,
    actions: actionsOf(p),
    intervalTimers: INTERVAL_TIMERS.map((kind) => timers.intervalTimer(kind)).map(({ dueAt, interval }) => ({ deadline: dueAt ?? null, interval })),
    posixTimers: posixTimersOf(p), nextTimer: timers.nextId,
    pending: pendingFacts(pending),
    exitSignal, isSubreaper, hasExecuted, stoppedBy, holdsParent, startTime, childrenTime, childrenPeakBytes,
    registeredBarriers: p.machine.registeredBarriers, zombies: zombiesOf(p),
  };
}

function posixTimersOf({ signals, tasks }: Process): PosixTimerFacts[] {
  return signals.process.timers.posix.map(({ id, timer, request: { clockId, signal, value, target } }) => ({
    id, clock: clockId, signal, value: value === undefined ? null : String(value),
    target: target === undefined ? 0 : (tasks.find((task) => task.signals === target)?.tid ?? -1),
    deadline: timer.dueAt ?? null, interval: timer.interval, overrun: timer.overrun,
  }));
}

function zombiesOf({ family, world }: Process): ZombieFacts[] {
  return family.children.flatMap((child) => {
    const { exitStatus, pid, cpuTime, credentials } = child;
    if (exitStatus === undefined || world.processes.includes(child)) return [];
    const [code, signal] = exitStatus.kind === 'exited' ? [exitStatus.code, 0] : [0, exitStatus.signal];
    return [{ pid, code, signal, cpuTime, exitSignal: child.family.exitSignal, processGroup: credentials.processGroup, peakBytes: child.family.peakBytes }];
  });
}

export function taskFacts(task: Task, process: number): TaskFacts {
  const { tid, name, clearChildTid, robustList, signals } = task;
  const { policy, priority, nice, resetOnFork, affinity } = task.scheduling;
  return {
    tid, process, name, clearChildTid, robustList, isLeader: task.process.leader === task, blocked: String(signals.maskToSave), altStack: signals.altStack.current,
    scheduling: { policy, priority, nice, resetOnFork, affinity: affinity === undefined ? null : String(affinity) },
    pending: pendingFacts(signals.pending),
  };
}

/**
 * `inheritedAs`: the descriptor as which the user gave it to the run. `idOf`: the recording's number of another file.
 */
export function fileFacts(file: OpenFile, inheritedAs: number | undefined, idOf: (file: OpenFile) => number): FileFacts {
  const { flags } = file;
  if (inheritedAs !== undefined) return { kind: 'inherited', path: file.path, flags, type: identityOf(file).type, fd: inheritedAs };
  if (file instanceof PipeEnd) return { kind: 'pipe', pipe: Number(file.pipe.inode), writes: file.writable, flags, size: file.pipe.size };
  if (file instanceof EventFd) return { kind: 'event', flags, count: String(file.count), semaphore: file.semaphore };
  if (file instanceof TimerFd) return { kind: 'timer', flags, clock: file.clock, next: finite(file.schedule.next), interval: file.schedule.interval };
  if (file instanceof SignalFd) return { kind: 'signals', flags, mask: String(file.mask) };
  if (file instanceof PidFile) return { kind: 'process', flags, pid: file.process.pid };
  if (isStream(file)) {
    const socket = file.save(idOf);
    return socket === undefined ? { kind: 'other', path: file.path, flags } : { kind: 'stream', flags, inode: Number(file.inode), socket };
  }
  if (file instanceof Epoll) return { kind: 'epoll', watches: file.list().map((watch) => ({ file: idOf(watch.file), fd: watch.fd, events: watch.events, data: String(watch.data) })) };
  if (file instanceof MemFd) return { kind: 'memory', path: file.path, flags, inode: Number(file.inode), seals: file.seals, permissions: file.permissions };
  const hasName = file instanceof HostBackedFile || isGenerated(file);
  return hasName ? { kind: 'named', path: file.knownPath, flags, isNew: file.isNew, ...identityOf(file) } : { kind: 'other', path: file.path, flags };
}

/** Sockets that connect, all of whose state can be known. */
export function isStream(file: OpenFile | undefined): file is UnixConnection | TcpSocket {
  return file instanceof UnixConnection || file instanceof TcpSocket;
}

/** Files of /proc, which have a path and are made when they are opened. */
function isGenerated(file: OpenFile): boolean {
  return file.position !== undefined && file.path.startsWith('/proc');
}

function identityOf(file: OpenFile): { type: number; device: number; inode: number } {
  const stat = file.stat();
  if (typeof stat === 'number') return { type: 0, device: 0, inode: 0 };
  return { type: stat.mode & S_IFMT, device: Number(stat.device), inode: Number(stat.inode) };
}

function workingDirectoryOf({ workingDirectory: { fd, path }, host }: Process): BytePath {
  const link = fd === undefined ? path : host.files.readLink(host.files.pathOfFd(fd));
  return typeof link === 'number' ? path : link;
}

function actionsOf({ signals }: Process): ProcessFacts['actions'] {
  const { actions } = signals.process;
  return Array.from({ length: SIGNAL_COUNT }, (_, i) => ({ signal: i + 1, ...actions.get(i + 1) }))
    .filter(({ handler, flags }) => handler !== SIG_DFL || flags !== 0)
    .map(({ signal, handler, flags, restorer, mask }) => ({ signal, flags, handler: String(handler), restorer: String(restorer), mask: String(mask) }));
}

function pendingFacts(pending: PendingSignals): number[][] {
  return pending.count === 0 ? [] : pending.all().map(({ bytes }) => [...bytes]);
}

function finite(limit: number): number | null {
  return limit === Infinity ? null : limit;
}
