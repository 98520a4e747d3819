/** /proc/PID/stat, statm, io and schedstat, and the same of a thread: rows of numbers. */
import { PAGE_SIZE } from '../../base/types.js';
import { PROT } from '../../machine/addressSpace.js';
import type { Process } from '../process.js';
import { IoCounters } from '../tasks/ioCounters.js';
import type { Task } from '../tasks/task.js';
import { residentIn } from './procMaps.js';
import { codeBytes, setsOf, stateOf } from './procStatus.js';

const CLOCK_TICKS_PER_SECOND = 100;
const FLAGS_FORKED_NO_EXEC = 0x40;
const FLAGS = 0x40_0000;
const EXIT_SIGNAL = 17;
/** Priorities of realtime threads are negative, others begin at 20. */
const FAIR_PRIORITY = 20;
const NO_LIMIT = '18446744073709551615';

const ticks = (nanoseconds: number): number => Math.floor((nanoseconds * CLOCK_TICKS_PER_SECOND) / 1e9);

/** Of a process that has ended the memory is gone. */
function memoryOf(process: Process): { readonly faults: number; readonly mapped: number; readonly resident: number } {
  if (process.exitStatus !== undefined) return { faults: 0, mapped: 0, resident: 0 };
  const { peakResidentBytes, mappedBytes } = process.space;
  return { faults: peakResidentBytes / PAGE_SIZE, mapped: mappedBytes, resident: (residentIn(process.space).all * 1024) / PAGE_SIZE };
}

/** The first word of a set of signals, without its highest bit. */
function lowSignals(set: bigint): string {
  return String(set & 0x7fff_ffffn);
}

export function statText(process: Process, task: Task | undefined): string {
  const { credentials, family, world, clock } = process;
  const thread = task ?? process.leader;
  const { faults, mapped, resident } = memoryOf(process);
  const { policy, priority, nice } = thread.scheduling;
  const sets = setsOf(process, task);
  const uptime = clock.boottime().seconds - (clock.now() - process.startTime) / 1e9;
  const places = process.exitStatus === undefined ? process.places : undefined;
  const fields = [
    process.parentPid, credentials.processGroup, credentials.session, 0, world.terminal.foregroundGroup,
    FLAGS | (family.parent !== undefined && !family.hasExecuted ? FLAGS_FORKED_NO_EXEC : 0),
    faults, 0, 0, 0, ticks(task === undefined ? process.cpuTime : task.instructions), 0, task === undefined ? ticks(family.childrenTime) : 0, 0,
    priority > 0 ? -1 - priority : FAIR_PRIORITY + nice, nice, Math.max(1, process.tasks.length), 0,
    Math.floor(uptime * CLOCK_TICKS_PER_SECOND), mapped, resident, NO_LIMIT,
    places?.startCode ?? 0, places?.endCode ?? 0, places?.startStack ?? 0, 0, 0,
    lowSignals(sets.pending), lowSignals(sets.blocked), lowSignals(sets.ignored), lowSignals(sets.caught), 0, 0, 0,
    task === undefined || task === process.leader ? EXIT_SIGNAL : -1, 0, priority, policy, 0, 0, 0,
    places?.startData ?? 0, places?.endData ?? 0, places === undefined ? 0 : process.memory.brkStart,
    places?.argStart ?? 0, places?.argEnd ?? 0, places?.envStart ?? 0, places?.envEnd ?? 0, 0,
  ];
  return `${task?.tid ?? process.pid} (${thread.name}) ${stateOf(process, task).charAt(0)} ${fields.join(' ')}\n`;
}

export function statmText(process: Process): string {
  const { space } = process;
  const resident = residentIn(space);
  const pages = (kilobytes: number): number => (kilobytes * 1024) / PAGE_SIZE;
  const data = space.mappings().reduce((sum, m) => (!m.shared && (m.prot & PROT.WRITE) !== 0 ? sum + m.end - m.start : sum), 0);
  return [
    space.mappedBytes / PAGE_SIZE, pages(resident.all), pages(resident.file + resident.shared), Math.ceil(codeBytes(process) / PAGE_SIZE), 0, data / PAGE_SIZE, 0,
  ].join(' ').concat('\n');
}

export function ioText(process: Process, task: Task | undefined): string {
  const counters = task?.io ?? process.tasks.reduce((sum, one) => sum.plus(one.io), new IoCounters().plus(process.endedIo));
  const { readBytes, writtenBytes, reads, writes } = counters;
  return `rchar: ${readBytes}\nwchar: ${writtenBytes}\nsyscr: ${reads}\nsyscw: ${writes}\nread_bytes: 0\nwrite_bytes: 0\ncancelled_write_bytes: 0\n`;
}

/** Time on the processor, time waiting for it, turns. */
export function schedstatText(process: Process, task: Task | undefined): string {
  return `${(task ?? process.leader).instructions} 0 1\n`;
}
