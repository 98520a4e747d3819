/**
 * What the control of execution needs of expressions. `debugger/values` implements it; front ends put the two together.
 */
import type { MemoryRange } from '../../replay/timeline/conditions.js';
import type { Scope } from '../../dwarf/scope.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';

/** What an expression comes to, in one frame at one time. */
export interface Evaluated {
  /** As print shows it, without `$1 = `. */
  readonly text: string;
  /** What it consists of, to be compared. Undefined if it cannot be read or is optimised out. */
  readonly bytes: Uint8Array | undefined;
  /** As a condition: not zero. */
  readonly isTrue: boolean;
  /** As an address or count: scalars. Undefined for others. */
  readonly number: bigint | undefined;
  /** Of an lvalue in memory: where it is. */
  readonly location: MemoryRange | undefined;
  /** All memory that the value came from: of `a->b` the pointer and the member. */
  readonly reads: readonly MemoryRange[];
  /**
   * Whether it uses variables of the frame's function, or its registers: it has no meaning after the function's end.
   */
  readonly usesFrame: boolean;
  /** An expression that means the same lvalue later wherever the program is: `*(type *) 0x1234`. */
  readonly atAddress: string | undefined;
}

export interface FrameEvaluator {
  /** Throws a UserError if it makes no sense there. `frame` is undefined where a thread has none. */
  evaluate(expression: string, program: ProgramView, frame: VisibleFrame | undefined): Evaluated;
  /**
   * The value that a function (with its debug information) has just returned to where the thread stands now, as
   * `finish` shows it; undefined for void and where it cannot be told.
   */
  returned(scope: Scope, program: ProgramView): { readonly text: string; readonly type: string } | undefined;
}
