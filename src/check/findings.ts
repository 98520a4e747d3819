/**
 * What a checked program did that it must not do: which rule says so, when it was, and what there was to know about it
 * then.
 */
import type { Place } from '../flow/copies/place.js';
import type { Firing } from '../rules/evaluate/compileRule.js';
import type { Occurrence } from '../rules/evaluate/machine.js';
import type { Crash } from './crashes/crash.js';
import type { Block, Moment } from './heap/blocks.js';

/** The end by a signal that is not about an access to memory. */
interface CrashOccurrence {
  readonly kind: 'crash';
}

export interface Finding {
  readonly firing: Firing;
  readonly occurrence: Occurrence | CrashOccurrence;
  readonly moment: Moment;
  readonly rip: number;
  /** It is an access of the kernel's, on behalf of the program. */
  readonly isKernels: boolean;
  /** Of an undefined value: the address of the byte that it comes from. */
  readonly origin?: number;
  /** Where the value was, when an instruction took it from there. */
  readonly from?: { readonly place: Place; readonly rip: number; readonly time: number } | undefined;
  /** The block that it is about, as it was then. */
  readonly block: Block | undefined;
  /** The program has ended by a signal, and no rule is about it. */
  readonly crash?: Crash;
  /** The pointer into the block that it is about, if the occurrence has none: an argument of a call. */
  readonly pointer?: number | undefined;
  /** By calls of which functions it was allocated, of those that suppressions name. */
  readonly allocatedIn: readonly string[];
}
