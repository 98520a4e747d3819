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
import { bytePathFromText } from '../host/bytePath.js';
import type { Host, HostFiles } from '../host/host.js';
import { NodeHost } from '../host/nodeHost.js';
import { createGuest } from '../linux/guest.js';
import { DEFAULT_ENGINE_OPTIONS } from '../machine/engine.js';
import { MemoryRecording } from '../replay/record/memoryRecording.js';
import { Recorder } from '../replay/record/recorder.js';
import { Timeline } from '../replay/timeline/timeline.js';
import { editHamt, EditHamt, editHamtBy } from '../traces/editHamt/editHamt.js';
import { Execution } from '../traces/execution/execution.js';
import { Snapshot } from '../traces/execution/snapshot.js';
import { Value } from '../traces/execution/value.js';
import { traceOf, traceOfItems } from '../traces/lazyTrace.js';
import { NODE_FILES } from './nodeFiles.js';
import { type OpenOptions, openedExecution } from './queryExecution.js';

export { UserError } from '../base/errors.js';
export type { Allocation, Allocator } from '../traces/execution/allocations.js';
export { type AccessKind, type BreakpointOptions, Execution, type FunctionOptions, type LValue, type ThreadChange } from '../traces/execution/execution.js';
export { type Access, type Frame, type OutputFacts, type SignalFacts, Snapshot, type SourcePlace, type SystemCallFacts } from '../traces/execution/snapshot.js';
export { Value } from '../traces/execution/value.js';
export { editHamt, EditHamt, editHamtBy } from '../traces/editHamt/editHamt.js';
export { traceOf, traceOfItems } from '../traces/lazyTrace.js';
export type * from '../traces/types.js';
export type { OpenOptions } from './queryExecution.js';

export interface RecordOptions {
  /** What the program writes: 'ignore' (default) or to where we write. `execution.output()` has it in any case. */
  readonly output?: 'ignore' | 'inherit';
  /** Another order in which threads take turns. */
  readonly seed?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Of a file that `culprit record` made. */
export function openExecution(path: string, options: OpenOptions = {}): Execution {
  return openedExecution(path, options).execution;
}

/** Runs a program to its end. */
export async function recordExecution(words: readonly string[], { output = 'ignore', seed = 0, environment }: RecordOptions = {}): Promise<Execution> {
  const [program, ...args] = words.map(bytePathFromText);
  if (program === undefined) throw new UserError('nothing to record: give a program');
  const host = new NodeHost();
  const recording = new MemoryRecording();
  const recorder = new Recorder(recording, () => performance.now());
  const variables = environment === undefined ? host.environment() : Object.entries(environment).map(([name, value]) => bytePathFromText(`${name}=${value}`));
  const guest = createGuest(output === 'ignore' ? silent(host) : host, { program, args, environment: variables, world: { witness: recorder, scheduleSeed: seed } });
  await guest.world.run();
  recorder.finish();
  const log = recording.log();
  const timeline = new Timeline({ log, blobs: recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: guest.world.clock.startSeconds });
  return new Execution({ timeline, log, files: NODE_FILES });
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

function silent(host: Host): Host {
  const files = Object.assign(Object.create(host.files) as HostFiles, {
    write: (fd: never, bytes: Uint8Array, position?: number) => (fd === 1 || fd === 2 ? bytes.length : host.files.write(fd, bytes, position)),
  });
  return Object.assign(Object.create(host) as Host, { files });
}
