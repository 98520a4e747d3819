/**
 * Where a new process has its parts. Without a seed: exactly where Linux puts them when
 * randomisation is off (`setarch -R`, and what gdb shows). With a seed: somewhere else, the same
 * for the same seed, as far as our 2 GiB of linear memory allow. The low 31 bits then stay within
 * bands that keep program, mappings and stack apart; the bits above are free.
 */
import { PAGE_SIZE, USER_SPACE_END, pageFloor } from '../../base/types.js';
import { STACK_GUARD_GAP } from '../../machine/addressSpaceGaps.js';

export interface MemoryLayout {
  /** Linux's ELF_ET_DYN_BASE: position-independent programs are loaded at this page. */
  readonly programBase: number;
  /** Mappings are placed downwards from here. */
  readonly mmapBase: number;
  readonly stackTop: number;
  /** Bytes by which the first stack pointer is lowered. */
  readonly stackShift: number;
  /** Bytes between the end of the program and its heap. */
  readonly heapShift: number;
}

const MIB = 0x10_0000;
const MIN_GAP = 128 * MIB;
/** Linux allows 5/6 of the address space; linear memory sets our limit. */
const MAX_GAP = 1024 * MIB;
/**
 * Linux would use its legacy layout, with mappings far below; we stay with the usual one, and leave a stack without a
 * limit this much.
 */
const UNLIMITED_GAP = 512 * MIB;
const BAND = 0x8000_0000;

export function memoryLayout(stackLimit: number, seed?: number): MemoryLayout {
  return seed === undefined ? fixedLayout(stackLimit) : randomLayout(seed);
}

function fixedLayout(stackLimit: number): MemoryLayout {
  const gap = Math.min(Math.max(stackLimit + STACK_GUARD_GAP, MIN_GAP), MAX_GAP);
  return {
    programBase: Math.floor(USER_SPACE_END / 3) * 2,
    mmapBase: pageFloor(USER_SPACE_END - (Number.isFinite(stackLimit) ? gap : UNLIMITED_GAP)),
    stackTop: USER_SPACE_END,
    stackShift: 0,
    heapShift: 0,
  };
}

function randomLayout(seed: number): MemoryLayout {
  const random = randomNumbers(seed);
  const pages = (bytes: number): number => Math.floor(random() * (bytes / PAGE_SIZE)) * PAGE_SIZE;
  const cycles = (count: number): number => Math.floor(random() * count) * BAND;
  return {
    programBase: 0xaaab * BAND + cycles(0x200) + 0x1000_0000 + pages(0x3000_0000),
    mmapBase: 0xffff * BAND - BAND - cycles(0x200) + 0x7000_0000 + pages(0x0800_0000),
    stackTop: 0xffff * BAND - cycles(8) + 0x7c00_0000 + pages(0x0400_0000),
    stackShift: Math.floor(random() * 512) * 16,
    heapShift: pages(32 * MIB),
  };
}

/** mulberry32: small, and good enough to spread addresses. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
