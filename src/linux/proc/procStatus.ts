/** /proc/self/status, stat and limits. */
import { PAGE_SIZE } from '../../base/types.js';
import { RIP, RSP } from '../../layout/cpuState.js';
import type { IdSet } from '../credentials.js';
import type { Limits } from '../limits.js';
import type { Process } from '../process.js';
import type { SignalSets } from '../signalPort.js';

const CLOCK_TICKS_PER_SECOND = 100;

function ids(set: IdSet): string {
  return `${set.real}\t${set.effective}\t${set.saved}\t${set.fileSystem}`;
}

function kilobytes(label: string, bytes: number): string {
  return `${label}:\t${String(Math.floor(bytes / 1024)).padStart(8)} kB\n`;
}

function named(process: Process, name: string): number {
  const m = process.space.mappings().find((mapping) => mapping.name === name);
  return m === undefined ? 0 : m.end - m.start;
}

function signalSets({ pending, sharedPending, blocked, ignored, caught }: SignalSets): string {
  const line = (label: string, set: bigint): string => `${label}:\t${set.toString(16).padStart(16, '0')}\n`;
  return line('SigPnd', pending) + line('ShdPnd', sharedPending) + line('SigBlk', blocked) + line('SigIgn', ignored) + line('SigCgt', caught);
}

function memoryLines(process: Process): string {
  const { space } = process;
  return (
    kilobytes('VmPeak', space.peakMappedBytes) + kilobytes('VmSize', space.mappedBytes) + kilobytes('VmLck', 0) +
    kilobytes('VmPin', 0) + kilobytes('VmHWM', space.peakResidentBytes) + kilobytes('VmRSS', space.residentBytes) +
    kilobytes('RssAnon', space.residentBytes) + kilobytes('RssFile', 0) + kilobytes('RssShmem', 0) +
    kilobytes('VmData', named(process, '[heap]')) + kilobytes('VmStk', named(process, '[stack]')) +
    kilobytes('VmExe', named(process, process.exe)) + kilobytes('VmLib', 0) + kilobytes('VmPTE', 0) +
    kilobytes('VmSwap', 0)
  );
}

/** As status has it; stat has the letter. */
function stateOf(process: Process): string {
  if (process.exitStatus !== undefined) return 'Z (zombie)';
  if (process.family.isStopped) return 'T (stopped)';
  return process.tasks.some((task) => task.isReady) ? 'R (running)' : 'S (sleeping)';
}

export function statusText(process: Process): string {
  const { credentials, host } = process;
  const processors = host.system.processors();
  const mask = (2 ** processors - 1).toString(16);
  return (
    `Name:\t${process.name}\nUmask:\t0${process.umask.toString(8).padStart(3, '0')}\nState:\t${stateOf(process)}\n` +
    `Tgid:\t${process.pid}\nNgid:\t0\nPid:\t${process.tid}\nPPid:\t${process.parentPid}\nTracerPid:\t0\n` +
    `Uid:\t${ids(credentials.user)}\nGid:\t${ids(credentials.group)}\nFDSize:\t64\n` +
    `Groups:\t${credentials.groups.map((group) => `${group} `).join('')}\n` +
    (process.exitStatus === undefined ? memoryLines(process) : '') +
    `Threads:\t${process.tasks.length}\nSigQ:\t0/${process.limits.soft(11)}\n` +
    signalSets(process.signals.sets()) +
    `NoNewPrivs:\t${process.noNewPrivileges}\nSeccomp:\t0\n` +
    `Cpus_allowed:\t${mask}\nCpus_allowed_list:\t${processors === 1 ? '0' : `0-${processors - 1}`}\n` +
    `voluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n`
  );
}

export function statText(process: Process): string {
  const { credentials } = process;
  const { peak, mapped, resident, stackEnd, sp, ip } = placesOf(process);
  const ticks = (nanoseconds: number): number => Math.floor((nanoseconds * CLOCK_TICKS_PER_SECOND) / 1e9);
  const uptime = process.clock.boottime().seconds - (process.clock.now() - process.startTime) / 1e9;
  const fields = [
    process.parentPid, credentials.processGroup, credentials.session, 0, process.world.terminal.foregroundGroup, 4194304,
    peak / PAGE_SIZE, 0, 0, 0, ticks(process.cpuTime), 0, ticks(process.family.childrenTime), 0, 20, 0, Math.max(1, process.tasks.length), 0,
    Math.floor(uptime * CLOCK_TICKS_PER_SECOND), mapped, resident / PAGE_SIZE,
    '18446744073709551615', 0, 0, stackEnd, sp, ip, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0,
  ];
  return `${process.pid} (${process.name}) ${stateOf(process).charAt(0)} ${fields.join(' ')}\n`;
}

/** Of a process that has ended the memory is gone. */
function placesOf(process: Process): Record<'peak' | 'mapped' | 'resident' | 'stackEnd' | 'sp' | 'ip', number> {
  if (process.exitStatus !== undefined) return { peak: 0, mapped: 0, resident: 0, stackEnd: 0, sp: 0, ip: 0 };
  const { space, cpu } = process;
  const stack = space.mappings().find((m) => m.name === '[stack]');
  return {
    peak: space.peakResidentBytes, mapped: space.mappedBytes, resident: space.residentBytes,
    stackEnd: stack?.end ?? 0, sp: cpu.num(RSP), ip: cpu.num(RIP),
  };
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
    text += row(label, value(soft), value(hard), unit);
  });
  return text;
}
