/** mremap(2): shrinking, growing in place, moving. */
import { E } from '../../base/errno.js';
import { USER_SPACE_END, guestAddr, pageCeil } from '../../base/types.js';
import { PROT } from '../../machine/addressSpace.js';
import { clipMapping, type Mapping } from '../../machine/mapping.js';
import { MREMAP } from './mmapFlags.js';
import { isPageAligned } from './mmapPlacement.js';
import type { ProcessMemory } from './processMemory.js';

interface RemapRequest {
  readonly address: number;
  readonly oldLength: number;
  readonly newLength: number;
  readonly flags: number;
  /** With MREMAP_FIXED. */
  readonly newAddress: number;
}

export function remapMemory(memory: ProcessMemory, given: RemapRequest): number {
  const request = { ...given, oldLength: pageCeil(given.oldLength), newLength: pageCeil(given.newLength) };
  const { address, oldLength, newLength, flags } = request;
  if (!flagsAreValid(request) || !isPageAligned(address) || newLength === 0) return -E.INVAL;
  if (newLength > USER_SPACE_END) return -E.INVAL;
  const fixed = (flags & MREMAP.FIXED) !== 0;
  if (fixed && !targetIsValid(request)) return -E.INVAL;
  const m = memory.space.find(address);
  if (m === undefined) return -E.FAULT;
  if (oldLength === 0) return m.shared && m.file !== undefined && (flags & MREMAP.MAYMOVE) !== 0 ? secondView(memory, m, request) : -E.INVAL;
  const moves = fixed || (flags & MREMAP.DONTUNMAP) !== 0;
  if (!moves && newLength <= oldLength) {
    if (newLength < oldLength) memory.unmapRange(address + newLength, oldLength - newLength);
    return address;
  }
  if (oldLength > m.end - address) return fixed && oldLength === newLength ? moveAll(memory, request) : -E.FAULT;
  if (moves) return move(memory, m, request);
  if (growInPlace(memory, m, request)) return address;
  return (flags & MREMAP.MAYMOVE) !== 0 ? move(memory, m, request) : -E.NOMEM;
}

function flagsAreValid({ flags, oldLength, newLength }: RemapRequest): boolean {
  if ((flags & ~(MREMAP.MAYMOVE | MREMAP.FIXED | MREMAP.DONTUNMAP)) !== 0) return false;
  const moves = (flags & (MREMAP.FIXED | MREMAP.DONTUNMAP)) !== 0;
  if (moves && (flags & MREMAP.MAYMOVE) === 0) return false;
  return (flags & MREMAP.DONTUNMAP) === 0 || oldLength === newLength;
}

function targetIsValid({ address, oldLength, newAddress, newLength }: RemapRequest): boolean {
  if (!isPageAligned(newAddress) || newAddress > USER_SPACE_END - newLength) return false;
  return newAddress + newLength <= address || address + oldLength <= newAddress;
}

function growInPlace(memory: ProcessMemory, m: Mapping, request: RemapRequest): boolean {
  const { address, oldLength, newLength } = request;
  const end = address + oldLength;
  const more = newLength - oldLength;
  if (end !== m.end || end + more > USER_SPACE_END || !memory.hasRoom(more)) return false;
  if (!memory.space.rangeIsFree(end, more)) return false;
  memory.establish(continuation(m, end, end + more));
  return true;
}

/** Without a change of size several mappings can be moved at once, with the gaps between them. */
function moveAll(memory: ProcessMemory, request: RemapRequest): number {
  const { address, oldLength, newAddress, flags } = request;
  if (!memory.space.rangeIsReplaceable(newAddress, oldLength)) return memory.refuse(oldLength);
  const parts = memory.space.mappingsWithin(address, oldLength);
  for (const part of parts) {
    const length = part.end - part.start;
    const target = newAddress + (part.start - address);
    const result = move(memory, part, { address: part.start, oldLength: length, newLength: length, flags, newAddress: target });
    if (result < 0) return result;
  }
  return newAddress;
}

/** Length 0 asks for the same shared memory at one more place. */
function secondView(memory: ProcessMemory, m: Mapping, request: RemapRequest): number {
  const { address, newLength } = request;
  if (!memory.hasRoom(newLength)) return -E.NOMEM;
  const fileOffset = m.fileOffset + (address - m.start);
  const target = targetOf(memory, m, request);
  if (target < 0) return target;
  memory.establish({ ...m, start: guestAddr(target), end: guestAddr(target + newLength), fileOffset });
  return target;
}

/** Makes room where the memory is to be. */
function targetOf(memory: ProcessMemory, m: Mapping, { address, newLength, flags, newAddress }: RemapRequest): number {
  if ((flags & MREMAP.FIXED) === 0) {
    const withoutMemory = m.file === undefined && m.prot === PROT.NONE;
    const fileOffset = m.file === undefined ? undefined : m.fileOffset + (address - m.start);
    return memory.place(0, newLength, { low: false, shared: m.shared, withoutMemory, fileOffset });
  }
  if (!memory.space.rangeIsReplaceable(newAddress, newLength)) return memory.refuse(newLength);
  memory.unmapRange(newAddress, newLength);
  return newAddress;
}

function move(memory: ProcessMemory, m: Mapping, request: RemapRequest): number {
  const { address, newLength, flags } = request;
  const { space } = memory;
  const keepOld = (flags & MREMAP.DONTUNMAP) !== 0;
  if (!memory.hasRoom(keepOld ? newLength : Math.max(0, newLength - request.oldLength))) return -E.NOMEM;
  const target = targetOf(memory, m, request);
  if (target < 0) return target;
  const kept = Math.min(request.oldLength, newLength);
  memory.sharedFiles.flush(address, kept);
  const old = clipMapping(m, address, address + request.oldLength);
  memory.establish({ ...old, start: guestAddr(target), end: guestAddr(target + newLength) });
  space.copyPages(address, target, kept);
  if (keepOld) space.discard(address, request.oldLength);
  else memory.unmapRange(address, request.oldLength);
  return target;
}

/** What a mapping is from its end onwards. */
function continuation(m: Mapping, start: number, end: number): Mapping {
  const fileOffset = m.inode !== 0 ? m.fileOffset + (start - m.start) : 0;
  return { ...m, start: guestAddr(start), end: guestAddr(end), fileOffset };
}
