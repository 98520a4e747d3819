/**
 * Runs the program of a recording once more from its start, with the same input: arguments, environment, standard
 * input, files as it found them (restoredFiles.ts), clocks and random numbers (recordedAnswers.ts). All of it comes
 * from the recording: neither the program nor its files have to be here any more. Nothing that it does is seen outside.
 *
 * What is different this time is for an interceptor to say. The run is recorded in memory.
 */
import { assert } from '../../base/assert.js';
import { bytePath } from '../../base/bytePath.js';
import { UserError } from '../../base/errors.js';
import { SIG } from '../../base/signalNumbers.js';
import type { Host } from '../../host/host.js';
import { createGuest, type Guest, type GuestRequest } from '../../linux/guest.js';
import type { Interceptor } from '../../linux/interception.js';
import type { ExitStatus, Process } from '../../linux/process.js';
import type { WorldOptions } from '../../linux/world.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../machine/engineOptions.js';
import { setRegister, writeMemory } from '../branch/alterations.js';
import { FileChanges, undoChanges } from '../branch/fileChanges.js';
import type { PlainAlteration } from '../branch/recordedBranch.js';
import { Unsupported } from '../branch/unsupported.js';
import { type EventLog, LOG_START } from '../log/eventLog.js';
import type { PlayerOptions } from '../play/player.js';
import type { BlobSource } from '../play/playedObject.js';
import { MemoryRecording } from '../record/memoryRecording.js';
import { Recorder } from '../record/recorder.js';
import { breathe, type Work } from '../timeline/work.js';
import { eachCall } from './callResults.js';
import { OutsideSurvey } from './outsideWorld.js';
import { AnswerSurvey } from './recordedAnswers.js';
import { FileSurvey } from './recordedFiles.js';
import { restoreFiles } from './restoredFiles.js';
import { actAsOurselves, actAsRecorded, type Beginning, beginningOf, hostOf, prepare } from './secondHost.js';

/** What has to be known of a recording. */
export interface RecordedProgram {
  readonly log: EventLog;
  readonly blobs: BlobSource;
  readonly header: { readonly scheduleSeed: number; readonly aslrSeed?: number; readonly sandbox?: boolean };
}

/** What is done to the program when so many instructions have been executed: threads are named as hits name them. */
export interface TimedDeeds {
  readonly time: number;
  readonly deeds: readonly PlainAlteration[];
}

interface SecondRunOptions {
  readonly interceptor?: Interceptor;
  /** Told of every process that ends, while its memory is still there. */
  readonly onEnd?: (process: Process) => void;
  /** Told when the program is loaded and about to run. */
  readonly onStarted?: (guest: Guest) => void;
  /** Asked now and then: true ends the run. */
  readonly isEnough?: () => boolean;
  readonly mostInstructions?: number;
  /** In the order of time. */
  readonly deeds?: readonly TimedDeeds[];
  readonly engine?: Partial<EngineOptions>;
  readonly work?: Work | undefined;
}

interface SecondRun {
  /** Undefined: it was ended, or could not go on. `remarks` say why. */
  readonly status: ExitStatus | undefined;
  /** In one line each: what may make it different from the recorded run. */
  readonly remarks: readonly string[];
  readonly output: readonly { readonly fd: number; readonly bytes: Uint8Array }[];
  readonly instructions: number;
  /** For timelines over what was recorded. */
  readonly recording: Pick<PlayerOptions, 'log' | 'blobs' | 'engine' | 'startSeconds'>;
}

/** Instructions between two looks at whether to go on. */
const SLICE = 5_000_000;

