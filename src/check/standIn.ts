/**
 * A function that we stand in for, and the form in which its calls are done quickly: all of them of one shape, with
 * numbers in place of names, because there are millions of calls.
 */
import { PAGE_SIZE } from '../base/types.js';
import type { Slot } from '../layout/cpuState.js';
import { ARGUMENTS } from './calls/arguments.js';
import { NEVER, type QuickTest } from './calls/quickTest.js';
import type { LibraryFunction } from './functions.js';

export interface StandIn {
  readonly name: string;
  readonly does: LibraryFunction;
  /** Undefined: every call has to be looked at. */
  readonly mayBreakRule: QuickTest | undefined;
}

const USUAL_ALIGNMENT = 16;

export class PreparedStandIn {
  readonly name: string;
  readonly does: LibraryFunction['does'];
  readonly mayBreakRule: QuickTest | undefined;
  readonly breaksNoRule: boolean;
  /** Where its arguments are; those that it has. */
  readonly pointer: Slot | undefined;
  readonly size: Slot | undefined;
  readonly count: Slot | undefined;
  readonly alignment: Slot | undefined;
  /** If no argument says it. */
  readonly usualAlignment: number;
  readonly zeroed: boolean;
  /** It gives out whole pages: that is nothing to be quick about. */
  readonly wholeSize: boolean;
  readonly family: number;

  constructor(
    /** Tells it from others. */
    readonly number: number,
    { name, does, mayBreakRule }: StandIn,
    familyNumber: (name: string) => number,
  ) {
    this.name = name;
    this.does = does.does;
    this.mayBreakRule = mayBreakRule;
    this.breaksNoRule = mayBreakRule === NEVER;
    this.pointer = does.does === 'free' || does.does === 'resize' ? ARGUMENTS[does.pointer] : undefined;
    this.size = does.does === 'allocate' || does.does === 'resize' ? ARGUMENTS[does.size] : undefined;
    this.count = 'count' in does && does.count !== undefined ? ARGUMENTS[does.count] : undefined;
    this.alignment = 'alignment' in does && does.alignment !== undefined ? ARGUMENTS[does.alignment] : undefined;
    this.usualAlignment = 'wholePages' in does && does.wholePages === true ? PAGE_SIZE : USUAL_ALIGNMENT;
    this.zeroed = 'zeroed' in does && does.zeroed === true;
    this.wholeSize = 'wholeSize' in does && does.wholeSize === true;
    this.family = 'family' in does ? familyNumber(does.family) : 0;
  }
}
