/** /proc/PID/status and limits, and the same of a thread. */
import { PAGE_SIZE, pageCeil } from '../../base/types.js';
import { type Mapping, PROT } from '../../machine/addressSpace.js';
import type { IdSet } from '../credentials.js';
import type { Limits } from '../limits.js';
import type { Process } from '../process.js';
import type { SignalSets } from '../signalPort.js';
import type { Task } from '../tasks/task.js';
import { residentIn } from './procMaps.js';

/** Every bit of a set of capabilities that there is. */
const ALL_CAPABILITIES = 0x1ff_ffff_ffffn;
/** Page tables take a page for so many bytes of memory. */
const BYTES_PER_TABLE = 2 * 1024 * 1024;
const MEMORY_NODES = 32;
const UNLIMITED = '18446744073709551615';

function ids(set: IdSet): string {
  return `${set.real}\t${set.effective}\t${set.saved}\t${set.fileSystem}`;
}

function kilobytes(label: string, bytes: number): string {
  return `${label}:\t${String(Math.floor(bytes / 1024)).padStart(8)} kB\n`;
}

function bits(label: string, set: bigint): string {
  return `${label}:\t${set.toString(16).padStart(16, '0')}\n`;
}

function signalSets({ pending, sharedPending, blocked, ignored, caught }: SignalSets): string {
  return bits('SigPnd', pending) + bits('ShdPnd', sharedPending) + bits('SigBlk', blocked) + bits('SigIgn', ignored) + bits('SigCgt', caught);
}

function capabilities(privileged: boolean): string {
  const held = privileged ? ALL_CAPABILITIES : 0n;
  return bits('CapInh', 0n) + bits('CapPrm', held) + bits('CapEff', held) + bits('CapBnd', ALL_CAPABILITIES) + bits('CapAmb', 0n);
}

function total(mappings: readonly Mapping[], counts: (m: Mapping) => boolean): number {
  return mappings.reduce((sum, m) => (counts(m) ? sum + m.end - m.start : sum), 0);
}

function memoryLines(process: Process): string {
  const { space } = process;
  const mappings = space.mappings();
  const resident = residentIn(space);
  const code = total(mappings, (m) => m.file !== undefined && (m.prot & PROT.EXEC) !== 0);
  const own = codeBytes(process);
  return (
    kilobytes('VmPeak', space.peakMappedBytes) + kilobytes('VmSize', space.mappedBytes) + kilobytes('VmLck', 0) +
    kilobytes('VmPin', 0) + kilobytes('VmHWM', space.peakResidentBytes) + kilobytes('VmRSS', resident.all * 1024) +
    kilobytes('RssAnon', resident.anonymous * 1024) + kilobytes('RssFile', resident.file * 1024) + kilobytes('RssShmem', resident.shared * 1024) +
    kilobytes('VmData', total(mappings, (m) => !m.shared && !m.growsDown && (m.prot & PROT.WRITE) !== 0)) +
    kilobytes('VmStk', total(mappings, (m) => m.growsDown)) +
    kilobytes('VmExe', own) + kilobytes('VmLib', Math.max(0, code - own)) +
    kilobytes('VmPTE', Math.ceil(space.mappedBytes / BYTES_PER_TABLE) * PAGE_SIZE) + kilobytes('VmSwap', 0) + kilobytes('HugetlbPages', 0) +
    'CoreDumping:\t0\nTHP_enabled:\t0\nuntag_mask:\t0xffffffffffffffff\n'
  );
}

/** Of the program itself. */
export function codeBytes({ places }: Process): number {
  return places === undefined ? 0 : pageCeil(places.endCode) - places.startCode;
}

/** As status has it; stat has the letter. */
export function stateOf(process: Process, task: Task | undefined): string {
  if (process.exitStatus !== undefined || (task !== undefined && task.ended)) return 'Z (zombie)';
  if (process.family.isStopped) return 'T (stopped)';
  const isReady = task === undefined ? process.tasks.some((one) => one.isReady) : task.isReady;
  return isReady ? 'R (running)' : 'S (sleeping)';
}

/** What signals of the thread, or of the main one, there are. */
export function setsOf(process: Process, task: Task | undefined): SignalSets {
  const { signals } = process;
  const thread = (task ?? process.leader).signals;
  return { ...signals.sets(), pending: thread.pending.set, blocked: thread.blocked };
}

