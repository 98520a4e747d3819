/**
 * The text files of /proc/PID and /proc/PID/task/TID, by name. Everything that a process may see of itself is made here
 * from what our kernel knows; what is a property of the machine and not of the process (mounts, control groups, name
 * spaces of users) is the host's. Files that are missing here are missing for the guest as well: attr, autogroup,
 * arch_status, ksm_*, map_files, numa_maps, patch_state, sched, seccomp_cache, stack, syscall, timers. No name falls
 * through to our own process.
 */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath, bytePathFromBytes, bytesOfBytePath } from '../../base/bytePath.js';
import type { HostFd } from '../../host/host.js';
import { O } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import type { Task } from '../tasks/task.js';
import { mapsText, rollupText, smapsText } from './procMaps.js';
import { ioText, schedstatText, statmText, statText } from './procStat.js';
import { limitsText, statusText } from './procStatus.js';

export interface ProcText {
  readonly mode: number;
  /** Only who may trace the process may open it. */
  readonly guarded?: boolean;
  /** Missing in the directories of threads, or missing in those of processes. */
  readonly only?: 'process' | 'thread';
  /** Still there when the process has ended. */
  readonly outlives?: boolean;
  /** `task`: in the directory of a thread. */
  make(process: Process, task: Task | undefined): Uint8Array | string;
  /** All bytes of one write; 0 or an error. */
  write?(process: Process, task: Task | undefined, bytes: Uint8Array, by: Process): number;
}

const NAME_LENGTH = 15;
const [LEAST_ADJUSTMENT, MOST_ADJUSTMENT] = [-1000, 1000];
/** What the older file has for "never". */
const OLD_SCALE = 17;
const MOST_OLD = 15;
const PIECE = 16384;

function withNuls(strings: readonly string[]): string {
  return strings.map((s) => `${s}\0`).join('');
}

/**
 * As the program has left its arguments: it may have written over them to show another title, also into the environment
 * behind.
 */
function commandLine(process: Process): Uint8Array | string {
  const { places } = process;
  if (process.exitStatus !== undefined) return '';
  if (places === undefined) return withNuls(process.argv);
  const { argStart, argEnd, envEnd } = places;
  const bytes = process.space.peek(argStart, argEnd - argStart);
  if (bytes === null || bytes.length === 0 || bytes.at(-1) === 0) return bytes ?? '';
  const all = process.space.peek(argStart, envEnd - argStart) ?? bytes;
  const end = all.indexOf(0);
  return end < 0 ? all : all.subarray(0, end + 1);
}

function environment(process: Process): Uint8Array | string {
  const { places } = process;
  if (places === undefined) return withNuls(process.environment);
  return process.space.peek(places.envStart, places.envEnd - places.envStart) ?? '';
}

/** A file of the host's that says the same of us as it would say of the guest. */
function hostText({ host: { files } }: Process, path: string): Uint8Array {
  const fd = files.open(bytePath(path), O.RDONLY | O.CLOEXEC, 0);
  if (fd < 0) return new Uint8Array(0);
  let bytes = new Uint8Array(PIECE);
  let length = 0;
  for (;;) {
    const count = files.read(fd as HostFd, bytes.subarray(length));
    if (count <= 0) break;
    length += count;
    if (length < bytes.length) continue;
    const grown = new Uint8Array(bytes.length * 2);
    grown.set(bytes);
    bytes = grown;
  }
  files.close(fd as HostFd);
  return bytes.subarray(0, length);
}

function ofHost(name: string, mode = 0o444, only?: 'process'): ProcText {
  return {
    mode, make: (p) => hostText(p, `/proc/self/${name}`), ...(only === undefined ? {} : { only }),
    ...((mode & 0o222) === 0 ? {} : { write: () => -E.PERM }),
  };
}

