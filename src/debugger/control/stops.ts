/** Why the execution stands where it does. */
import type { FrameId } from '../program/visibleFrame.js';

export type Direction = 'forward' | 'backward';

export interface HowItEnded {
  readonly how: 'exited' | 'signaled' | 'unknown';
  /** The exit code, or the signal's number. */
  readonly code: number;
  /** Why nothing comes after it, if that is known and it is neither of these. */
  readonly remark?: string;
}

/** One reason, and others that are here, too: two watchpoints of one change, a breakpoint behind it. */
export type Stop = Reason & { readonly also?: readonly Stop[] };

/** All reasons, the first one first. */
export function reasonsOf(stop: Stop): readonly Stop[] {
  return [stop, ...(stop.also ?? [])];
}

/**
 * All of them as one: what has changed first, since a breakpoint says where that was. What is caught is no signal
 * beside.
 */
export function together(stops: readonly Stop[]): Stop | undefined {
  const rank = ({ kind }: Stop): number => (kind === 'watchpoint' || kind === 'scope' ? 0 : kind === 'signal' ? 2 : 1);
  const [first, ...others] = stops.toSorted((a, b) => rank(a) - rank(b));
  const also = others.filter(({ kind }) => kind !== 'signal');
  return first === undefined || also.length === 0 ? first : { ...first, also };
}

/** Of breakpoints, watchpoints and catchpoints: which were hit. */
export function numbersOf(stop: Stop): readonly number[] {
  return reasonsOf(stop).flatMap((reason) => (reason.kind === 'breakpoint' ? reason.numbers : reason.kind === 'watchpoint' || reason.kind === 'catchpoint' ? [reason.number] : []));
}

type Reason =
  /** Breakpoints by number, all that are here; temporary ones among them have been deleted. */
  | { readonly kind: 'breakpoint'; readonly thread: number; readonly numbers: readonly number[] }
  /** A value changed (`old` and `new` as printed), or was read. In reverse `old` is what it had after the change. */
  | { readonly kind: 'watchpoint'; readonly thread: number; readonly number: number; readonly expression: string; readonly access: 'write' | 'read' | 'access'; readonly old: string | undefined; readonly new: string }
  /** The function that a watched expression belongs to has ended; the watchpoint is deleted. */
  | { readonly kind: 'scope'; readonly thread: number; readonly number: number; readonly expression: string }
  | { readonly kind: 'catchpoint'; readonly thread: number; readonly number: number; readonly event: CaughtEvent }
  /** About to take effect. */
  | { readonly kind: 'signal'; readonly thread: number; readonly signal: number }
  /** A step (of any kind) is done. `frame` is the one that was stepped in at last. */
  | { readonly kind: 'step'; readonly thread: number; readonly frame?: FrameId | undefined }
  /** `finish`: what the function returned. */
  | { readonly kind: 'finished'; readonly thread: number; readonly value: { readonly text: string; readonly type: string } | undefined; readonly function: string | undefined }
  /** The user went here. */
  | { readonly kind: 'moved'; readonly thread: number }
  | { readonly kind: 'end'; readonly thread: number; readonly ending: HowItEnded }
  | { readonly kind: 'start'; readonly thread: number }
  /** Given up; it stands where it did before. */
  | { readonly kind: 'cancelled'; readonly thread: number };

export type CaughtEvent =
  | { readonly kind: 'syscall'; readonly number: number; readonly phase: 'call' | 'return' }
  | { readonly kind: 'signal'; readonly signal: number }
  | { readonly kind: 'fork' | 'vfork' | 'clone'; readonly pid: number }
  | { readonly kind: 'exec'; readonly program: string }
  | { readonly kind: 'throw' | 'catch' | 'rethrow' };
