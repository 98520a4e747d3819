/**
 * Code that stands in for a function. Most need a hook alone (x86/hooks.ts), which does everything and returns. Those
 * that clear or copy memory do it by instructions of their own, so that a search for what wrote to memory finds them:
 * the hook at the function's beginning gives out memory and says how many bytes, and what follows is on a page of ours,
 * because it is not what the description of the function's stack is about.
 */
import type { AddressSpace } from '../machine/addressSpace.js';
import { HOOK_BYTES, hookCode } from '../x86/hooks.js';
import type { LibraryFunction } from './functions.js';

/** Code behind the hook at a function's beginning. */
interface Continuation {
  readonly code: readonly number[];
  /** Where in it the hook is that the function ends with. */
  readonly finish?: number;
}

/** jmp [rip]; the address follows. */
const JUMP = [0xff, 0x25, 0, 0, 0, 0];
const ADDRESS_BYTES = 8;
const ENTRY_BYTES = HOOK_BYTES + JUMP.length + ADDRESS_BYTES;

const MOV_RDX_RAX = [0x48, 0x89, 0xc2];
const MOV_RDI_RAX = [0x48, 0x89, 0xc7];
const MOV_RSI_RDI = [0x48, 0x89, 0xfe];
const MOV_R8_RDI = [0x49, 0x89, 0xf8];
const MOV_RAX_RDX = [0x48, 0x89, 0xd0];
const CLEAR_EAX = [0x31, 0xc0];
const REP_STOSB = [0xf3, 0xaa];
const REP_MOVSB = [0xf3, 0xa4];
const RETURN = [0xc3];

const COPY = [...MOV_RDX_RAX, ...MOV_RSI_RDI, ...MOV_R8_RDI, ...MOV_RDI_RAX, ...REP_MOVSB];
const CLEARING: Continuation = { code: [...MOV_RDX_RAX, ...MOV_RDI_RAX, ...CLEAR_EAX, ...REP_STOSB, ...MOV_RAX_RDX, ...RETURN] };
const COPYING: Continuation = { code: [...COPY, ...hookCode('make'), ...MOV_RAX_RDX, ...RETURN], finish: COPY.length };

/** Undefined: the hook does everything. */
export function continuationOf(f: LibraryFunction): Continuation | undefined {
  if (f.does === 'resize') return f.pointer === 0 ? COPYING : undefined;
  return f.does === 'allocate' && f.zeroed === true ? CLEARING : undefined;
}

interface PlacedCode {
  /** What the function is to begin with. */
  readonly entry: Uint8Array;
  /** Where the hook is that it ends with. */
  readonly finish: number | undefined;
}

/** For a function of some size. Undefined if there is no room for it. */
export function placeCode(space: AddressSpace, size: number, continuation: Continuation | undefined, take: () => number | undefined): PlacedCode | undefined {
  const place = continuation !== undefined && size >= ENTRY_BYTES ? take() : undefined;
  if (continuation === undefined || place === undefined) return size < HOOK_BYTES ? undefined : { entry: hookCode('call'), finish: undefined };
  space.poke(place, Uint8Array.from(continuation.code));
  return { entry: entryCode(place), finish: continuation.finish === undefined ? undefined : place + continuation.finish };
}

/** What the function begins with, if it goes on at an address. */
function entryCode(continuation: number): Uint8Array {
  const code = new Uint8Array(ENTRY_BYTES);
  code.set(hookCode('make'));
  code.set(JUMP, HOOK_BYTES);
  new DataView(code.buffer).setBigUint64(HOOK_BYTES + JUMP.length, BigInt(continuation), true);
  return code;
}
