/**
 * Where a value can be: some bytes of a register, or of memory. Registers are named by where they lie in the CPU state
 * (layout/cpuState.ts), so that `ah` is simply the byte after `al`.
 */
import { type GuestAddr, guestAddr, hex } from '../../base/types.js';
import { GPR, XMM } from '../../layout/cpuState.js';

export type Place =
  | { readonly kind: 'register'; readonly offset: number; readonly size: number }
  | { readonly kind: 'memory'; readonly address: GuestAddr; readonly size: number };

const GENERAL_BYTES = GPR.length * 8;
const XMM_START = XMM[0]?.offset ?? 0;
const XMM_END = XMM_START + XMM.length * 16;

/**
 * The register of that name, or the part of it that has a name of its own; undefined for others than general and SSE
 * registers.
 */
export function registerPlace(name: string): Place | undefined {
  const slot = [...GPR, ...XMM].find((candidate) => candidate.name === name);
  if (slot !== undefined) return { kind: 'register', offset: slot.offset, size: slot.type === 'v128' ? 16 : 8 };
  for (let offset = 0; offset < GENERAL_BYTES; offset++) {
    for (const size of [4, 2, 1]) if (partName(offset, size) === name) return { kind: 'register', offset, size };
  }
  return undefined;
}

export function memoryPlace(address: GuestAddr, size: number): Place {
  return { kind: 'memory', address, size };
}

/** As assemblers call it; of what has no name, the register with the bytes that are meant. */
export function placeText(place: Place): string {
  if (place.kind === 'memory') return `[${hex(place.address)}]`;
  const { offset, size } = place;
  const own = partName(offset, size);
  if (own !== undefined) return own;
  const slot = slotAt(offset);
  if (slot === undefined) return `state+${offset}`;
  const first = offset - slot.offset;
  return first === 0 ? slot.name : `${slot.name}[${first}..${first + size - 1}]`;
}

/** The general or SSE register that has the byte. */
export function slotAt(offset: number): { readonly name: string; readonly offset: number } | undefined {
  if (offset < GENERAL_BYTES) return GPR[offset >> 3];
  return offset >= XMM_START && offset < XMM_END ? XMM[(offset - XMM_START) >> 4] : undefined;
}

function partName(offset: number, size: number): string | undefined {
  const slot = slotAt(offset);
  if (slot === undefined || offset >= GENERAL_BYTES) return undefined;
  const first = offset - slot.offset;
  const { name } = slot;
  const isNumbered = /^r\d/.test(name);
  if (first === 0 && size === 8) return name;
  if (first === 0 && size === 4) return isNumbered ? `${name}d` : `e${name.slice(1)}`;
  if (first === 0 && size === 2) return isNumbered ? `${name}w` : name.slice(1);
  if (first === 0 && size === 1) return isNumbered ? `${name}b` : lowName(name);
  return first === 1 && size === 1 && /^r[abcd]x$/.test(name) ? `${name.slice(1, 2)}h` : undefined;
}

function lowName(name: string): string {
  return /^r[abcd]x$/.test(name) ? `${name.slice(1, 2)}l` : `${name.slice(1)}l`;
}

/** Some bytes of a place. */
export function partOf(place: Place, first: number, size: number): Place {
  if (place.kind === 'memory') return memoryPlace(guestAddr(place.address + first), size);
  return { kind: 'register', offset: place.offset + first, size };
}
