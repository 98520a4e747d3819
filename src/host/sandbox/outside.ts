/**
 * What of the real system a guest in the sandbox does not get to see: processes that are not its own, whatever way
 * leads to their entries in /proc, and files through which the memory of the whole machine can be read or its messages
 * be taken away.
 *
 * Of the entries of our own process only those are there that are about the machine. All others of a process the
 * guest's kernel makes itself (linux/proc).
 */
import { E } from '../../base/errno.js';
import { S_IFCHR } from '../../base/fileConstants.js';
import type { HostFiles } from '../host.js';
import { keyOf, type NodeKey, type Ref, typeOf } from './node.js';

const PROC_MAGIC = 0x9fa0;
/** The root of every mounted proc file system. */
const PROC_ROOT_INODE = 1n;
const OF_THE_MACHINE = new Set(['mounts', 'mountinfo', 'mountstats']);
/** In the root of /proc. `net` is ours by the name self/net, and shows the network, which is not there. */
const CLOSED_IN_PROC = new Set(['kcore', 'kmsg', 'kpagecount', 'kpageflags', 'kpagecgroup', 'vmcore', 'keys', 'key-users', 'locks', 'timer_list', 'sched_debug', 'net']);
/** Below /sys: what kernel developers look with. */
const CLOSED_IN_SYS = /^\/sys\/kernel\/(debug|tracing|security|vmcoreinfo|notes|btf)(\/|$)/;

/** Major numbers of terminals: the console and serial lines, /dev/tty and its kin, pseudo terminals. */
const TERMINALS = [4, 5, 136, 137, 138, 139, 140, 141, 142, 143];
const MEMORY_DEVICES = 1;
/** null, zero, full, random, urandom. */
const HARMLESS_MINORS = [3, 5, 7, 8, 9];
/** /dev/tty: whichever terminal the user has started us from. */
const CONTROLLING_TERMINAL = 0x500n;

/** Whether `name` in a directory of the real system is something that the guest is not to find. */
export function isOutside(files: HostFiles, directory: Ref, name: string): boolean {
  const { lowerPath, stat } = directory;
  if (lowerPath === undefined) return false;
  if (lowerPath.startsWith('/sys/') && CLOSED_IN_SYS.test(`${lowerPath}/${name}`)) return true;
  const isNumber = /^\d+$/.test(name);
  if (stat.inode === PROC_ROOT_INODE && (isNumber || CLOSED_IN_PROC.has(name)) && isProc(files, directory)) return !isNumber || !isOurs(files, directory, name);
  return isProcessDirectory(lowerPath) && isProc(files, directory) && !OF_THE_MACHINE.has(name);
}

/** A process's directory in some proc file system. */
function isProcessDirectory(path: string): boolean {
  return /\/\d+$/.test(path);
}

function isProc(files: HostFiles, { lowerPath }: Ref): boolean {
  const system = lowerPath === undefined ? -E.NOENT : files.statfs(lowerPath);
  return typeof system !== 'number' && system.type === PROC_MAGIC;
}

/** The process that reads it: ourselves. */
function isOurs(files: HostFiles, { lowerPath }: Ref, name: string): boolean {
  return files.readLink(`${lowerPath ?? ''}/self` as NonNullable<Ref['lowerPath']>) === name;
}

/** The terminals that the user has connected. */
export function connectedTerminals(files: HostFiles): ReadonlySet<NodeKey> {
  const stats = files.inherited().map((fd) => files.statFd(fd));
  return new Set(stats.flatMap((stat) => (typeof stat !== 'number' && isTerminal(stat) ? [keyOf(stat)] : [])));
}

/** Devices that are opened for real: those that do nothing to anybody, and the user's own terminal. */
export function isOpenDevice(terminals: ReadonlySet<NodeKey>, { key, stat }: Ref): boolean {
  if (typeOf(stat) !== S_IFCHR) return false;
  if (major(stat.specialDevice) === MEMORY_DEVICES) return HARMLESS_MINORS.includes(Number(stat.specialDevice & 0xffn));
  return isTerminal(stat) && (stat.specialDevice === CONTROLLING_TERMINAL || terminals.has(key));
}

function isTerminal(stat: { readonly mode: number; readonly specialDevice: bigint }): boolean {
  return typeOf(stat) === S_IFCHR && TERMINALS.includes(major(stat.specialDevice));
}

function major(device: bigint): number {
  return Number((device >> 8n) & 0xfffn);
}
