/**
 * Which paths we answer ourselves: those through which a process looks at itself. Everything else
 * below /proc and /dev is the host's. Look-up goes by the spelling of the path.
 */
import { bytePath, type BytePath, bytesOfBytePath } from '../../host/bytePath.js';
import type { Host } from '../../host/host.js';
import { DT } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import { allProcesses, findProcess } from '../processes/groups.js';
import type { Place } from '../paths.js';
import type { Task } from '../tasks/task.js';
import { cpuInfo } from './cpuInfo.js';
import { fdInfoNode } from './fdInfo.js';
import { PROC_TEXTS } from './procTexts.js';
import { sysVIpcNode } from './sysVIpcTexts.js';
import type { VirtualEntry, VirtualNode } from './virtualNode.js';

const DIRECTORIES = ['fd', 'fdinfo', 'task'];
const LINKS = ['exe', 'cwd', 'root'];
const LEFT_OF_ENDED = ['stat', 'status', 'comm', 'cmdline', 'task'];
const STANDARD_DEVICES: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2 };

/** `path` is absolute. Undefined: it is the host's. */
export function findVirtual(process: Process, path: BytePath): Place | undefined {
  const parts = normalise(path);
  if (parts[0] === 'proc') return findInProc(process, parts.slice(1));
  if (parts[0] === 'dev') return findInDev(process, parts.slice(1));
  return undefined;
}

