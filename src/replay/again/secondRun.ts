/**
 * Runs the program of a recording once more from its start, with the same input: arguments, environment, standard
 * input, files as it found them (restoredFiles.ts), clocks and random numbers (recordedAnswers.ts). All of it comes
 * from the recording: neither the program nor its files have to be here any more. Nothing that it does is seen outside.
 *
 * What is different this time is for an interceptor to say. The run is recorded in memory.
 */
import { UserError } from '../../base/errors.js';
import { type BytePath, bytePath } from '../../base/bytePath.js';
import { O } from '../../base/fileConstants.js';
import type { Host, HostFd, HostFiles } from '../../host/host.js';
import { createGuest, type Guest } from '../../linux/guest.js';
import type { Interceptor } from '../../linux/interception.js';
import type { ExitStatus, Process } from '../../linux/process.js';
import { SIG } from '../../base/signalNumbers.js';
import { SIG_IGN } from '../../linux/signals/signalActions.js';
import type { RunEnding } from '../../linux/world.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../machine/engineOptions.js';
import type { EventLog } from '../log/eventLog.js';
import { LOG_START } from '../log/eventLog.js';
import type { ProcessFacts, ProgramFacts, WorldFacts } from '../log/kernelFacts.js';
import { Ledger } from '../log/ledger.js';
import type { PlayerOptions } from '../play/player.js';
import type { BlobSource } from '../play/playedObject.js';
import { MemoryRecording } from '../record/memoryRecording.js';
import { Recorder } from '../record/recorder.js';
import { breathe, type Work } from '../timeline/work.js';
import { type BranchHost, createBranchHost } from '../branch/branchHost.js';
import { FileChanges, undoChanges } from '../branch/fileChanges.js';
import { FileMaker, type FileMakerOptions } from '../branch/fileMaker.js';
import { laterReads } from '../branch/laterReads.js';
import { Unsupported } from '../branch/unsupported.js';
import { eachCall } from './callResults.js';
import { OutsideSurvey } from './outsideWorld.js';
import { AnswerSurvey } from './recordedAnswers.js';
import { FileSurvey } from './recordedFiles.js';
import { makeDirectories, restoreFiles } from './restoredFiles.js';

/** What has to be known of a recording. */
export interface RecordedProgram {
  readonly log: EventLog;
  readonly blobs: BlobSource;
  readonly header: { readonly scheduleSeed: number; readonly aslrSeed?: number; readonly sandbox?: boolean };
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
  readonly engine?: Partial<EngineOptions>;
  readonly work?: Work | undefined;
}

interface SecondRun {
  /** Undefined: it was ended, or could not go on. `remarks` say why. */
  readonly status: ExitStatus | undefined;
  /** All threads wait for each other, or for what does not come. */
  readonly ending: RunEnding | undefined;
  /** In one line each: what may make it different from the recorded run. */
  readonly remarks: readonly string[];
  readonly output: readonly { readonly fd: number; readonly bytes: Uint8Array }[];
  readonly instructions: number;
  /** For timelines over what was recorded. */
  readonly recording: Pick<PlayerOptions, 'log' | 'blobs' | 'engine' | 'startSeconds'>;
}

/** Instructions between two looks at whether to go on. */
const SLICE = 5_000_000;
const ROOT = 0;

interface Beginning {
  readonly ledger: Ledger;
  readonly world: WorldFacts;
  readonly program: ProgramFacts;
  readonly process: ProcessFacts;
  /** As /proc/PID/maps has them. */
  readonly mappings: string;
}

/** Throws a UserError if the recording does not say what the program began with. `real`: whose other files it sees. */
export async function runAgain(recorded: RecordedProgram, real: Host, options: SecondRunOptions = {}): Promise<SecondRun> {
  const { log, blobs, header } = recorded;
  const beginning = beginningOf(log);
  const remarks: string[] = [];
  const remark = (line: string): void => void (remarks.includes(line) || remarks.push(line));
  const { environment, host } = hostOf(real, beginning, remark);
  const [files, answers, outside] = [new FileSurvey(), new AnswerSurvey(), new OutsideSurvey()];
  eachCall(log, [files, answers, outside]);
  const lost = header.sandbox === true ? [] : undoChanges(host.files, new FileChanges(log).after(LOG_START));
  const restored = restoreFiles(host.files, files.found(), blobs);
  for (const path of lost) if (!restored.known.has(path)) remark(`${path}: the recorded run changed it`);
  for (const line of [...restored.remarks, ...outside.remarks]) remark(line);
  host.identity.actAs({ uid: beginning.world.identity.effectiveUid, gid: beginning.world.identity.effectiveGid, groups: beginning.world.identity.groups });
  const output: { fd: number; bytes: Uint8Array }[] = [];
  const recording = new MemoryRecording();
  const recorder = new Recorder(recording, () => 0);
  const hear = (fd: number, bytes: Uint8Array): void => {
    recorder.output(fd, bytes);
    output.push({ fd, bytes });
  };
  const guest = createGuest(host, {
    program: bytePath(beginning.program.argv[0] ?? beginning.program.exe),
    args: beginning.program.argv.slice(1).map(bytePath),
    environment: beginning.program.environment.map(bytePath),
    pidBase: beginning.world.identity.pid,
    aslrSeed: header.aslrSeed,
    ...(options.engine === undefined ? {} : { engine: options.engine }),
    onMade: (process) => prepare(process, beginning, log, { output: (fd, bytes) => hear(fd, bytes), warn: remark }),
    world: {
      closed: true, witness: recorder, table: answers.table(), scheduleSeed: header.scheduleSeed,
      ...(options.interceptor === undefined ? {} : { interceptor: options.interceptor }),
      ...(options.onEnd === undefined ? {} : { onEnd: options.onEnd }),
    },
  });
  const { world } = guest;
  environment.useClock(() => world.clock.realtime());
  options.onStarted?.(guest);
  recorder.begin(world);
  let status: ExitStatus | undefined;
  try {
    status = await runOn(guest, options, remark);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    remark(`the program cannot be run on: ${error.message}`);
  } finally {
    recorder.finish();
    world.outside.release();
    environment.dispose();
  }
  const { ending, instructions, clock } = world;
  if (ending !== undefined) remark(`all threads wait for what does not come: ${ending.tasks.join('; ')}`);
  return {
    status: ending === undefined ? status : undefined, ending, remarks, output, instructions,
    recording: { log: recording.log(), blobs: recording, engine: { ...DEFAULT_ENGINE_OPTIONS, ...options.engine }, startSeconds: clock.startSeconds },
  };
}

