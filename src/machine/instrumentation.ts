/**
 * What an analysis wants of an engine, as one value that never changes. An analysis that wants something else hands the
 * engine another value, and the engine does what is different (instruments.ts). Forks and new programs inherit it.
 * Parts are compared by identity: what stays the same is the same object.
 */
import type { BlockPass } from '../ir/blockPass.js';
import type { RegisterTest } from '../ir/registerTest.js';
import type { AccessBound } from '../x86/hooks.js';
import type { HookHandler } from './hooks.js';
import type { Observation } from './observation/executionLog.js';
import type { SpotObservation } from './observation/spotLog.js';
import type { PlainBlock } from './plainBlocks.js';
import type { TrackingOptions } from './shadow/tracking.js';
import type { WatchedRange } from './watch.js';

/** Places of the program where a handler stands in, or has a look. */
export interface Hooks {
  /** The engine stops in front of these, also when a run begins there (Engine.passHook). */
  readonly addresses: ReadonlySet<number>;
  /** Those of all that may be others in the next run of the program: code around them is not kept for others. */
  readonly changing: ReadonlySet<number>;
  /** The handler is asked whether the engine stops there. */
  readonly looks: ReadonlySet<number>;
  /** Asked in the middle of generated code, here and where the program's code has hooks in it (x86/hooks.ts). */
  readonly handler: HookHandler | undefined;
  /**
   * Says where they are: hooks with the same key are at the same places of the same code. Undefined: they may be
   * anywhere, so all are `changing`.
   */
  readonly key: string | undefined;
}

/** Variables of the program that have bounds; what is said of places holds for code that has not been executed yet. */
export interface WatchedVariables {
  /** Where functions return that have such variables: the hooks' handler is told. */
  readonly returns: ReadonlySet<number>;
  /** Accesses that trap if they are not in their variable. */
  readonly bounds: ReadonlyMap<number, AccessBound>;
  /** Global variables, in the order of their addresses. */
  readonly globals: readonly PlainBlock[];
}

export interface Instrumentation {
  /** What becomes of every block of code. Their keys select what is known of code. */
  readonly passes: readonly BlockPass[];
  /**
   * The engine stops in front of these addresses. What a run begins with is executed in any case, so that one can go on
   * from a breakpoint: a run that starts anew needs a look at rip first.
   */
  readonly breakpoints: ReadonlySet<number>;
  /** The same where a test of registers holds. Where shadow is followed, it stops at all of these. */
  readonly tests: ReadonlyMap<number, RegisterTest>;
  /**
   * The engine stops after every instruction of the program that accesses these ranges. It does not see what the kernel
   * reads and writes for the program.
   */
  readonly watched: readonly WatchedRange[];
  readonly hooks: Hooks;
  readonly variables: WatchedVariables;
  /** Whether the engine stops after a `ret` to where no call comes from. */
  readonly checksReturns: boolean;
  /**
   * The engine stops before an undefined value decides something, or wherever one is read. What is in memory when that
   * begins counts as written.
   */
  readonly shadow: TrackingOptions | undefined;
  /** Code logs what it executes, and the engine tells it whenever it stops, and now and then. */
  readonly observation: Observation | SpotObservation | undefined;
}

export const NO_HOOKS: Hooks = { addresses: new Set(), changing: new Set(), looks: new Set(), handler: undefined, key: undefined };

/** Nothing is wanted: the program runs as it is. */
export const PLAIN: Instrumentation = {
  passes: [],
  breakpoints: new Set(),
  tests: new Map(),
  watched: [],
  hooks: NO_HOOKS,
  variables: { returns: new Set(), bounds: new Map(), globals: [] },
  checksReturns: false,
  shadow: undefined,
  observation: undefined,
};