/** Throws a UserError if the recording does not say what the program began with. `real`: whose other files it sees. */
export async function runAgain(recorded: RecordedProgram, real: Host, options: SecondRunOptions = {}): Promise<SecondRun> {
  const beginning = beginningOf(recorded.log);
  const remarks: string[] = [];
  const remark = (line: string): void => void (remarks.includes(line) || remarks.push(line));
  const output: { fd: number; bytes: Uint8Array }[] = [];
  const recording = new MemoryRecording();
  const recorder = new Recorder(recording, () => 0);
  const hear = (fd: number, bytes: Uint8Array): void => {
    recorder.output(fd, bytes);
    output.push({ fd, bytes });
  };
  const { environment, host } = hostOf(real, beginning, remark);
  let guest: Guest | undefined;
  let status: ExitStatus | undefined;
  try {
    const table = restored(recorded, host, remark).table();
    actAsRecorded(host, beginning);
    guest = createGuest(host, requestOf(recorded, beginning, options, {
      witness: recorder, table, onMade: (process) => prepare(process, beginning, recorded.log, { output: hear, warn: remark }),
    }));
    const { world } = guest;
    environment.useClock(() => world.clock.realtime());
    options.onStarted?.(guest);
    recorder.begin(world);
    status = await runOn(guest, options, (deed) => alter(recorder, deed), remark);
  } catch (error) {
    if (!(error instanceof Unsupported) && !(error instanceof UserError)) throw error;
    remark(`the program cannot be run again: ${error.message}`);
  } finally {
    recorder.finish();
    guest?.world.outside.release();
    environment.dispose();
    actAsOurselves(real);
  }
  const { ending, instructions = 0, clock } = guest?.world ?? {};
  if (ending !== undefined) remark(`all threads wait for what does not come: ${ending.tasks.join('; ')}`);
  return {
    status: ending === undefined ? status : undefined, remarks, output, instructions,
    recording: { log: recording.log(), blobs: recording, engine: { ...DEFAULT_ENGINE_OPTIONS, ...options.engine }, startSeconds: clock?.startSeconds ?? 0 },
  };
}

/** The files are as they were then; what the program was told otherwise is the result. */
function restored({ log, blobs, header }: RecordedProgram, { files }: Host, remark: (line: string) => void): AnswerSurvey {
  const [found, answers, outside] = [new FileSurvey(), new AnswerSurvey(), new OutsideSurvey()];
  eachCall(log, [found, answers, outside]);
  const lost = header.sandbox === true ? [] : undoChanges(files, new FileChanges(log).after(LOG_START));
  const { known, remarks } = restoreFiles(files, found.found(), blobs);
  for (const path of lost) if (!known.has(path)) remark(`${path}: the recorded run changed it`);
  for (const line of [...remarks, ...outside.remarks]) remark(line);
  return answers;
}

interface RunParts extends Pick<WorldOptions, 'witness' | 'table'> {
  readonly onMade: (process: Process) => void;
}

function requestOf({ header }: RecordedProgram, { program, world }: Beginning, { engine, interceptor, onEnd }: SecondRunOptions, { onMade, ...parts }: RunParts): GuestRequest {
  return {
    program: bytePath(program.argv[0] ?? program.exe), args: program.argv.slice(1).map(bytePath), environment: program.environment.map(bytePath),
    pidBase: world.identity.pid, aslrSeed: header.aslrSeed, onMade,
    ...(engine === undefined ? {} : { engine }),
    world: {
      ...parts, closed: true, scheduleSeed: header.scheduleSeed,
      ...(interceptor === undefined ? {} : { interceptor }),
      ...(onEnd === undefined ? {} : { onEnd }),
    },
  };
}

/** Undefined if it was ended. */
async function runOn({ world }: Guest, { isEnough, mostInstructions = Infinity, deeds = [], work }: SecondRunOptions, act: (deed: PlainAlteration) => void, remark: (line: string) => void): Promise<ExitStatus | undefined> {
  let done = 0;
  for (;;) {
    const status = await world.runTo(Math.min(world.instructions + SLICE, deeds[done]?.time ?? Infinity, mostInstructions));
    if (status !== undefined) return status;
    for (let next = deeds[done]; next !== undefined && next.time <= world.instructions; next = deeds[++done]) next.deeds.forEach(act);
    await breathe(work, world.instructions, 0);
    const isOver = world.instructions >= mostInstructions;
    if (isOver) remark(`the second run was ended after ${world.instructions} instructions`);
    if (!isOver && isEnough?.() !== true) continue;
    for (const process of world.processes) process.killedBy(SIG.KILL);
    await world.runTo(Infinity);
    return undefined;
  }
}

/** What was changed is in the recording: what the kernel does between two turns is, too. */
function alter(recorder: Recorder, deed: PlainAlteration): void {
  const task = deed.thread === undefined ? undefined : recorder.taskOf(deed.thread);
  assert(task !== undefined, 'a second run has the threads of the first');
  const { machine } = task.process;
  machine.load(task);
  const loaded = { cpu: machine.cpu, space: machine.space, linear: machine.space.linear };
  if (deed.kind === 'memory') writeMemory(loaded, deed.address, deed.bytes);
  else if (deed.kind === 'register') setRegister(loaded, deed.name, deed.value);
}
