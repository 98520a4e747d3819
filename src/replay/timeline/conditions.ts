/** What a search through an execution stops at. */
import type { Position } from '../play/position.js';
import type { State } from './state.js';

export interface MemoryRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export type Condition =
  /** The instruction at one of these addresses is about to be executed. */
  | { readonly kind: 'address'; readonly addresses: readonly number[] }
  /** One of these bytes is accessed, by the program or by the kernel on its behalf. */
  | { readonly kind: 'memory'; readonly access: 'write' | 'read' | 'access'; readonly ranges: readonly MemoryRange[] }
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
  | { readonly kind: 'time'; readonly time: number };

/** Something that meets a condition. The position is the state right before it happens. */
export interface Hit {
  readonly position: Position;
  /** Which of the conditions: its index. */
  readonly condition: number;
  /** The thread in which it happens; 0 if in none. */
  readonly task: number;
  /** The instruction, or that after the system call. */
  readonly rip: number;
  readonly access?: {
    readonly address: number;
    readonly bytes: number;
    readonly write: boolean;
    readonly by: 'program' | 'kernel';
  };
  readonly syscall?: number;
  /** Of the system call, which is about to return. */
  readonly result?: number;
  readonly signal?: number;
  /** The signal is for what the next instruction does, which never retires. */
  readonly isFault?: boolean;
  /** A process is made, by the thread; or the thread executes another program. */
  readonly process?: { readonly how: 'made'; readonly pid: number } | { readonly how: 'executes' };
}

/** Says which hits count while a search goes by them: cheaper than to stop at each. Such a search is done by one searcher alone. */
export interface HitFilter {
  /** A part of the execution begins here; its hits come in order. Parts of a search backward come in reverse order. */
  begins?(state: State): void;
  /**
   * The state is that right before what happens; of accesses by the program (access.by), right after.
   * It must not be kept, and the execution not be moved.
   */
  accepts(hit: Hit, state: State): boolean;
}
