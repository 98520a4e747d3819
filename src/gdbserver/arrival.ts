/** Why the program stands where it does, as a client is told. `thread` is the number that the execution has for it. */
import type { WatchKind } from './stops.js';

export type Arrival =
  | { readonly kind: 'breakpoint'; readonly thread: number; readonly how: 'software' | 'hardware' }
  | { readonly kind: 'watchpoint'; readonly thread: number; readonly how: WatchKind; readonly address: number }
  /** A function is about to be called (monitor breakpoint); the number of the breakpoint. */
  | { readonly kind: 'calls'; readonly thread: number; readonly number: number }
  /** It is about to take effect. */
  | { readonly kind: 'signal'; readonly thread: number; readonly signal: number }
  /** A system call is made, or has its result. */
  | { readonly kind: 'call'; readonly thread: number; readonly phase: 'entry' | 'return'; readonly number: number }
  /** The process has made another one. */
  | { readonly kind: 'forked'; readonly thread: number; readonly how: 'fork' | 'vfork'; readonly child: number }
  /** It goes on after a vfork. */
  | { readonly kind: 'vforkDone'; readonly thread: number }
  /** It executes another program. */
  | { readonly kind: 'executed'; readonly thread: number; readonly program: string }
  | { readonly kind: 'stepped'; readonly thread: number }
  /** A monitor command has brought it here. */
  | { readonly kind: 'jumped'; readonly thread: number }
  /** There is nothing more in this direction. */
  | { readonly kind: 'begin' | 'end'; readonly thread: number }
  | { readonly kind: 'interrupted'; readonly thread: number };
