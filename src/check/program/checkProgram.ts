/**
 * A whole check without a command line: runs a program of a host under rules, records it in memory, and reports what it
 * does wrong. For debug adapters, pages and tests. What it needs from the outside comes in with the host and the
 * settings.
 */
import { Debugger } from '../../debugger/control/debugger.js';
import { type DebugFiles, NO_FILES } from '../../debugger/program/debugFiles.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import type { Host } from '../../host/host.js';
import { createGuest, type Guest, type GuestRequest } from '../../linux/guest.js';
import type { ExitStatus } from '../../linux/process.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../machine/engineOptions.js';
import type { EventLog } from '../../replay/log/eventLog.js';
import type { BlobSource } from '../../replay/play/playedObject.js';
import { MemoryRecording } from '../../replay/record/memoryRecording.js';
import { Recorder } from '../../replay/record/recorder.js';
import type { RecordingTarget } from '../../replay/record/recordingTarget.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import type { Work } from '../../replay/timeline/work.js';
import type { AllocationFunctions } from '../functions.js';
import type { StoredFindings } from '../storedFindings.js';
import type { ReportSettings } from '../run/checkAgain.js';
import { CheckedRun } from '../run/checkedRun.js';
import { type MadeReports, makeReports } from '../run/reports.js';

export interface CheckSettings extends ReportSettings {
  /** Sources, and debug information that lies apart; default: none, and reports have what the program itself has. */
  readonly files?: DebugFiles;
  /** Allocation functions of the program's own, as `parseAllocator` reads them. */
  readonly allocators?: AllocationFunctions;
  /** Where the run is recorded, and read again; default: in memory. */
  readonly recording?: RunRecording;
  /** Told when the program is loaded and about to run: a place to end it from (`guest.world.killAll`). */
  readonly onStarted?: (guest: Guest) => void;
}

/** A recording that can be read when it has been written. */
export interface RunRecording extends RecordingTarget, BlobSource {
  log(): EventLog;
}

export interface CheckedProgram extends MadeReports {
  /** How the program ended; if the check has stopped it, by SIGKILL. */
  readonly status: ExitStatus;
  /** The check has stopped the program at its first finding. */
  readonly hasStopped: boolean;
  /** Functions of `allocators` that no file of the program has. */
  readonly missingAllocators: readonly string[];
  /** All that rules said, for `checkAgain`. `packFindings` makes JSON of it. */
  readonly findings: StoredFindings;
  /** A debugger on the recorded run: to look around at the time of a report. Each call opens another. */
  open(work?: Work): Promise<Debugger>;
}

/** Throws a UserError if there is no such program, or it cannot be run. */
export async function checkProgram(host: Host, request: GuestRequest, settings: CheckSettings): Promise<CheckedProgram> {
  const { chosen: { rules, switches }, suppressions = [], keepsGoing = false, allocators = {}, files = NO_FILES, work, recording = new MemoryRecording() } = settings;
  const run = new CheckedRun({ rules, switches, suppressions, keepsGoing, allocators, files, keepsAll: true });
  const recorder = new Recorder(recording, () => host.clock.milliseconds());
  const guest = createGuest(host, {
    ...request,
    world: { ...request.world, witness: recorder, interceptor: run.interceptor, onEnd: (process) => run.processEnded(process) },
  });
  const { world } = guest;
  settings.onStarted?.(guest);
  const status = await world.run();
  world.outside.release();
  recorder.finish();
  const options = { log: recording.log(), blobs: recording, engine: { ...DEFAULT_ENGINE_OPTIONS, ...request.engine }, startSeconds: world.clock.startSeconds };
  const ending = status.kind === 'exited' ? { how: 'exited', code: status.code } as const : { how: 'signaled', code: status.signal } as const;
  const open = (meanwhile?: Work): Promise<Debugger> =>
    Debugger.open(new Timeline(options), { files, evaluator: new ValueEvaluator(), ending }, meanwhile);
  const made = await makeReports(run, () => open(work), suppressions, work);
  const { hasStopped, interceptor: { missingAllocators } } = run;
  return { ...made, status, hasStopped, missingAllocators: [...missingAllocators], findings: run.stored(), open };
}
