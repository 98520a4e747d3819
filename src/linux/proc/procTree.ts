/**
 * What is below /proc, by names without links in between (pathWalk.ts follows those). Processes and threads of the
 * guest are ours to show, to the last file. The machine's files and processes outside are the host's. Our own process
 * is nowhere: a number that means us, one of our threads or a process that we have started does not exist.
 */
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { Host } from '../../host/host.js';
import { DT } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { nodeStat } from '../files/virtualFile.js';
import type { PathPlace } from '../paths.js';
import type { Process } from '../process.js';
import { allProcesses, findProcess } from '../processes/groups.js';
import type { Task } from '../tasks/task.js';
import { cpuInfo } from './cpuInfo.js';
import { fdInfoNode } from './fdInfo.js';
import { MemFile, PagemapFile } from './memFile.js';
import { memInfo } from './memInfo.js';
import { bytesOfText, PROC_TEXTS, type ProcText } from './procTexts.js';
import { sysVIpcNode } from './sysVIpcTexts.js';
import type { VirtualEntry, VirtualNode } from './virtualNode.js';

const LINKS = ['exe', 'cwd', 'root'];
const NUMBER = /^[1-9]\d*$/;
const LINK_MODE = 0o777;
const FD_LINK_SIZE = 64;

/** A process or a thread of it, as another process looks at it. */
interface Subject {
  readonly of: Process;
  /** In the directory of a thread. */
  readonly task: Task | undefined;
  readonly by: Process;
  readonly path: BytePath;
}

/** `names` come after /proc. Undefined: there is no such file. */
export function findInProc(by: Process, names: readonly string[]): PathPlace | undefined {
  const [first, ...rest] = names;
  if (first === undefined) return virtual(rootDirectory(by));
  if (NUMBER.test(first)) return findByNumber(by, Number(first), rest);
  if (rest.length === 0) {
    const node = topNode(by, first);
    if (node !== undefined) return virtual(node);
  }
  const ipc = first === 'sysvipc' && rest.length <= 1 ? sysVIpcNode(by, rest[0]) : undefined;
  return ipc === undefined ? hostPlace(names) : virtual(ipc);
}

function virtual(node: VirtualNode): PathPlace {
  return { kind: 'virtual', node };
}

function hostPlace(names: readonly string[]): PathPlace {
  return { kind: 'host', path: bytePath(`/proc/${names.join('/')}`) };
}

function topNode(by: Process, name: string): VirtualNode | undefined {
  const path = bytePath(`/proc/${name}`);
  const text = (make: () => Uint8Array): VirtualNode => ({ kind: 'text', path, mode: 0o444, text: make });
  const link = (target: string): VirtualNode => ({ kind: 'link', path, target: bytePath(target), mode: LINK_MODE, size: 0 });
  switch (name) {
    case 'cpuinfo':
      return text(() => cpuInfo(by.host.system.processors()));
    case 'meminfo':
      return text(() => memInfo(by));
    case 'self':
      return link(String(by.pid));
    case 'thread-self':
      return link(`${by.pid}/task/${by.tid}`);
    default:
      return undefined;
  }
}

function findByNumber(by: Process, number: number, rest: readonly string[]): PathPlace | undefined {
  const of = findProcess(by.world, number) ?? by.world.tasks.find(({ tid }) => tid === number)?.process;
  if (of !== undefined) return findInProcess({ of, by, task: undefined, path: bytePath(`/proc/${number}`) }, rest);
  const outside = by.host.identity.numberOutside?.(number) ?? number;
  return by.host.identity.isOurs?.(outside) === true ? undefined : hostPlace([String(outside), ...rest]);
}

/** What is at `names` in the directory of a process or thread. */
function findInProcess(subject: Subject, names: readonly string[]): PathPlace | undefined {
  const { of, task } = subject;
  const [name, ...rest] = names;
  if (name === undefined) return virtual(directoryOf(subject));
  const hasEnded = of.exitStatus !== undefined;
  const path = bytePath(`${subject.path}/${name}`);
  if (name === 'task' && task === undefined) return findThread(subject, path, rest);
  if (hasEnded && PROC_TEXTS[name]?.outlives !== true) return undefined;
  // The network is the same for all.
  if (name === 'net') return hostPlace(['self', ...names]);
  if (name === 'ns') return findNamespace(subject, path, rest);
  if (name === 'fd' && rest.length <= 1) return findDescriptor(subject, path, rest[0]);
  if (name === 'fdinfo' && rest.length <= 1) {
    const node = fdInfoNode(of, path, rest[0]);
    return node === undefined ? undefined : virtual(node);
  }
  if (rest.length > 0) return undefined;
  if (name === 'mem' || name === 'pagemap') return virtual(memoryNode(subject, path, name));
  return LINKS.includes(name) ? virtual(linkNode(subject, path, name)) : textNode(subject, path, name);
}

function textNode({ of, task }: Subject, path: BytePath, name: string): PathPlace | undefined {
  const text = Object.hasOwn(PROC_TEXTS, name) ? PROC_TEXTS[name] : undefined;
  if (text === undefined || !isIn(text, task)) return undefined;
  const { mode, guarded } = text;
  const write = text.write?.bind(text);
  return virtual({
    kind: 'text', path, mode, of, guarded: guarded === true,
    text: () => bytesOfText(text.make(of, task)),
    ...(write === undefined ? {} : { write: (bytes: Uint8Array, writer: Process) => write(of, task, bytes, writer) || bytes.length }),
  });
}