/** Undefined if it was ended. */
async function runOn({ world }: Guest, { isEnough, mostInstructions = Infinity, work }: SecondRunOptions, remark: (line: string) => void): Promise<ExitStatus | undefined> {
  for (;;) {
    const status = await world.runTo(Math.min(world.instructions + SLICE, mostInstructions));
    if (status !== undefined) return status;
    await breathe(work, world.instructions, 0);
    const isOver = world.instructions >= mostInstructions;
    if (isOver) remark(`the second run was ended after ${world.instructions} instructions`);
    if (!isOver && isEnough?.() !== true) continue;
    for (const process of world.processes) process.killedBy(SIG.KILL);
    await world.runTo(Infinity);
    return undefined;
  }
}

function beginningOf(log: EventLog): Beginning {
  const ledger = new Ledger();
  const cursor = log.cursor();
  const mappings: string[] = [];
  for (let event = cursor.next(); event !== undefined && event.time === 0; event = cursor.next()) {
    ledger.add(event);
    for (const effect of event.effects) {
      if (effect.op === 'map') mappings.push(`${effect.mapping.start.toString(16)}-${effect.mapping.end.toString(16)} ${effect.mapping.name}`);
    }
  }
  const { world } = ledger;
  const [first] = [...ledger.processes.values()];
  if (world === undefined || first === undefined) throw new UserError('the recording does not say what its program began with');
  return { ledger, world, program: first.program, process: first.facts, mappings: mappings.join('\n') };
}

/** As the recorded run saw this machine. Its user may write everywhere until the files are as they were. */
function hostOf(real: Host, { world, process, mappings }: Beginning, remark: (line: string) => void): { readonly environment: BranchHost; readonly host: Host } {
  const privileged: Host = Object.assign(Object.create(real) as Host, { identity: { ...real.identity, effectiveUid: ROOT, actAs: () => {} } });
  const environment = createBranchHost(privileged, world, remark);
  const { files } = environment.host;
  makeDirectories(files, world.workingDirectory);
  const at = (path: BytePath): BytePath => (path.startsWith('/') ? path : bytePath(`${world.workingDirectory}/${path}`));
  const placed: Partial<HostFiles> = {
    open: (path, flags, mode) => files.open(at(path), flags, mode),
    stat: (path, follow) => files.stat(at(path), follow),
    access: (path, mode) => files.access(at(path), mode),
    readLink: (path) => files.readLink(at(path)),
  };
  const host: Host = Object.assign(Object.create(environment.host) as Host, {
    files: Object.assign(Object.create(files) as HostFiles, placed),
    system: Object.assign(Object.create(environment.host.system) as Host['system'], {
      limits: () => process.limits.map(({ soft, hard }) => ({ soft: soft ?? Infinity, hard: hard ?? Infinity })),
      ownMappings: () => mappings,
    }),
  });
  return { environment, host };
}

/** What the shell gave the program. */
function prepare(process: Process, { ledger, process: facts }: Beginning, log: EventLog, streams: Pick<FileMakerOptions, 'output' | 'warn'>): void {
  const { host } = process;
  process.umask = facts.umask;
  process.workingDirectory = { fd: openDirectory(host.files, facts.workingDirectory), path: bytePath(facts.workingDirectory) };
  for (const { signal, handler } of facts.actions) if (BigInt(handler) === SIG_IGN) process.signals.process.actions.setHandler(signal, SIG_IGN);
  const maker = new FileMaker({ host, ledger, objects: new Map(), laterReads: (isIt, count) => laterReads(log, LOG_START, isIt, count), ...streams });
  for (const [fd, { file, closeOnExec }] of ledger.tables.get(facts.table) ?? []) process.files.replace(fd, maker.file(process, file), closeOnExec);
}

function openDirectory(files: HostFiles, path: string): HostFd | undefined {
  const fd = files.open(bytePath(path), O.PATH | O.DIRECTORY | O.CLOEXEC, 0);
  return fd < 0 ? undefined : (fd as HostFd);
}
