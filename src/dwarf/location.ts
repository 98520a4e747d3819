/** Where a value is, or what it is: what a location expression comes to. */
import type { Die } from './die.js';

export type Location =
  | { readonly kind: 'memory'; readonly address: bigint }
  | { readonly kind: 'register'; readonly register: number }
  /** Nowhere, but known: raw bits in the low `size` bytes. */
  | { readonly kind: 'value'; readonly value: bigint; readonly size: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /**
   * A pointer to something that is not in memory: what `die` describes is its target, `offset` bytes from the start.
   */
  | { readonly kind: 'implicitPointer'; readonly die: Die; readonly offset: number }
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'optimisedOut'; readonly reason: string };

/** Part of a value: `bits` of it, from bit `bitOffset` of the location on. */
export interface Piece {
  readonly location: Location;
  readonly bits: number;
  readonly bitOffset: number;
}

/**
 * What expressions need to know of the program. What is not known is undefined, and makes the result `optimisedOut`.
 */
export interface ProgramState {
  /** What was added to the file's addresses when it was loaded. */
  readonly bias: bigint;
  /**
   * A register by its DWARF number (0 to 15 general, 16 the return address, 17 to 32 xmm, 33 to 40 st), all its bits.
   */
  register(number: number): bigint | undefined;
  memory(address: bigint, size: number): Uint8Array | undefined;
  frameBase(): bigint | undefined;
  /** The canonical frame address: the stack pointer before the call. */
  cfa(): bigint | undefined;
  /** Address of a thread-local variable of the file, by its offset. */
  tlsAddress(offset: bigint): bigint | undefined;
  /** The value that an expression had when the function was entered. */
  entryValue(expression: Uint8Array): bigint | undefined;
  /** The object whose part is looked for (DW_OP_push_object_address). */
  readonly objectAddress?: bigint;
}
