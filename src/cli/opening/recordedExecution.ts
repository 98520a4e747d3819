/** Runs a program to its end, and opens what was recorded for traces: for tests of one's own. */
import { UserError } from '../../base/errors.js';
import { bytePathFromText } from '../../base/bytePath.js';
import type { Host, HostFiles } from '../../host/host.js';
import { NodeHost } from '../../host/nodeHost.js';
import { createGuest } from '../../linux/guest.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../machine/engineOptions.js';
import { MemoryRecording } from '../../replay/record/memoryRecording.js';
import { Recorder } from '../../replay/record/recorder.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import { TracedExecution } from '../../traces/execution/tracedExecution.js';
import { branchesOf } from './branchesOf.js';
import { NODE_FILES } from './nodeFiles.js';

export interface RecordOptions {
  /** What the program writes: 'ignore' (default) or to where we write. `execution.output()` has it in any case. */
  readonly output?: 'ignore' | 'inherit';
  /** Another order in which threads take turns. */
  readonly seed?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function recordedExecution(words: readonly string[], { output = 'ignore', seed = 0, environment }: RecordOptions): Promise<TracedExecution> {
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
  const played = { log, blobs: recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: guest.world.clock.startSeconds };
  const another = (): Timeline => new Timeline(played);
  return new TracedExecution({ execution: another(), another, branches: async () => branchesOf(another(), played), files: NODE_FILES });
}

function silent(host: Host): Host {
  const files = Object.assign(Object.create(host.files) as HostFiles, {
    write: (fd: never, bytes: Uint8Array, position?: number) => (fd === 1 || fd === 2 ? bytes.length : host.files.write(fd, bytes, position)),
  });
  return Object.assign(Object.create(host) as Host, { files });
}
