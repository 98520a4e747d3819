/**
 * `culprit/traces`: questions about whole executions, for scripts of `culprit query` and for tests of your own.
 *
 *     import { execution } from 'culprit/traces';                       // in a script: the recording it is run on
 *     const foo = execution.breakpoints('foo');
 *     console.log(await foo.count((s) => +s.readVar('x') === 0));
 *
 *     import { recordExecution } from 'culprit/traces';                 // in a test
 *     const run = await recordExecution(['./server', '--once']);
 *     expect(await run.breakpoints('handle').length).toBe(1);
 */
import { UserError } from '../base/errors.js';
import { editHamt, EditHamt, editHamtBy } from '../traces/editHamt/editHamt.js';
import { TracedExecution as Execution } from '../traces/execution/tracedExecution.js';
import { Snapshot } from '../traces/execution/snapshot.js';
import { Value } from '../traces/execution/value.js';
import { traceOf, traceOfItems } from '../traces/lazyTrace.js';
import { type OpenOptions, openedExecution } from '../cli/opening/queryExecution.js';
import type { RecordOptions } from '../cli/opening/recordedExecution.js';

export { UserError } from '../base/errors.js';
export type { BranchChanges } from '../traces/execution/branchChanges.js';
export type { BranchOptions, TracedBranch as Branch } from '../traces/execution/tracedBranch.js';
export type { Allocation, Allocator } from '../traces/execution/allocations.js';
export type { AtomicVariable } from '../traces/execution/atomics.js';
export {
  type AccessKind, type BreakpointOptions, type FunctionOptions, type LValue, type ThreadChange, TracedExecution as Execution,
} from '../traces/execution/tracedExecution.js';
export { type Access, type Frame, type OutputFacts, type SignalFacts, Snapshot, type SourcePlace, type SystemCallFacts } from '../traces/execution/snapshot.js';
export type { Coverage, CoverageOptions } from '../traces/execution/coverage.js';
export type { Origin, OriginLink, OriginOptions } from '../traces/execution/origins.js';
export { Value } from '../traces/execution/value.js';
export { editHamt, EditHamt, editHamtBy } from '../traces/editHamt/editHamt.js';
export { traceOf, traceOfItems } from '../traces/lazyTrace.js';
export type * from '../traces/types.js';
export type { FoundItems as Found } from '../traces/types.js';
export type { OpenOptions } from '../cli/opening/queryExecution.js';
export type { RecordOptions } from '../cli/opening/recordedExecution.js';

/** Of a file that `culprit record` made. */
export function openExecution(path: string, options: OpenOptions = {}): Execution {
  return openedExecution(path, options).execution;
}

/** Runs a program to its end. What it takes to run programs is loaded at the first call. */
export async function recordExecution(words: readonly string[], options: RecordOptions = {}): Promise<Execution> {
  const { recordedExecution } = await import('../cli/opening/recordedExecution.js');
  return recordedExecution(words, options);
}

/** In a script of `culprit query`: the recording that it is run on. */
export const execution: Execution = new Proxy({} as Execution, {
  get: () => {
    throw new UserError('no recording is open: run the script with culprit query FILE SCRIPT, or use openExecution(FILE)');
  },
});

/** In a script of `culprit query`: what follows its name on the command line. */
export const args: readonly string[] = [];

/** What scripts and the prompt get beside `execution` and `args`. */
export const LIBRARY_PARTS = { openExecution, recordExecution, UserError, editHamt, editHamtBy, EditHamt, traceOf, traceOfItems, Execution, Snapshot, Value };
