/** Scenarios by the name of the group of rules (rules.ts) that has to find them. */
import type { Scenario } from '../scenario.js';
import { AFTER_RETURN } from './afterReturn.js';
import { COLLECTOR } from './collector.js';
import { DANGLING } from './dangling.js';
import { DOUBLE_FREE } from './doubleFree.js';
import { GLOBAL_OVERFLOW } from './globalOverflow.js';
import { HEAP_OVERFLOW } from './heapOverflow.js';
import { DEFINITE_LEAK } from './definiteLeak.js';
import { LEAK_IN_TRANSACTION, INDIRECT_LEAK, POSSIBLE_LEAK } from './otherLeaks.js';
import { LIBC_ARGUMENT } from './libcArgument.js';
import { MISMATCHED } from './mismatched.js';
import { NULL_DEREF } from './nullDeref.js';
import { OVERLAP } from './overlap.js';
import { RETURN_SMASH } from './returnSmash.js';
import { STACK_OVERFLOW } from './stackOverflow.js';
import { UNINITIALISED } from './uninitialised.js';
import { UNINITIALISED_READ } from './uninitialisedRead.js';
import { UNMATCHED_FREE } from './unmatchedFree.js';

export const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  'unmatched.free': UNMATCHED_FREE,
  'double.free': DOUBLE_FREE,
  'dangling.pointer.deref': DANGLING,
  'null.pointer.deref': NULL_DEREF,
  'heap.buffer.overflow': HEAP_OVERFLOW,
  'uninitialized.read': UNINITIALISED_READ,
  'uninitialized.use': UNINITIALISED,
  'definite.leak': DEFINITE_LEAK,
  'indirect.leak': INDIRECT_LEAK,
  'possible.leak': POSSIBLE_LEAK,
  'leak.in.ts': LEAK_IN_TRANSACTION,
  'gc.bug': COLLECTOR,
  'mismatched.free': MISMATCHED,
  'overlapping.copy': OVERLAP,
  'use.after.return': AFTER_RETURN,
  'stack.buffer.overflow': STACK_OVERFLOW,
  'global.buffer.overflow': GLOBAL_OVERFLOW,
  'libc.argument': LIBC_ARGUMENT,
  'return.address.smash': RETURN_SMASH,
};
