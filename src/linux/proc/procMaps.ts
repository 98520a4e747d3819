/** /proc/PID/maps, smaps and smaps_rollup. */
import { PAGE_SIZE } from '../../base/types.js';
import { bytesOfBytePath } from '../../base/bytePath.js';
import { mapLine, NAME_COLUMN, rangeText } from '../../base/mapLine.js';
import { type AddressSpace, type Mapping, PROT } from '../../machine/addressSpace.js';
import { isOfFileOrShared } from './memFile.js';

/** The page of three old system calls, in every process, though outside of its address space. */
const VSYSCALL_LINE = 'ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n';
const VSYSCALL_KILOBYTES = 4;

interface HeapRange {
  readonly brkStart: number;
  readonly currentBrk: number;
}

/** Anonymous memory where the heap is counts as heap, whichever call mapped it. */
function named(m: Mapping, heap: HeapRange): Mapping {
  const within = m.file === undefined && m.name === '' && m.start < heap.currentBrk && m.end > heap.brkStart;
  return within ? { ...m, name: '[heap]' } : m;
}

export function mapsText(space: AddressSpace, heap: HeapRange): Uint8Array {
  return bytesOfBytePath(space.mappings().map((m) => `${mapLine(named(m, heap))}\n`).join('') + VSYSCALL_LINE);
}

/** Kilobytes that hold something: all of a mapping's, those that are the process's own, the rest by whose it is. */
interface Resident {
  readonly all: number;
  readonly anonymous: number;
  readonly file: number;
  readonly shared: number;
}

const NOTHING: Resident = { all: 0, anonymous: 0, file: 0, shared: 0 };

function sum(a: Resident, b: Resident): Resident {
  return { all: a.all + b.all, anonymous: a.anonymous + b.anonymous, file: a.file + b.file, shared: a.shared + b.shared };
}

function residentOf(space: AddressSpace, m: Mapping): Resident {
  let pages = 0;
  for (let page: number = m.start; page < m.end; page += PAGE_SIZE) if (space.isResident(page)) pages++;
  const all = (pages * PAGE_SIZE) / 1024;
  if (!isOfFileOrShared(m)) return { ...NOTHING, all, anonymous: all };
  return m.file === undefined || m.name.startsWith('/dev/zero') ? { ...NOTHING, all, shared: all } : { ...NOTHING, all, file: all };
}

export function residentIn(space: AddressSpace): Resident {
  return space.mappings().map((m) => residentOf(space, m)).reduce(sum, NOTHING);
}

function amount(label: string, kilobytes: number): string {
  return `${`${label}:`.padEnd(16)}${String(kilobytes).padStart(8)} kB\n`;
}

/** The lines that smaps and smaps_rollup have in common; `parts` are those that only the latter has. */
function usage({ all, anonymous, file, shared }: Resident, parts: boolean): string {
  const split = amount('Pss_Anon', anonymous) + amount('Pss_File', file) + amount('Pss_Shmem', shared);
  return (
    amount('Rss', all) + amount('Pss', all) + amount('Pss_Dirty', anonymous + shared) + (parts ? split : '') +
    amount('Shared_Clean', 0) + amount('Shared_Dirty', 0) + amount('Private_Clean', file) + amount('Private_Dirty', anonymous + shared) +
    amount('Referenced', all) + amount('Anonymous', anonymous) + amount('KSM', 0) + amount('LazyFree', 0) + amount('AnonHugePages', 0) +
    amount('ShmemPmdMapped', 0) + amount('FilePmdMapped', 0) + amount('Shared_Hugetlb', 0) + amount('Private_Hugetlb', 0) +
    amount('Swap', 0) + amount('SwapPss', 0) + amount('Locked', 0)
  );
}

/** What the mapping allows, and what mprotect may make of it. */
function flagsOf(m: Mapping): string {
  const most = m.maxProt ?? PROT.READ | PROT.WRITE | PROT.EXEC;
  const flags: readonly (readonly [string, boolean])[] = [
    ['rd', (m.prot & PROT.READ) !== 0], ['wr', (m.prot & PROT.WRITE) !== 0], ['ex', (m.prot & PROT.EXEC) !== 0], ['sh', m.shared],
    ['mr', (most & PROT.READ) !== 0], ['mw', (most & PROT.WRITE) !== 0], ['me', (most & PROT.EXEC) !== 0], ['ms', m.shared],
    ['gd', m.growsDown], ['ac', m.accounted === true || (m.file === undefined && (m.prot & PROT.WRITE) !== 0)],
    ['dc', m.inCopy === 'nothing'], ['wf', m.inCopy === 'zeros'],
  ];
  return flags.filter(([, holds]) => holds).map(([name]) => `${name} `).join('');
}

function entry(line: string, kilobytes: number, resident: Resident, flags: string): string {
  return (
    `${line}\n${amount('Size', kilobytes)}${amount('KernelPageSize', 4)}${amount('MMUPageSize', 4)}${usage(resident, false)}` +
    `${'THPeligible:'.padEnd(16)}${'0'.padStart(8)}\nVmFlags: ${flags}\n`
  );
}

export function smapsText(space: AddressSpace, heap: HeapRange): Uint8Array {
  const entries = space.mappings().map((m) => entry(mapLine(named(m, heap)), (m.end - m.start) / 1024, residentOf(space, m), flagsOf(m)));
  return bytesOfBytePath(entries.join('') + entry(VSYSCALL_LINE.trimEnd(), VSYSCALL_KILOBYTES, NOTHING, 'ex '));
}

export function rollupText(space: AddressSpace): Uint8Array {
  const mappings = space.mappings();
  const line = `${rangeText(mappings[0]?.start ?? 0, mappings.at(-1)?.end ?? 0)} ---p 00000000 00:00 0 `;
  return bytesOfBytePath(`${line.padEnd(NAME_COLUMN)}[rollup]\n${usage(residentIn(space), true)}`);
}
