/**
 * What one stretch of guest address space is: the line it would have in /proc/self/maps, and where its bytes come from.
 */
import { PROT } from '../base/mapLine.js';
import type { GuestAddr } from '../base/types.js';

export { PROT };

/** A file as memory mappings need it. The table of open files supplies it. */
export interface MappableFile {
  readonly path: string;
  /** Where it can be opened again while it is mapped, whether or not its path still leads to it. */
  readonly openPath?: string;
  readonly device: number;
  readonly inode: number;
  /** The size now; it may change between two looks. */
  readonly size: number;
  /** Reads at `offset` into all of `target`; returns how many bytes there were. */
  read(offset: number, target: Uint8Array): number;
  /** Stores what the guest wrote through a shared mapping. Absent if the file is not open for writing. */
  writeBack?(offset: number, bytes: Uint8Array): void;
  /** An address space that had no mapping of it gets one. (The loader's files start with one in mind.) */
  retain?(): void;
  /** The last mapping of it in an address space is gone. The file may be mapped again later. */
  release?(): void;
}

export interface Mapping {
  readonly start: GuestAddr;
  readonly end: GuestAddr;
  /** Bits of PROT. */
  readonly prot: number;
  readonly shared: boolean;
  /** A path, `[heap]`, `[stack]`, `[vdso]`, ... or '' for anonymous memory. */
  readonly name: string;
  readonly fileOffset: number;
  readonly device: number;
  readonly inode: number;
  /** A stack: an access in the gap below extends it. */
  readonly growsDown: boolean;
  /** Where the bytes came from; undefined for anonymous memory. */
  readonly file?: MappableFile;
  /** PROT bits that mprotect may give (a shared mapping of a file opened read-only never gets WRITE). Default: all. */
  readonly maxProt?: number;
  /** A private file mapping that is or was writable: Linux accounts for it and shows it apart from its neighbours. */
  readonly accounted?: boolean;
  /** What a copy of the address space has of it: zeros, or nothing at all. Default: the same. */
  readonly inCopy?: 'zeros' | 'nothing';
}

/** The part of `m` within [start, end), its file offset moved along. */
export function clipMapping(m: Mapping, start: number, end: number): Mapping {
  const from = Math.max(m.start, start);
  const to = Math.min(m.end, end);
  if (from === m.start && to === m.end) return m;
  const fileOffset = m.inode !== 0 ? m.fileOffset + (from - m.start) : m.fileOffset;
  return { ...m, start: from as GuestAddr, end: to as GuestAddr, fileOffset };
}

/** Whether Linux would show `a` and the `b` that follows it as one line. */
export function canMerge(a: Mapping, b: Mapping): boolean {
  return (
    a.end === b.start && a.prot === b.prot && a.shared === b.shared && a.name === b.name &&
    a.device === b.device && a.inode === b.inode && a.growsDown === b.growsDown &&
    (a.file === undefined) === (b.file === undefined) &&
    a.maxProt === b.maxProt && a.accounted === b.accounted && a.inCopy === b.inCopy && (a.inode === 0 || a.fileOffset + (a.end - a.start) === b.fileOffset)
  );
}

/** The same memory with other permissions. */
export function withProt(m: Mapping, prot: number): Mapping {
  const accounted = m.file !== undefined && !m.shared && (prot & PROT.WRITE) !== 0;
  return { ...m, prot, ...(accounted ? { accounted } : {}) };
}

/** Anonymous memory with everything at its usual value; the rest as given. */
export function anonymousMapping(
  given: Pick<Mapping, 'start' | 'end' | 'prot'> & Partial<Mapping>,
): Mapping {
  return { shared: false, name: '', fileOffset: 0, device: 0, inode: 0, growsDown: false, ...given };
}
