/**
 * A block of IR: a straight line of nodes, each of which may produce one value, then an end that
 * says where control goes. A value is named by the index of the node that produces it.
 *
 * Precise faults rest on one rule, which the verifier checks: between an `insn` mark and the last
 * node of that instruction that may fault or trap, no state is changed (`set`, `cc.set`, `store`),
 * except that a store may follow a store to memory known to be writable (probeWrite). So a reader that
 * stops at such a node sees the registers as they were before the instruction.
 */
import type { GuestAddr } from '../base/types.js';

/** Index of the node that produced the value. */
export type Value = number & { readonly __brand: 'Value' };

/** In place of an absent argument. */
export const NONE = -1 as Value;

export class Node {
  constructor(
    /** Index into OPS. */
    public op: number,
    public a: Value,
    public b: Value,
    public c: Value,
    public d: Value,
    /** i32 constant, slot offset, displacement, lane, vector or address, as the operation says. */
    public imm: number,
    /** The constant of i64.const. */
    public big: bigint = 0n,
    /** The constant of v128.const. */
    public bytes: Uint8Array | null = null,
  ) {}
}

/** How control leaves a block. Addresses are guest addresses. */
export type End =
  | { readonly kind: 'jump'; readonly target: GuestAddr }
  | { readonly kind: 'branch'; readonly condition: Value; readonly taken: GuestAddr; readonly fall: GuestAddr }
  /** A direct call; the return address has been pushed. */
  | { readonly kind: 'call'; readonly target: GuestAddr; readonly returnTo: GuestAddr }
  | { readonly kind: 'indirect'; readonly target: Value; readonly via: 'jump' | 'return' }
  | { readonly kind: 'indirect'; readonly target: Value; readonly via: 'call'; readonly returnTo: GuestAddr }
  | { readonly kind: 'syscall'; readonly next: GuestAddr }
  /**
   * An unconditional exception. `resume` is what rip holds when it is raised (the instruction itself, or the next one
   * for int3).
   */
  | { readonly kind: 'trap'; readonly vector: number; readonly resume: GuestAddr }
  | { readonly kind: 'unknown'; readonly at: GuestAddr; readonly text: string };

export interface Block {
  readonly start: GuestAddr;
  /** First address after the last instruction. */
  readonly next: GuestAddr;
  readonly instructions: number;
  readonly nodes: readonly Node[];
  readonly end: End;
}
