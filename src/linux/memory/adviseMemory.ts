/** madvise, msync, mincore, mlock: system calls that look at or forget pages, but move nothing. */
import { E } from '../../base/errno.js';
import { PAGE_SIZE, USER_SPACE_END, pageCeil } from '../../base/types.js';
import { PROT, type Mapping } from '../../machine/addressSpace.js';
import type { MappableFile } from '../../machine/mapping.js';
import { MADV, MADV_IGNORED, MS } from './mmapFlags.js';
import { isPageAligned } from './mmapPlacement.js';
import type { ProcessMemory } from './processMemory.js';

const CLEARED_AT_ONCE = 16 * PAGE_SIZE;

export function adviseMemory(memory: ProcessMemory, address: number, length: number, advice: number): number {
  const known = MADV_IGNORED.has(advice) || (Object.values(MADV) as number[]).includes(advice);
  if (!known || !isPageAligned(address) || length > USER_SPACE_END) return -E.INVAL;
  if (length === 0) return 0;
  const parts = memory.space.mappingsWithin(address, pageCeil(length));
  for (const m of parts) {
    const result = advisePart(memory, m, advice);
    if (result !== 0) return result;
  }
  return covers(parts, address, pageCeil(length)) ? 0 : -E.NOMEM;
}

function advisePart(memory: ProcessMemory, m: Mapping, advice: number): number {
  switch (advice) {
    case MADV.DONTNEED:
    case MADV.DONTNEED_LOCKED:
      forget(memory, m);
      return 0;
    case MADV.FREE:
      // Linux takes the pages when it is short of memory; we never are.
      return m.shared || m.file !== undefined ? -E.INVAL : 0;
    case MADV.POPULATE_READ:
      return m.prot === 0 ? -E.INVAL : 0;
    case MADV.POPULATE_WRITE:
      return (m.prot & PROT.WRITE) === 0 ? -E.INVAL : 0;
    case MADV.REMOVE:
      return remove(memory, m);
    case MADV.DONTFORK:
      setInCopy(memory, m, 'nothing');
      return 0;
    case MADV.WIPEONFORK:
      if (m.shared || m.file !== undefined) return -E.INVAL;
      setInCopy(memory, m, 'zeros');
      return 0;
    case MADV.DOFORK:
    case MADV.KEEPONFORK:
      setInCopy(memory, m, undefined);
      return 0;
    default:
      return 0;
  }
}

function setInCopy(memory: ProcessMemory, m: Mapping, inCopy: Mapping['inCopy']): void {
  memory.space.setInCopy(m.start, m.end - m.start, inCopy);
  memory.sharedFiles.noteChanged();
}

/** Punches a hole into what is shared: it reads as zero for everybody. */
function remove(memory: ProcessMemory, m: Mapping): number {
  if (!m.shared && m.file === undefined) return -E.INVAL;
  if (!m.shared || m.maxProt !== undefined) return -E.ACCES;
  if (m.file === undefined) memory.space.discard(m.start, m.end - m.start);
  else clearFile(memory, m, m.file);
  return 0;
}

/** Writes zeros where there is something else: most of a large file may be hole already, and is to stay so. */
function clearFile({ space }: ProcessMemory, m: Mapping, file: MappableFile): void {
  const held = new Uint8Array(CLEARED_AT_ONCE);
  const zeros = new Uint8Array(CLEARED_AT_ONCE);
  for (let at: number = m.start; at < m.end; at += CLEARED_AT_ONCE) {
    const length = Math.min(CLEARED_AT_ONCE, m.end - at);
    const count = file.read(m.fileOffset + (at - m.start), held.subarray(0, length));
    const isResident = pagesOf(at, length).some((page) => space.isResident(page));
    if (isResident || !isZero(held, count)) space.poke(at, zeros.subarray(0, length));
  }
}

/** Whether the first `length` bytes are all zero. */
function isZero(bytes: Uint8Array, length: number): boolean {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.max(0, length) >>> 2);
  for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false;
  for (let i = words.length * 4; i < length; i++) if (bytes[i] !== 0) return false;
  return true;
}

function pagesOf(start: number, length: number): number[] {
  return Array.from({ length: length / PAGE_SIZE }, (_, i) => start + i * PAGE_SIZE);
}

/** Private pages become again what they were when mapped; shared ones still hold what is shared. */
function forget(memory: ProcessMemory, m: Mapping): void {
  if (m.shared) return;
  if (m.file === undefined) memory.space.discard(m.start, m.end - m.start);
  else memory.space.markAbsent(m.start, m.end - m.start);
}

export function syncMemory(memory: ProcessMemory, address: number, length: number, flags: number): number {
  if ((flags & ~(MS.ASYNC | MS.INVALIDATE | MS.SYNC)) !== 0 || !isPageAligned(address)) return -E.INVAL;
  if ((flags & MS.ASYNC) !== 0 && (flags & MS.SYNC) !== 0) return -E.INVAL;
  if (length > USER_SPACE_END) return -E.NOMEM;
  if (length === 0) return 0;
  memory.sharedFiles.flush(address, pageCeil(length));
  return isMapped(memory, address, pageCeil(length)) ? 0 : -E.NOMEM;
}

/** mincore(2): a byte for every page, 1 if it is in memory. Throws BadAddress for a bad `vector`. */
export function residentPages(memory: ProcessMemory, address: number, length: number, vector: number): number {
  if (!isPageAligned(address)) return -E.INVAL;
  if (length > USER_SPACE_END || !isMapped(memory, address, pageCeil(length))) return -E.NOMEM;
  const result = new Uint8Array(pageCeil(length) / PAGE_SIZE);
  for (let i = 0; i < result.length; i++) {
    const page = address + i * PAGE_SIZE;
    // A file's pages count as being in the page cache.
    result[i] = memory.space.isResident(page) || memory.space.find(page)?.file !== undefined ? 1 : 0;
  }
  memory.space.write(vector, result);
  return 0;
}

/** mlock(2) and munlock(2): nothing is ever swapped out, but the range must exist. */
export function lockMemory(memory: ProcessMemory, address: number, length: number): number {
  const start = address - (address % PAGE_SIZE);
  const end = pageCeil(address + length);
  if (end > USER_SPACE_END) return -E.NOMEM;
  return end === start || isMapped(memory, start, end - start) ? 0 : -E.NOMEM;
}

function isMapped(memory: ProcessMemory, start: number, length: number): boolean {
  return covers(memory.space.mappingsWithin(start, length), start, length);
}

function covers(parts: readonly Mapping[], start: number, length: number): boolean {
  let end = start;
  for (const m of parts) {
    if (m.start > end) return false;
    end = m.end;
  }
  return end >= start + length;
}
