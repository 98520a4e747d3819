/**
 * Sets of what a byte depends on, before the instruction: cells of the thread and bytes that the instruction loads. A
 * set is a sorted array of numbers, and shared; the empty one is a constant's.
 */
import type { Cell } from './cells.js';

type Ref = number;
export type Refs = readonly Ref[];

/** References to loaded bytes begin here; below are cells. */
const LOADS = 1024;
/** More than an access has bytes (an image of the x87 and SSE registers has 512). */
const ACCESS = 1024;

export const CONSTANT: Refs = [];

/**
 * `access`: which of the instruction's accesses (logPass.ts); of a repeated string instruction the byte is of no
 * account.
 */
export function loadedByte(access: number, byte: number): Ref {
  return LOADS + access * ACCESS + byte;
}

export function isCell(ref: Ref): ref is Cell {
  return ref < LOADS;
}

/** Which access it is that has loaded the byte, and which byte of it. */
export function loadOf(ref: Ref): { readonly access: number; readonly byte: number } {
  return { access: Math.floor((ref - LOADS) / ACCESS), byte: (ref - LOADS) % ACCESS };
}

export function union(a: Refs, b: Refs): Refs {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  const all = new Set(a);
  for (const ref of b) all.add(ref);
  return all.size === a.length ? a : [...all].sort((x, y) => x - y);
}

export function unionOf(all: readonly Refs[]): Refs {
  return all.reduce(union, CONSTANT);
}