function isIn({ only }: ProcText, task: Task | undefined): boolean {
  return only === undefined || (only === 'thread') === (task !== undefined);
}

function memoryNode({ of, by }: Subject, path: BytePath, name: 'mem' | 'pagemap'): VirtualNode {
  const node: VirtualNode = {
    kind: 'file', path, of, guarded: true, mode: name === 'mem' ? 0o600 : 0o400,
    open: (flags) => (name === 'mem' ? new MemFile(path, flags, nodeStat(by, node), { of, by }) : new PagemapFile(path, flags, nodeStat(by, node), of)),
  };
  return node;
}

function linkNode({ of }: Subject, path: BytePath, name: string): VirtualNode {
  const target = name === 'exe' ? of.exe : name === 'cwd' ? currentPath(of) : bytePath('/');
  const place = name === 'cwd' && of.workingDirectory.isVirtual === true ? findInProc(of, target.split('/').slice(2)) : undefined;
  const node = place?.kind === 'virtual' ? place.node : undefined;
  const openPath = name === 'exe' ? of.exeFile?.openPath : undefined;
  const leadsTo = openPath === undefined ? {} : { leadsTo: bytePath(openPath) };
  return { kind: 'link', path, target, of, guarded: true, mode: LINK_MODE, size: 0, ...leadsTo, ...(node === undefined ? {} : { node }) };
}

function currentPath({ workingDirectory: { fd, path, isVirtual }, host }: Process): BytePath {
  if (isVirtual === true) return path;
  return fd === undefined ? host.files.workingDirectory() : host.files.pathOfFd(fd);
}

function findThread(subject: Subject, path: BytePath, names: readonly string[]): PathPlace | undefined {
  const { of } = subject;
  const [tid, ...rest] = names;
  const tasks = of.exitStatus === undefined ? of.tasks : [];
  if (tid === undefined) {
    const entries = (): VirtualEntry[] => tasks.map((task) => ({ name: bytePath(String(task.tid)), type: DT.DIR }));
    return virtual({ kind: 'directory', path, mode: 0o555, of, entries });
  }
  const task = tasks.find((one) => String(one.tid) === tid);
  return task === undefined ? undefined : findInProcess({ ...subject, task, path: bytePath(`${path}/${tid}`) }, rest);
}

/** The guest has the name spaces that we have. */
function findNamespace({ of, by }: Subject, path: BytePath, names: readonly string[]): PathPlace | undefined {
  const [name, ...rest] = names;
  const ours = bytePath('/proc/self/ns');
  if (name === undefined) return virtual({ kind: 'directory', path, mode: 0o511, of, entries: () => hostEntries(by.host, ours) });
  const leadsTo = bytePath(`${ours}/${name}`);
  const target = rest.length > 0 || name.includes('/') ? -1 : by.host.files.readLink(leadsTo);
  if (typeof target === 'number') return undefined;
  return virtual({ kind: 'link', path: bytePath(`${path}/${name}`), target, leadsTo, of, guarded: true, mode: LINK_MODE, size: 0 });
}

function findDescriptor({ of }: Subject, path: BytePath, name: string | undefined): PathPlace | undefined {
  if (name === undefined) {
    const entries = (): VirtualEntry[] => of.files.numbers().map((fd) => ({ name: bytePath(String(fd)), type: DT.LNK }));
    return virtual({ kind: 'directory', path, mode: 0o500, of, guarded: true, entries });
  }
  const file = /^\d+$/.test(name) ? of.files.get(Number(name)) : undefined;
  if (file === undefined) return undefined;
  return virtual({
    kind: 'link', path: bytePath(`${path}/${name}`), target: file.path, file, of, guarded: true, mode: descriptorMode(file), size: FD_LINK_SIZE,
  });
}

/** The permissions of /proc/self/fd/N tell how it was opened. */
function descriptorMode(file: OpenFile): number {
  return (file.readable ? 0o500 : 0) | (file.writable ? 0o300 : 0) | 0o100;
}

function directoryOf({ of, task, path }: Subject): VirtualNode {
  const hasEnded = of.exitStatus !== undefined;
  const directories = hasEnded ? [] : ['fd', 'fdinfo', 'net', 'ns'];
  const texts = Object.entries(PROC_TEXTS).filter(([, text]) => isIn(text, task) && (!hasEnded || text.outlives === true));
  const entry = (type: number) => (name: string): VirtualEntry => ({ name: bytePath(name), type });
  return {
    kind: 'directory', path, mode: 0o555, of,
    entries: () => [
      ...[...directories, ...(task === undefined ? ['task'] : [])].map(entry(DT.DIR)),
      ...(hasEnded ? [] : LINKS).map(entry(DT.LNK)),
      ...[...texts.map(([name]) => name), ...(hasEnded ? [] : ['mem', 'pagemap'])].map(entry(DT.REG)),
    ],
  };
}

/** /proc: what the host has, except that the guest's processes are there in place of us. */
function rootDirectory({ host, world }: Process): VirtualNode {
  const path = bytePath('/proc');
  return {
    kind: 'directory', path, mode: 0o555, hostPath: path,
    entries: () => {
      const ours = new Set([...allProcesses(world)].map(({ pid }) => String(pid)));
      const isOutside = (name: string): boolean => !ours.has(name) && !(NUMBER.test(name) && host.identity.isOurs?.(Number(name)) === true);
      return [
        ...hostEntries(host, path).filter(({ name }) => isOutside(name)),
        ...[...ours].map((pid) => ({ name: bytePath(pid), type: DT.DIR })),
      ];
    },
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