function numberIn(bytes: Uint8Array): number | undefined {
  const text = bytePathFromBytes(bytes).trim();
  const value = /^[+-]?(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isInteger(value) ? value : undefined;
}

function adjustmentOf(process: Process): number {
  return process.oomAdjustment ?? (Number(bytePathFromBytes(hostText(process, '/proc/self/oom_score_adj')).trim()) || 0);
}

function setAdjustment(process: Process, wanted: number | undefined, by: Process): number {
  if (wanted === undefined || wanted < LEAST_ADJUSTMENT || wanted > MOST_ADJUSTMENT) return -E.INVAL;
  if (wanted < adjustmentOf(process) && !by.credentials.privileged) return -E.ACCES;
  process.oomAdjustment = wanted;
  return 0;
}

function oldAdjustment(process: Process): number {
  const adjustment = adjustmentOf(process);
  return adjustment === MOST_ADJUSTMENT ? MOST_OLD : Math.trunc((adjustment * OLD_SCALE) / MOST_ADJUSTMENT);
}

function setOldAdjustment(process: Process, wanted: number | undefined, by: Process): number {
  if (wanted === undefined || wanted < -OLD_SCALE || wanted > MOST_OLD) return -E.INVAL;
  return setAdjustment(process, wanted === MOST_OLD ? MOST_ADJUSTMENT : Math.trunc((wanted * MOST_ADJUSTMENT) / OLD_SCALE), by);
}

/** Threads may name each other; what is longer than a name is cut off. */
function setName(process: Process, task: Task | undefined, bytes: Uint8Array, by: Process): number {
  if (process !== by) return -E.INVAL;
  const cut = bytes.subarray(0, NAME_LENGTH);
  const end = cut.indexOf(0);
  const name: BytePath = bytePathFromBytes(end < 0 ? cut : cut.subarray(0, end));
  (task ?? process.leader).name = name;
  return 0;
}

function setFilter(process: Process, bytes: Uint8Array): number {
  const wanted = numberIn(bytes);
  if (wanted === undefined || wanted < 0) return -E.INVAL;
  process.coreFilter = wanted & 0x1ff;
  return 0;
}

function setSlack(process: Process, bytes: Uint8Array): number {
  const wanted = numberIn(bytes);
  if (wanted === undefined || wanted < 0) return -E.INVAL;
  process.timerSlack = wanted === 0 ? 50_000 : wanted;
  return 0;
}

function childrenOf(process: Process, task: Task | undefined): string {
  // Children are the process's here: the main thread shows them.
  if (task !== process.leader) return '';
  return process.family.children.map(({ pid }) => `${pid} `).join('');
}

export const PROC_TEXTS: Readonly<Record<string, ProcText>> = {
  auxv: { mode: 0o400, guarded: true, make: (p) => p.auxv },
  cgroup: ofHost('cgroup'),
  children: { mode: 0o444, only: 'thread', make: childrenOf },
  clear_refs: {
    mode: 0o200, make: () => '', write: (_p, _task, bytes) => ([1, 2, 3, 4, 5].includes(numberIn(bytes) ?? 0) ? 0 : -E.INVAL),
  },
  cmdline: { mode: 0o444, outlives: true, make: commandLine },
  comm: { mode: 0o644, outlives: true, make: (p, task) => `${(task ?? p.leader).name}\n`, write: setName },
  coredump_filter: {
    mode: 0o644, only: 'process', make: (p) => `${p.coreFilter.toString(16).padStart(8, '0')}\n`, write: (p, _task, bytes) => setFilter(p, bytes),
  },
  cpuset: ofHost('cpuset'),
  environ: { mode: 0o400, guarded: true, make: environment },
  gid_map: ofHost('gid_map', 0o644),
  io: { mode: 0o400, guarded: true, make: ioText },
  limits: { mode: 0o444, make: (p) => limitsText(p.limits) },
  loginuid: ofHost('loginuid', 0o644),
  maps: { mode: 0o444, guarded: true, make: (p) => mapsText(p.space, p.memory) },
  mountinfo: ofHost('mountinfo'),
  mounts: ofHost('mounts'),
  mountstats: ofHost('mountstats', 0o400, 'process'),
  oom_adj: { mode: 0o644, make: (p) => `${oldAdjustment(p)}\n`, write: (p, _task, bytes, by) => setOldAdjustment(p, numberIn(bytes), by) },
  oom_score: { mode: 0o444, make: (p) => `${Math.trunc(((1000 + adjustmentOf(p)) * 2) / 3)}\n` },
  oom_score_adj: { mode: 0o644, make: (p) => `${adjustmentOf(p)}\n`, write: (p, _task, bytes, by) => setAdjustment(p, numberIn(bytes), by) },
  personality: { mode: 0o400, guarded: true, make: (p) => `${p.personality.toString(16).padStart(8, '0')}\n` },
  projid_map: ofHost('projid_map', 0o644),
  schedstat: { mode: 0o444, make: schedstatText },
  sessionid: ofHost('sessionid'),
  setgroups: ofHost('setgroups', 0o644),
  smaps: { mode: 0o444, guarded: true, make: (p) => smapsText(p.space, p.memory) },
  smaps_rollup: { mode: 0o444, guarded: true, make: (p) => rollupText(p.space) },
  stat: { mode: 0o444, outlives: true, make: statText },
  statm: { mode: 0o444, make: statmText },
  status: { mode: 0o444, outlives: true, make: statusText },
  timens_offsets: ofHost('timens_offsets', 0o644, 'process'),
  timerslack_ns: { mode: 0o666, only: 'process', guarded: true, make: (p) => `${p.timerSlack}\n`, write: (p, _task, bytes) => setSlack(p, bytes) },
  uid_map: ofHost('uid_map', 0o644),
  wchan: { mode: 0o444, make: () => '0' },
};

export function bytesOfText(text: Uint8Array | string): Uint8Array {
  return typeof text === 'string' ? bytesOfBytePath(text) : text;
}
