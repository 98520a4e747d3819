/**
 * Whom a call instruction has called, by what it says. A function may jump to another one instead of calling it
 * (memmove of musl to memcpy, where that is right): then the program has called the first, and has to answer for no
 * more than that.
 */
import type { AddressSpace } from '../../machine/addressSpace.js';

/** call rel32, and call [rip + disp32]. */
const CALL_BYTES = 5;
const CALL = 0xe8;
const INDIRECT_CALL_BYTES = 6;
const INDIRECT_CALL = [0xff, 0x15];
/** What a procedure linkage table has: endbr64; bnd jmp [rip + disp32]. */
const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const BND = [0xf2];
const INDIRECT_JUMP = [0xff, 0x25];
const LONGEST_STUB = 11;
const DISPLACEMENT = 4;

/** The call that returns to an address; undefined if the instruction does not say. */
export function calledAddress(space: AddressSpace, returnsTo: number): number | undefined {
  const before = space.peek(returnsTo - INDIRECT_CALL_BYTES, INDIRECT_CALL_BYTES);
  if (before === null) return undefined;
  if (startsWith(before, 0, INDIRECT_CALL)) return wordAt(space, returnsTo + numberIn(before, INDIRECT_CALL.length));
  if (before[INDIRECT_CALL_BYTES - CALL_BYTES] !== CALL) return undefined;
  return behindStub(space, returnsTo + numberIn(before, INDIRECT_CALL_BYTES - DISPLACEMENT));
}

function behindStub(space: AddressSpace, address: number): number | undefined {
  const code = space.peek(address, LONGEST_STUB);
  if (code === null) return address;
  let at = startsWith(code, 0, ENDBR64) ? ENDBR64.length : 0;
  if (startsWith(code, at, BND)) at += BND.length;
  if (!startsWith(code, at, INDIRECT_JUMP)) return address;
  at += INDIRECT_JUMP.length;
  return wordAt(space, address + at + DISPLACEMENT + numberIn(code, at));
}

function wordAt(space: AddressSpace, address: number): number | undefined {
  return space.peek(address, 8) === null ? undefined : space.readNum64(address);
}

function numberIn(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);
}

function startsWith(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, i) => bytes[at + i] === byte);
}
