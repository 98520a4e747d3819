/** /proc/self/maps and smaps. */
import { PAGE_SIZE } from '../../base/types.js';
import { bytesOfBytePath } from '../../host/bytePath.js';
import { type AddressSpace, type Mapping, PROT } from '../../machine/addressSpace.js';

/** Where the name starts in a line. */
const NAME_COLUMN = 73;

/** A device number as stat reports it (st_dev), in the `major:minor` form of /proc. */
export function formatDevice(device: number): string {
  const major = Math.floor(device / 0x100) % 0x1000;
  const minor = (device % 0x100) + Math.floor(device / 0x10_0000) * 0x100;
  return `${major.toString(16).padStart(2, '0')}:${minor.toString(16).padStart(2, '0')}`;
}

function permissions(m: Mapping): string {
  const read = (m.prot & PROT.READ) !== 0 ? 'r' : '-';
  const write = (m.prot & PROT.WRITE) !== 0 ? 'w' : '-';
  const execute = (m.prot & PROT.EXEC) !== 0 ? 'x' : '-';
  return `${read}${write}${execute}${m.shared ? 's' : 'p'}`;
}

export function mapLine(m: Mapping): string {
  const range = `${m.start.toString(16).padStart(8, '0')}-${m.end.toString(16).padStart(8, '0')}`;
  const offset = m.fileOffset.toString(16).padStart(8, '0');
  const line = `${range} ${permissions(m)} ${offset} ${formatDevice(m.device)} ${m.inode} `;
  return m.name === '' ? line : line.padEnd(NAME_COLUMN) + m.name.replaceAll('\n', '\\012');
}

/** The page of three old system calls, in every process, though outside of its address space. */
const VSYSCALL_LINE = 'ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n';

export interface HeapRange {
  readonly brkStart: number;
  readonly currentBrk: number;
}

/** Anonymous memory where the heap is counts as heap, whoever mapped it. */
function named(m: Mapping, heap: HeapRange): Mapping {
  const within = m.file === undefined && m.name === '' && m.start < heap.currentBrk && m.end > heap.brkStart;
  return within ? { ...m, name: '[heap]' } : m;
}

export function mapsText(space: AddressSpace, heap: HeapRange): Uint8Array {
  return bytesOfBytePath(space.mappings().map((m) => `${mapLine(named(m, heap))}\n`).join('') + VSYSCALL_LINE);
}

function residentKilobytes(space: AddressSpace, m: Mapping): number {
  let pages = 0;
  for (let page: number = m.start; page < m.end; page += PAGE_SIZE) if (space.isResident(page)) pages++;
  return (pages * PAGE_SIZE) / 1024;
}

export function smapsText(space: AddressSpace): Uint8Array {
  const amount = (label: string, kilobytes: number): string =>
    `${`${label}:`.padEnd(16)}${String(kilobytes).padStart(8)} kB\n`;
  let text = '';
  for (const m of space.mappings()) {
    const resident = residentKilobytes(space, m);
    text += `${mapLine(m)}\n`;
    text += amount('Size', (m.end - m.start) / 1024) + amount('KernelPageSize', 4) + amount('MMUPageSize', 4);
    text += amount('Rss', resident) + amount('Pss', resident);
    text += amount('Shared_Clean', 0) + amount('Shared_Dirty', 0) + amount('Private_Clean', 0);
    text += amount('Private_Dirty', resident) + amount('Referenced', resident) + amount('Anonymous', resident);
    text += amount('Swap', 0) + amount('Locked', 0);
  }
  return bytesOfBytePath(text);
}
