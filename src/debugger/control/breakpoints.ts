/** What the user wants to stop at: breakpoints, watchpoints and catchpoints under one row of numbers, as in gdb. */
import { UserError } from '../../base/errors.js';
import type { GuestAddr } from '../../base/types.js';
import type { Hit, MemoryRange } from '../../replay/timeline/conditions.js';
import type { CodeLocation } from '../program/location.js';
import type { ProgramView } from '../program/programView.js';
import type { FrameId, VisibleFrame } from '../program/visibleFrame.js';
import type { CallCondition } from './calls/callCondition.js';
import type { Direction } from './stops.js';

interface Common {
  readonly number: number;
  enabled: boolean;
  /** Deleted when it is hit. */
  temporary: boolean;
  /** An expression; undefined: always. */
  condition: string | undefined;
  /** So many hits are passed. */
  ignore: number;
  hits: number;
  /** For front ends. */
  commands: readonly string[];
  /** Only in this thread (its id). */
  thread: number | undefined;
  /** Whether to stop at the n-th hit, the first being 1; undefined: at all of them. */
  readonly stopsAt: ((n: number) => boolean) | undefined;
  /** Told of hits instead of stopping at them. */
  readonly log: ((passing: Passing) => void) | undefined;
}

/** A breakpoint is passed during a search. The view is good only now. */
export interface Passing {
  readonly hit: Hit;
  readonly view: ProgramView;
  readonly frame: VisibleFrame | undefined;
  /**
   * Going back, hits come in no particular order, and there may be more than what lies behind the place where the run
   * ends.
   */
  readonly direction: Direction;
}

/** One place of a breakpoint, which can be disabled by itself (1.2). */
export interface BreakpointPlace {
  readonly location: CodeLocation;
  enabled: boolean;
}

export interface LocationBreakpoint extends Common {
  readonly kind: 'breakpoint';
  /** As the user wrote it. */
  readonly text: string;
  /** Empty while pending. */
  places: BreakpointPlace[];
  /** Of one arrival (FILE:LINE#N): when that is in what is debugged now; undefined: it does not happen there. */
  arrival?: { time: number | undefined };
  /** Only at these times. */
  readonly times?: ReadonlySet<number>;
}

export interface Watchpoint extends Common {
  readonly kind: 'watchpoint';
  readonly expression: string;
  /** As the user wrote it, if that is something else. */
  readonly title?: string;
  readonly access: 'write' | 'read' | 'access';
  /** The frame whose variables it uses: it ends with it. */
  readonly scope: FrameId | undefined;
  /** The thread that it was set in: whose memory it is. */
  readonly owner: number;
  /** What is watched while the expression cannot be evaluated. */
  readonly fallback: readonly MemoryRange[];
}

export type Catch =
  /** Numbers of system calls or signals; empty: all. */
  | { readonly what: 'syscall' | 'signal'; readonly numbers: readonly number[] }
  | { readonly what: 'fork' | 'vfork' | 'exec' | 'throw' | 'catch' | 'rethrow' };

export interface Catchpoint extends Common {
  readonly kind: 'catchpoint';
  readonly caught: Catch;
}

/** Stops where a function is called (calls/callRun.ts). */
export interface CallBreakpoint extends Common {
  readonly kind: 'call';
  /** A function, as the user wrote it. */
  readonly text: string;
  /** Where it begins, in any module at any time. */
  readonly entries: readonly GuestAddr[];
  /** What it begins with there, if that is known: at another time something else may be there. */
  readonly code: ReadonlyMap<number, Uint8Array | undefined>;
  /** What `condition` says. */
  when: CallCondition;
  /** Places that it returns to, as far as they are known. */
  readonly returns: Set<number>;
  /** Of front ends that look at one process: whether a thread belongs to it. */
  readonly isOwn?: (thread: number) => boolean;
}

export type Breakpoint = LocationBreakpoint | Watchpoint | Catchpoint | CallBreakpoint;

export interface BreakpointOptions {
  readonly condition?: string | undefined;
  readonly temporary?: boolean;
  readonly ignore?: number;
  readonly thread?: number | undefined;
  readonly enabled?: boolean;
  readonly stopsAt?: ((n: number) => boolean) | undefined;
  readonly log?: ((passing: Passing) => void) | undefined;
}

export class BreakpointTable {
  private readonly points = new Map<number, Breakpoint>();
  private next = 1;
  private lastDeleted: Breakpoint | undefined;

  get all(): readonly Breakpoint[] {
    return [...this.points.values()];
  }

  /** Throws a UserError if there is none. */
  get(number: number): Breakpoint {
    const found = this.points.get(number);
    if (found === undefined) throw new UserError(`No breakpoint number ${number}.`);
    return found;
  }

  find(number: number): Breakpoint | undefined {
    return this.points.get(number);
  }

  /** Temporary ones are gone when a front end asks what was hit. */
  findEvenDeleted(number: number): Breakpoint | undefined {
    return this.points.get(number) ?? (this.lastDeleted?.number === number ? this.lastDeleted : undefined);
  }

  delete(number: number): void {
    this.lastDeleted = this.get(number);
    this.points.delete(number);
  }

  deleteAll(): void {
    this.points.clear();
  }

  addLocation(text: string, locations: readonly CodeLocation[], options: BreakpointOptions = {}): LocationBreakpoint {
    return this.add({ ...this.common(options), kind: 'breakpoint', text, places: locations.map((location) => ({ location, enabled: true })) });
  }

  addWatch(expression: string, access: Watchpoint['access'], where: Pick<Watchpoint, 'title' | 'scope' | 'owner' | 'fallback'>, options: BreakpointOptions = {}): Watchpoint {
    const { title, scope, owner, fallback } = where;
    return this.add({ ...this.common(options), kind: 'watchpoint', expression, ...(title === undefined ? {} : { title }), access, scope, owner, fallback });
  }

  addCatch(caught: Catch, options: BreakpointOptions = {}): Catchpoint {
    return this.add({ ...this.common(options), kind: 'catchpoint', caught });
  }

  addCall(meant: Pick<CallBreakpoint, 'text' | 'entries' | 'code' | 'when' | 'returns' | 'isOwn'>, options: BreakpointOptions = {}): CallBreakpoint {
    return this.add({ ...this.common(options), ...meant, kind: 'call' });
  }

  private add<T extends Breakpoint>(point: T): T {
    this.points.set(point.number, point);
    return point;
  }

  private common({ condition, temporary = false, ignore = 0, thread, enabled = true, stopsAt, log }: BreakpointOptions): Common {
    return { number: this.next++, enabled, temporary, condition, ignore, hits: 0, commands: [], thread, stopsAt, log };
  }
}