function bitList(mask: bigint): string {
  const ranges: string[] = [];
  for (let i = 0; mask >> BigInt(i) !== 0n; i++) {
    if (((mask >> BigInt(i)) & 1n) === 0n) continue;
    let last = i;
    while (((mask >> BigInt(last + 1)) & 1n) !== 0n) last++;
    ranges.push(last === i ? String(i) : `${i}-${last}`);
    i = last;
  }
  return ranges.join(',');
}

/** In words of 32 bits, the first one as short as it can be. */
function bitWords(mask: bigint, count: number): string {
  const words: string[] = [];
  for (let at = 0; at < count; at += 32) {
    const width = Math.min(32, count - at);
    words.unshift(((mask >> BigInt(at)) & 0xffff_ffffn).toString(16).padStart(Math.ceil(width / 4), '0'));
  }
  return words.join(',');
}

/** `task`: one thread of the process, or all of it. */
export function statusText(process: Process, task: Task | undefined): string {
  const { credentials, host } = process;
  const processors = host.system.processors();
  const affinity = (task ?? process.leader).scheduling.affinity ?? (1n << BigInt(processors)) - 1n;
  const tid = task?.tid ?? process.pid;
  const most = process.limits.soft(11);
  return (
    `Name:\t${(task ?? process.leader).name}\nUmask:\t0${process.umask.toString(8).padStart(3, '0')}\nState:\t${stateOf(process, task)}\n` +
    `Tgid:\t${process.pid}\nNgid:\t0\nPid:\t${tid}\nPPid:\t${process.parentPid}\nTracerPid:\t0\n` +
    `Uid:\t${ids(credentials.user)}\nGid:\t${ids(credentials.group)}\nFDSize:\t${process.files.capacity}\n` +
    `Groups:\t${credentials.groups.join(' ')} \n` +
    `NStgid:\t${process.pid}\nNSpid:\t${tid}\nNSpgid:\t${credentials.processGroup}\nNSsid:\t${credentials.session}\nKthread:\t0\n` +
    (process.exitStatus === undefined ? memoryLines(process) : '') +
    `Threads:\t${process.tasks.length}\nSigQ:\t0/${most === Infinity ? UNLIMITED : most}\n` +
    signalSets(setsOf(process, task)) + capabilities(credentials.privileged) +
    `NoNewPrivs:\t${process.noNewPrivileges}\nSeccomp:\t0\nSeccomp_filters:\t0\n` +
    'Speculation_Store_Bypass:\tnot vulnerable\nSpeculationIndirectBranch:\tnot affected\n' +
    `Cpus_allowed:\t${bitWords(affinity, processors)}\nCpus_allowed_list:\t${bitList(affinity)}\n` +
    `Mems_allowed:\t${bitWords(1n, 32 * MEMORY_NODES)}\nMems_allowed_list:\t0\n` +
    `voluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n`
  );
}

const LIMIT_LABELS: readonly (readonly [string, string])[] = [
  ['Max cpu time', 'seconds'], ['Max file size', 'bytes'], ['Max data size', 'bytes'], ['Max stack size', 'bytes'],
  ['Max core file size', 'bytes'], ['Max resident set', 'bytes'], ['Max processes', 'processes'],
  ['Max open files', 'files'], ['Max locked memory', 'bytes'], ['Max address space', 'bytes'],
  ['Max file locks', 'locks'], ['Max pending signals', 'signals'], ['Max msgqueue size', 'bytes'],
  ['Max nice priority', ''], ['Max realtime priority', ''], ['Max realtime timeout', 'us'],
];

export function limitsText(limits: Limits): string {
  const row = (a: string, b: string, c: string, d: string): string =>
    `${a.padEnd(25)} ${b.padEnd(20)} ${c.padEnd(20)} ${d.padEnd(10)}\n`;
  const value = (n: number): string => (n === Infinity ? 'unlimited' : String(n));
  let text = row('Limit', 'Soft Limit', 'Hard Limit', 'Units');
  LIMIT_LABELS.forEach(([label, unit], resource) => {
    const { soft, hard } = limits.get(resource);
    text += unit === '' ? `${row(label, value(soft), value(hard), '').trimEnd().padEnd(68)}\n` : row(label, value(soft), value(hard), unit);
  });
  return text;
}
