/** `culprit record`: runs a program as `culprit run` does, and keeps all that is needed to run it again. */
import fs from 'node:fs';
import { basename, resolve } from 'node:path';
import { textOfBytePath } from '../../base/bytePath.js';
import { createNumberedRecordingFile, createRecordingFile, createTemporaryRecordingFile } from '../../host/nodeRecordingSink.js';
import type { Guest } from '../../linux/guest.js';
import type { ExitStatus } from '../../linux/kernel.js';
import type { World } from '../../linux/world.js';
import type { ChunkSink, JsonObject } from '../../replay/format/recordingWriter.js';
import { Recorder } from '../../replay/record/recorder.js';
import { FileTarget } from '../../replay/recordingFile/fileTarget.js';
import { EVENTS_VERSION, type RecordedEnding, type RecordingHeader, type RecordingSummary } from '../../replay/recordingFile/recordingHeader.js';
import { announceTo } from '../output/announcement.js';
import { type RunObserver, type RunOptions, runAsProgram, type StartedRun } from '../running/guestRun.js';
import { count } from '../output/numbers.js';
import { complain } from '../output/report.js';
import { temporaryFile } from '../stores/temporaryFiles.js';
import { VERSION } from '../stores/version.js';

export interface RecordOptions extends RunOptions {
  readonly output?: string;
  /** A socket of who wants to know that we run, and when we end. */
  readonly announce?: string;
  /** Says nothing when it is done. */
  readonly isQuiet?: boolean;
  /** Temporary: it has no name. */
  readonly isTemporary?: boolean;
}

export async function recordCommand(words: readonly string[], options: RecordOptions): Promise<number> {
  if (options.announce !== undefined) await announceTo(options.announce);
  // Before --cwd takes us elsewhere.
  // A file without a name belongs to the command that started us, which says where it is.
  const isQuiet = options.isQuiet ?? (options.announce !== undefined || options.output?.startsWith('/proc/') === true);
  return runAsProgram(words, options, new RecordedRun({ ...options, isQuiet }, process.cwd()));
}

export class RecordedRun implements RunObserver {
  private readonly target = new FileTarget((reason) => this.failedToWrite(reason));
  private readonly recorder = new Recorder(this.target, () => performance.now());
  readonly witness = this.recorder;
  /** Where it is: known when the program starts. */
  path = '';
  private identity: string | undefined;
  private failure: string | undefined;

  constructor(
    private readonly options: RecordOptions,
    private readonly directory: string,
  ) {}

  started(run: StartedRun): void {
    // A file that may not grow any more is no reason to die: writing says so, too.
    process.on('SIGXFSZ', () => undefined);
    const { path, sink } = this.createFile(textOfBytePath(run.program));
    this.path = path;
    this.identity = this.currentIdentity();
    this.target.open(sink, headerOf(run, this.options));
  }

  async ended(guest: Guest, status: ExitStatus): Promise<void> {
    const { world } = guest;
    this.recorder.finish();
    await this.target.close(summaryOf(world, this.recorder, status));
    const { verbose, isQuiet } = this.options;
    if (this.failure === undefined && this.identity !== this.currentIdentity()) this.lost();
    if (this.failure === undefined && isQuiet !== true && (verbose === true || process.stderr.isTTY)) {
      complain(`culprit: recorded ${count(world.instructions)} instructions in ${this.path}`);
    }
  }

  /** To be kept in the recording. */
  keepFindings(findings: JsonObject): void {
    this.target.found(findings);
  }

  async failed(): Promise<void> {
    this.recorder.finish();
    await this.target.close(undefined);
  }

  private createFile(program: string): { readonly path: string; readonly sink: ChunkSink } {
    const { output, isTemporary } = this.options;
    if (isTemporary === true) {
      const { path } = temporaryFile();
      return { path, sink: createTemporaryRecordingFile(path) };
    }
    if (output !== undefined) return { path: output, sink: createRecordingFile(resolve(this.directory, output)) };
    const { path, sink } = createNumberedRecordingFile((n) => resolve(this.directory, `${basename(program)}-${n}.culprit`));
    return { path: basename(path), sink };
  }

  /** Which file has the recording's name; undefined if it has none. */
  private currentIdentity(): string | undefined {
    const stat = fs.statSync(resolve(this.directory, this.path), { throwIfNoEntry: false, bigint: true });
    return stat === undefined || !stat.isFile() ? undefined : `${stat.dev} ${stat.ino}`;
  }

  private lost(): void {
    this.failure = 'replaced';
    complain(`culprit: the recording is lost: ${this.path} was removed or replaced while the program ran`);
  }

  private failedToWrite(reason: string): void {
    this.failure = reason;
    complain(`culprit: the recording ends here (${this.path}: ${reason}); the program goes on`);
  }
}

function headerOf({ guest, host, program, args, environment }: StartedRun, options: RecordOptions): RecordingHeader {
  return {
    eventsVersion: EVENTS_VERSION,
    culprit: VERSION,
    program,
    args,
    cwd: host.files.workingDirectory(),
    environment,
    scheduleSeed: options.scheduleSeed ?? 0,
    ...(options.aslr === undefined ? {} : { aslrSeed: options.aslr }),
    ...(options.sandbox === true ? { sandbox: true } : {}),
    pidBase: guest.process.pid,
    startSeconds: guest.world.clock.startSeconds,
    date: new Date().toISOString(),
    host: { kernel: host.system.kernel.release, uid: host.identity.uid, gid: host.identity.gid },
  };
}

function summaryOf(world: World, recorder: Recorder, status: ExitStatus): RecordingSummary {
  return {
    ending: endingOf(world, status),
    instructions: world.instructions,
    seconds: world.clock.now() / 1e9,
    events: recorder.count,
    threads: recorder.threads,
    processes: recorder.processCount,
    signals: recorder.signals,
  };
}

function endingOf({ ending }: World, status: ExitStatus): RecordedEnding {
  if (ending?.isOfLeftBehind === false) return { how: ending.reason };
  return status.kind === 'exited' ? { how: 'exited', code: status.code } : { how: 'signaled', signal: status.signal };
}