/** Without empty parts and `.`; `..` is taken at its word, except behind a descriptor, which may be any directory. */
function normalise(path: BytePath): string[] {
  const parts: string[] = [];
  let below = false;
  for (const part of path.split('/')) {
    below ||= isDescriptor(parts);
    if (part === '..' && !below) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

function isDescriptor(parts: readonly string[]): boolean {
  return (parts.length === 3 && parts[0] === 'dev' && parts[1] === 'fd') || (parts.length === 4 && parts[0] === 'proc' && parts[2] === 'fd');
}

function virtual(node: VirtualNode): Place {
  return { kind: 'virtual', node };
}

function findInDev(process: Process, parts: readonly string[]): Place | undefined {
  const [name, ...rest] = parts;
  if (name === undefined) return undefined;
  if (name === 'fd') return findDescriptor(process, bytePath('/proc/self/fd'), rest);
  const number = STANDARD_DEVICES[name];
  if (number === undefined || rest.length > 0) return undefined;
  return findDescriptor(process, bytePath('/proc/self/fd'), [String(number)]);
}

function findInProc(process: Process, parts: readonly string[]): Place | undefined {
  const [first, ...rest] = parts;
  if (first === 'cpuinfo' && rest.length === 0) {
    const path = bytePath('/proc/cpuinfo');
    return virtual({ kind: 'text', path, mode: 0o444, text: () => cpuInfo(process.host.system.processors()) });
  }
  if (first === undefined) return virtual(processDirectory(process));
  const ipc = first === 'sysvipc' && rest.length <= 1 ? sysVIpcNode(process, rest[0]) : undefined;
  if (ipc !== undefined) return virtual(ipc);
  if (first === 'self') return rest.length === 0 ? virtual(selfLink(process)) : findInSelf(process, rest);
  if (first === 'thread-self') return findInTask(process, process.task, rest);
  const other = /^\d+$/.test(first) ? findProcess(process.world, Number(first)) : undefined;
  if (other === undefined) return undefined;
  return other.exitStatus === undefined || isLeft(rest) ? findInSelf(other, rest) : nothing();
}

/** What is left of a process that has ended: its memory and its files are gone. */
function isLeft(parts: readonly string[]): boolean {
  return parts.length === 0 || LEFT_OF_ENDED.includes(parts.join('/'));
}

/** Where nothing is, on the host either. */
function nothing(): Place {
  return { kind: 'host', path: bytePath('/proc/self/no-such-entry') };
}

function selfLink(process: Process): VirtualNode {
  const node = taskDirectory(process);
  return { kind: 'link', path: bytePath('/proc/self'), target: bytePath(String(process.pid)), node, mode: 0o777, size: 0 };
}

function taskDirectory(process: Process): VirtualNode {
  const links = process.exitStatus === undefined ? LINKS : [];
  const texts = Object.keys(PROC_TEXTS).filter((name) => isLeft([name]) || process.exitStatus === undefined);
  return {
    kind: 'directory', path: bytePath(`/proc/${process.pid}`), hostPath: bytePath('/proc/self'),
    entries: () => [
      ...DIRECTORIES.map((name) => ({ name: bytePath(name), type: DT.DIR })),
      ...links.map((name) => ({ name: bytePath(name), type: DT.LNK })),
      ...texts.map((name) => ({ name: bytePath(name), type: DT.REG })),
    ],
  };
}

/** /proc: what the host has, except that we ourselves are the guest's processes. */
function processDirectory(process: Process): VirtualNode {
  const { host, world } = process;
  return {
    kind: 'directory', path: bytePath('/proc'), hostPath: bytePath('/proc'),
    entries: () => [
      ...hostEntries(host, bytePath('/proc')).filter(({ name }) => name !== host.files.readLink(bytePath('/proc/self'))),
      ...[...allProcesses(world)].map(({ pid }) => ({ name: bytePath(String(pid)), type: DT.DIR })),
    ],
  };
}

function hostEntries(host: Host, path: BytePath): VirtualEntry[] {
  const directory = host.files.openDirectory(path);
  if (typeof directory === 'number') return [];
  const entries: VirtualEntry[] = [];
  for (let entry = directory.next(); entry !== undefined; entry = directory.next()) entries.push(entry);
  directory.close();
  return entries;
}

/** What threads of a process have in common, and what is different. */
function findInTask(process: Process, task: Task, parts: readonly string[]): Place | undefined {
  if (parts.join('/') !== 'comm') return findInSelf(process, parts);
  const path = bytePath(`/proc/${process.pid}/task/${task.tid}/comm`);
  return virtual({ kind: 'text', path, mode: 0o644, text: () => bytesOfBytePath(`${task.name}\n`) });
}

function findTask(process: Process, path: BytePath, parts: readonly string[]): Place | undefined {
  const [tid, ...rest] = parts;
  if (tid === undefined) {
    return virtual({ kind: 'directory', path, entries: () => process.tasks.map((task) => ({ name: bytePath(String(task.tid)), type: DT.DIR })) });
  }
  const task = process.tasks.find((one) => String(one.tid) === tid);
  return task === undefined ? undefined : findInTask(process, task, rest);
}

function findInSelf(process: Process, parts: readonly string[]): Place | undefined {
  const [name, ...rest] = parts;
  if (name === undefined) return virtual(taskDirectory(process));
  const path = bytePath(`/proc/${process.pid}/${name}`);
  if (name === 'task') return findTask(process, path, rest);
  if (name === 'fd') return findDescriptor(process, path, rest);
  if (name === 'fdinfo' && rest.length <= 1) {
    const node = fdInfoNode(process, path, rest[0]);
    return node === undefined ? nothing() : virtual(node);
  }
  if (name === 'exe' && rest.length === 0) {
    return virtual({ kind: 'link', path, target: process.exe, hostPath: bytePath(process.exeFile?.openPath ?? process.exe), mode: 0o777, size: 0 });
  }
  if (name === 'cwd') return findBelow(path, currentPath(process), rest);
  if (name === 'root') return findBelow(path, bytePath('/'), rest);
  const text = PROC_TEXTS[name];
  if (text === undefined || rest.length > 0) return undefined;
  return virtual({ kind: 'text', path, mode: text.mode, text: () => text.make(process) });
}

function currentPath(process: Process): BytePath {
  const { fd } = process.workingDirectory;
  if (fd === undefined) return process.host.files.workingDirectory();
  return process.host.files.pathOfFd(fd);
}

/** A link to a directory of the host, or something below it. */
function findBelow(path: BytePath, target: BytePath, rest: readonly string[]): Place {
  if (rest.length > 0) return { kind: 'host', path: bytePath([target, ...rest].join('/')) };
  return virtual({ kind: 'link', path, target, mode: 0o777, size: 0 });
}

function findDescriptor(process: Process, directory: BytePath, parts: readonly string[]): Place {
  const [name, ...rest] = parts;
  if (name === undefined) return virtual(descriptorDirectory(process, directory));
  const path = bytePath(`${directory}/${name}`);
  const file = /^\d+$/.test(name) ? process.files.get(Number(name)) : undefined;
  if (file === undefined) return { kind: 'host', path: bytePath(`/proc/self/fd/no-such-descriptor`) };
  if (rest.length > 0 && file.hostFd !== undefined) {
    return { kind: 'host', path: bytePath([process.host.files.pathOfFd(file.hostFd), ...rest].join('/')) };
  }
  return virtual({ kind: 'link', path, target: file.path, file, mode: linkMode(file), size: 64 });
}

/** The permissions of /proc/self/fd/N tell how it was opened. */
function linkMode(file: OpenFile): number {
  return (file.readable ? 0o500 : 0) | (file.writable ? 0o300 : 0) | 0o100;
}

function descriptorDirectory(process: Process, path: BytePath): VirtualNode {
  return {
    kind: 'directory',
    path,
    entries: () => process.files.numbers().map((fd) => ({ name: bytePath(String(fd)), type: DT.LNK })),
  };
}
