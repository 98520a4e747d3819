/** Mappings of memory as a line of /proc/PID/maps shows them. */

export const PROT = { NONE: 0, READ: 1, WRITE: 2, EXEC: 4 } as const;

interface Permissions {
  /** Bits of PROT. */
  readonly prot: number;
  readonly shared: boolean;
}

/** As /proc/self/maps shows what may be done: `rw-p`. */
export function permissionLetters({ prot, shared }: Permissions): string {
  const read = (prot & PROT.READ) !== 0 ? 'r' : '-';
  const write = (prot & PROT.WRITE) !== 0 ? 'w' : '-';
  const execute = (prot & PROT.EXEC) !== 0 ? 'x' : '-';
  return `${read}${write}${execute}${shared ? 's' : 'p'}`;
}

/** Where the name starts in a line. */
export const NAME_COLUMN = 73;

/** A device number as stat reports it (st_dev), in the `major:minor` form of /proc. */
function formatDevice(device: number): string {
  const major = Math.floor(device / 0x100) % 0x1000;
  const minor = (device % 0x100) + Math.floor(device / 0x10_0000) * 0x100;
  return `${major.toString(16).padStart(2, '0')}:${minor.toString(16).padStart(2, '0')}`;
}

/** What a line shows of a mapping. */
interface MappedRange extends Permissions {
  readonly start: number;
  readonly end: number;
  readonly fileOffset: number;
  readonly device: number;
  readonly inode: number;
  readonly name: string;
}

export function rangeText(start: number, end: number): string {
  return `${start.toString(16).padStart(8, '0')}-${end.toString(16).padStart(8, '0')}`;
}

export function mapLine(m: MappedRange): string {
  const offset = m.fileOffset.toString(16).padStart(8, '0');
  const line = `${rangeText(m.start, m.end)} ${permissionLetters(m)} ${offset} ${formatDevice(m.device)} ${m.inode} `;
  return m.name === '' ? line : line.padEnd(NAME_COLUMN) + m.name.replaceAll('\n', '\\012');
}
