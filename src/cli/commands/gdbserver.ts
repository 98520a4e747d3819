/** `culprit gdbserver`: lets gdb, or who else speaks its protocol, debug a recording. */
import { setImmediate } from 'node:timers/promises';
import { Client, type Served } from '../../gdbserver/client.js';
import { NodeHost } from '../../host/nodeHost.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { recordedProcesses } from '../../replay/timeline/recordedProcesses.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { endBySignals } from '../running/endBySignals.js';
import { attend, listenForGdb, LOOPBACK } from '../serving/gdbListener.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { type OpenedRecording, openedRecording, playerOptions, timelineOf } from '../opening/openedRecording.js';
import { recordingOf } from '../opening/recordingOrProgram.js';
import { complain, reportFailure } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export interface GdbserverOptions extends CheckpointMemoryOptions {
  readonly port?: number;
  readonly host?: string;
  readonly stdio?: boolean;
  readonly once?: boolean;
  readonly start?: boolean;
  readonly pid?: number;
  readonly pidBase?: number;
}

export async function gdbserverCommand(words: readonly string[], options: GdbserverOptions): Promise<number> {
  endBySignals('SIGTERM', 'SIGHUP');
  // On stdout is the protocol then.
  const { path } = await recordingOf(words, options.stdio === true ? ['ignore', 2, 'inherit'] : ['inherit', 'inherit', 'inherit'], options.pidBase);
  const recording = openedRecording(path);
  tellLoss(recording);
  const served = serve(recording, options);
  // Before anybody waits for it: later it is quick.
  await Client.open(served);
  await (options.stdio === true ? serveStdio(served) : servePort(served, options));
  return statusOn(recording, 0);
}

function serve(recording: OpenedRecording, options: GdbserverOptions): Served {
  setPatience('guest code');
  const execution = timelineOf(recording, { checkpointMemory: options.checkpointMemory });
  return {
    execution, processes: recordedProcesses(recording.log), pid: options.pid,
    opensAt: options.start === true ? 'begin' : 'end',
    branches: new TimelineBranches(execution, playerOptions(recording), new NodeHost()),
    checkpointTimes: () => execution.checkpoints.times(),
    files: NODE_FILES, bookmarks: new Map(), breathe: () => setImmediate(),
  };
}

/** Resolves when the client is gone. */
async function serveStdio(served: Served): Promise<void> {
  // Ctrl-C in the client's terminal is the client's affair: it sends an interrupt.
  process.on('SIGINT', () => undefined);
  const { stdin, stdout } = process;
  stdout.on('error', () => stdin.destroy());
  await attend(served, { send: (bytes) => void stdout.write(bytes), close: () => stdout.end(() => stdin.destroy()), drop: () => void stdin.destroy() }, stdin, reportFailure);
}

/** Resolves when the one client is gone, with --once; otherwise never. */
async function servePort(served: Served, { host = LOOPBACK, port, once }: GdbserverOptions): Promise<void> {
  endBySignals('SIGINT');
  let done: () => void = () => undefined;
  const oneIsGone = new Promise<void>((resolve) => {
    done = resolve;
  });
  const listener = await listenForGdb(served, { host, port, report: reportFailure, gone: () => once === true && done() });
  complain(`culprit: listening on ${host}:${listener.port}; in gdb: target extended-remote ${host === LOOPBACK ? '' : host}:${listener.port}`);
  await oneIsGone;
  await listener.close();
}
