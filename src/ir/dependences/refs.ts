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
  const all: number[] = [];
  let [i, k] = [0, 0];
  while (i < a.length && k < b.length) {
    const [own, other] = [a[i] as number, b[k] as number];
    all.push(Math.min(own, other));
    if (own <= other) i++;
    if (other <= own) k++;
  }
  while (i < a.length) all.push(a[i++] as number);
  while (k < b.length) all.push(b[k++] as number);
  // Those that are the same are shared.
  return all.length === a.length ? a : all.length === b.length ? b : all;
}

export function unionOf(all: readonly Refs[]): Refs {
  return all.reduce(union, CONSTANT);
}
