/**
 * What rules are evaluated against: the paper's abstract state, as questions. Implementations answer from whatever they
 * keep; a rule asks only what its trackers (analysis/trackers.ts) promise, so a machine for double frees need not know
 * about writes.
 *
 * Addresses, times and values are bigints: rules compute with 64-bit values and with differences of addresses, without
 * wrapping. Block ids are never used twice.
 */
import type { EventKind, UseKind } from '../language/ast.js';
import type { BlockState } from '../language/core.js';

export type BlockKind = 'heap' | 'stack' | 'global';

export interface MachineBlock {
  readonly bid: bigint;
  readonly kind: BlockKind;
  readonly begin: bigint;
  readonly size: bigint;
  readonly allocatedAt: bigint;
  /** The function that allocated it: malloc, operator new[]. */
  readonly allocator?: string;
  /**
   * Set together: when it was freed, with which pointer, and by which function. Locals of returned functions have only
   * the time.
   */
  readonly freedAt?: bigint;
  readonly freedBy?: bigint;
  readonly deallocator?: string;
}

export type MachineEvent = { readonly time: bigint } & (
  /** `origin`: where the value was read from; undefined if it was made here. */
  | { readonly kind: 'write'; readonly pointer: bigint; readonly value: bigint; readonly origin?: bigint }
  | { readonly kind: 'branch'; readonly value: bigint }
  | { readonly kind: 'malloc'; readonly size: bigint; readonly bid: bigint }
  | { readonly kind: 'free'; readonly pointer: bigint; readonly bid: bigint }
  | { readonly kind: 'call'; readonly callee: string; readonly args: readonly bigint[] }
  | { readonly kind: 'ret'; readonly callee: string; readonly value: bigint }
);

/**
 * What is given must be equal (callee: one of them). Answering with more than matches is allowed, the evaluator looks
 * again.
 */
export interface EventQuery {
  readonly kind: EventKind;
  readonly pointer?: bigint;
  readonly bid?: bigint;
  readonly callees?: readonly string[];
}

export interface MachinePointer {
  readonly pointer: bigint;
  readonly bid: bigint;
  readonly index: bigint;
}

export interface MachineFrame {
  readonly callee: string;
  /** Where the return address lies, and what it was when the function was called. */
  readonly slot: bigint;
  readonly target: bigint;
}

export interface AbstractMachine {
  now(): bigint;
  /** The block that an address belongs to or was derived from; also beside its bounds, and after it was freed. */
  blockOf(address: bigint): MachineBlock | undefined;
  block(bid: bigint): MachineBlock | undefined;
  /** H live heap blocks, F freed ones (and locals of functions that have returned), S live locals, G globals. */
  blocks(state: BlockState): Iterable<MachineBlock>;
  /**
   * What has happened before the occurrence that rules are asked about: that itself is not among them. From the last to
   * the first; ends as soon as `visit` answers true, and answers whether it did.
   */
  events(query: EventQuery, visit: (event: MachineEvent) => boolean): boolean;
  /** Live pointers, to one block or to all; `visit` as above. */
  pointers(bid: bigint | undefined, visit: (pointer: MachinePointer) => boolean): boolean;
  /** Innermost first. */
  frames(): Iterable<MachineFrame>;
  /** Little-endian; undefined if it cannot be read. */
  value(address: bigint, bytes: number): bigint | undefined;
  isInitialized(address: bigint, bytes: bigint): boolean;
  isAccessible(address: bigint, bytes: bigint): boolean;
  isReachable(bid: bigint): boolean;
  /** The family of an allocation function; undefined if it is none. */
  family(functionName: string): string | undefined;
}

export interface Access {
  readonly kind: 'read' | 'write';
  readonly pointer: bigint;
  readonly size: number;
}

/** Where the program stands: what a detection point matches. */
export type Occurrence =
  | Access
  | { readonly kind: 'free'; readonly pointer: bigint; readonly by: string }
  | { readonly kind: 'call'; readonly callee: string; readonly args: readonly bigint[] }
  | { readonly kind: 'ret'; readonly callee: string; readonly value: bigint }
  /** `undefinedBits`: a one for each bit that comes from uninitialised memory; `from`: where that is. */
  | { readonly kind: 'use'; readonly use: UseKind; readonly value: bigint; readonly undefinedBits: bigint; readonly from?: bigint }
  | { readonly kind: 'exit'; readonly status: bigint };

export function isAccess(occurrence: Occurrence): occurrence is Access {
  return occurrence.kind === 'read' || occurrence.kind === 'write';
}
