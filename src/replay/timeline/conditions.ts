/** What a search through an execution stops at. */
import { type GuestAddr, guestAddr, type Time } from '../../base/types.js';
import type { RegisterTest } from '../../ir/registerTest.js';
import type { View } from '../../machine/views.js';
import type { Position } from '../log/position.js';
import type { State } from './state.js';

export type { View };

export interface MemoryRange {
  readonly start: GuestAddr;
  /** Exclusive. */
  readonly end: GuestAddr;
}

export function memoryRange(start: GuestAddr, bytes: number): MemoryRange {
  return { start, end: guestAddr(start + bytes) };
}

export type Condition =
  /** The instruction at one of these addresses is about to be executed; and `when` holds, which costs no stop. */
  | { readonly kind: 'address'; readonly addresses: readonly GuestAddr[]; readonly when?: RegisterTest }
  /**
   * One of these bytes is accessed, by the program or by the kernel on its behalf. The addresses are those that
   * `thread` (default: the one that runs) uses where the execution stands when the search is made: the search finds out
   * what they mean at other times (Execution.meaning).
   */
  | {
    readonly kind: 'memory';
    readonly access: 'write' | 'read' | 'access';
    readonly ranges: readonly MemoryRange[];
    readonly thread?: number;
  }
  /** A block with addresses of its own (machine/views.ts) that has one of these comes to be, or is gone. */
  | { readonly kind: 'block'; readonly addresses: readonly GuestAddr[] }
  /** A system call is about to be made: one of these, or any. */
  | { readonly kind: 'syscall'; readonly numbers?: readonly number[] }
  /** A system call is about to have its result: one of these, or any. */
  | { readonly kind: 'return'; readonly numbers?: readonly number[] }
  /** A process is made, or executes another program. */
  | { readonly kind: 'process' }
  /** A signal takes effect: one of these, or any. */
  | { readonly kind: 'signal'; readonly signals?: readonly number[] }
  /** Another thread gets its turn. */
  | { readonly kind: 'switch' }
  | { readonly kind: 'time'; readonly time: Time };

export interface MemoryAccess {
  /** By which the program knows the memory (machine/watchedMemory.ts). */
  readonly address: GuestAddr;
  readonly bytes: number;
  readonly write: boolean;
  readonly by: 'program' | 'kernel';
}

/** Something that meets conditions. The position is the state right before it happens. */
export interface Hit {
  /** That of the conditions. */
  readonly kind: Condition['kind'];
  readonly position: Position;
  /** Which of the conditions that were asked for: the indices of all that it meets (hitMeets.ts), in order. */
  readonly conditions: readonly number[];
  /** The thread in which it happens; 0 if in none. */
  readonly task: number;
  /** The instruction, or that after the system call. */
  readonly rip: GuestAddr;
  /** The first that meets one of the conditions, of an instruction, or of what the kernel does at one time. */
  readonly access?: MemoryAccess;
  /** The others, if there are any. */
  readonly alsoAccessed?: readonly MemoryAccess[];
  readonly syscall?: number;
  /** Of the system call, which is about to return. */
  readonly result?: number;
  readonly signal?: number;
  /** The signal is for what the next instruction does, which never retires. */
  readonly isFault?: boolean;
  readonly block?: { readonly how: 'made' | 'gone'; readonly view: View };
  /** A process is made, by the thread; or the thread executes another program. */
  readonly process?: { readonly how: 'made'; readonly pid: number } | { readonly how: 'executes' };
}

/**
 * Says which hits count while a search goes by them: cheaper than to stop at each. Such a search is done by one
 * searcher alone.
 */
export interface HitFilter {
  /** A part of the execution begins here; its hits come in order. Parts of a search backward come in reverse order. */
  begins?(state: State): void;
  /**
   * The state is that right before what happens; of accesses by the program (access.by), right after.
   * It must not be kept, and the execution not be moved.
   */
  accepts(hit: Hit, state: State): boolean;
}
