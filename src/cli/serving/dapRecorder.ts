/**
 * Records a program for the debug adapter: in a culprit of its own, whose output is handed on as it comes, or which the
 * client starts in a terminal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../../base/errors.js';
import type { OpenTerminal, RecordedProgram, RecordRequest, RunningRecorder } from '../../dap/host.js';
import { type Announcements, awaitAnnouncement } from '../output/announcement.js';
import { changesText } from '../arguments/environmentChanges.js';
import { temporaryFile, temporaryFolder } from '../stores/temporaryFiles.js';

/** How long a program may take to end when it is asked to; then it is killed. */
const PATIENCE_MILLISECONDS = 2000;
const LONGEST_COMPLAINT = 2000;

type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void;
/** To be done when the session is over. */
export type Farewell = (action: () => void) => void;

export function recordForAdapter(request: RecordRequest, output: OutputListener, atEnd: Farewell): RunningRecorder {
  const { cwd, recording, command } = preparation(request, atEnd);
  const stdin = request.stdin === undefined ? 'ignore' : openInput(resolve(cwd, request.stdin));
  const [node = '', ...words] = command();
  const child = spawn(node, words, { cwd, stdio: [stdin, 'pipe', 'pipe'] });
  if (stdin !== 'ignore') fs.closeSync(stdin);
  const end = (): void => void child.kill(lastSignal(request));
  process.on('exit', end);
  return { finished: ending(child, recording, request.program, output), stop: () => stop(child), leave: () => void process.off('exit', end) };
}

export function recordInTerminal(request: RecordRequest, open: OpenTerminal, atEnd: Farewell): RunningRecorder {
  if (request.stdin !== undefined) throw new UserError('"stdin": a program in a terminal reads from the terminal; leave "stdin" or "console" away');
  const { cwd, recording, command } = preparation(request, atEnd);
  const folder = temporaryFolder();
  const socketPath = join(folder.path, 'recorder');
  let isLeft = false;
  let stopped: () => void = () => undefined;
  const hasStopped = new Promise<undefined>((tell) => (stopped = () => tell(undefined)));
  const run = async (): Promise<RecordedProgram> => {
    const announcements = await awaitAnnouncement(socketPath);
    try {
      await Promise.race([open({ words: command('--announce', socketPath), cwd }), hasStopped]);
      await untilEnded(announcements, hasStopped, (pid) => isLeft || signal(pid, lastSignal(request)));
    } finally {
      announcements.close();
      folder.remove();
    }
    return recording.isNew() ? { path: recording.path, failure: undefined } : { path: recording.path, failure: `${request.program}: nothing was recorded; its terminal may say why` };
  };
  return { finished: run(), stop: () => stopped(), leave: () => void (isLeft = true) };
}

/** When we go. A recording that goes with us needs no proper end. */
function lastSignal({ recording }: RecordRequest): NodeJS.Signals {
  return recording === undefined ? 'SIGKILL' : 'SIGTERM';
}

/** If it is stopped before it ends, it is asked to end. */
async function untilEnded({ first }: Announcements, hasStopped: Promise<undefined>, whenWeGo: (pid: number) => void): Promise<void> {
  const running = await Promise.race([first, hasStopped]);
  if (running === undefined) return;
  const { pid, ended } = running;
  const end = (): void => whenWeGo(pid);
  process.on('exit', end);
  const isOver = await Promise.race([ended.then(() => true), hasStopped]);
  if (isOver !== true) {
    signal(pid, 'SIGTERM');
    const timer = setTimeout(() => signal(pid, 'SIGKILL'), PATIENCE_MILLISECONDS);
    await ended;
    clearTimeout(timer);
  }
  process.off('exit', end);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

interface Preparation {
  readonly cwd: string;
  readonly recording: RecordingFile;
  command(...options: readonly string[]): string[];
}

function preparation(request: RecordRequest, atEnd: Farewell): Preparation {
  const script = process.argv[1];
  if (script === undefined) throw new UserError('this culprit cannot record; attach to a recording');
  const cwd = request.cwd ?? process.cwd();
  if (!isDirectory(cwd)) throw new UserError(`"cwd": there is no directory ${cwd}`);
  const path = request.recording === undefined ? pathOfTemporary('', atEnd) : resolve(cwd, request.recording);
  const environment = request.environment.size === 0 ? [] : ['--environment', pathOfTemporary(changesText(request.environment), atEnd)];
  // The environment that is asked for is the program's. The recorder has ours.
  return { cwd, recording: new RecordingFile(path), command: (...options) => [process.execPath, ...process.execArgv, script, 'record', '-o', path, ...environment, ...options, '--', request.program, ...request.args] };
}

function pathOfTemporary(content: string, atEnd: Farewell): string {
  const { path, close } = temporaryFile(content);
  atEnd(close);
  return path;
}

/** There may be an old one of that name, which is not what was recorded now. */
class RecordingFile {
  private readonly before: string | undefined;

  constructor(readonly path: string) {
    this.before = this.identity();
  }

  isNew(): boolean {
    const identity = this.identity();
    return identity !== undefined && identity !== this.before;
  }

  private identity(): string | undefined {
    const stats = fs.statSync(this.path, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? undefined : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
  }
}

function ending(child: ChildProcess, recording: RecordingFile, program: string, output: OutputListener): Promise<RecordedProgram> {
  const { path } = recording;
  let complaint = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder();
    child[stream]?.on('data', (bytes: Buffer) => {
      const text = decoder.decode(bytes, { stream: true });
      if (stream === 'stderr') complaint = (complaint + text).slice(-LONGEST_COMPLAINT);
      if (text !== '') output(stream, text);
    });
  }
  return new Promise((done) => {
    child.on('error', (error) => done({ path, failure: `culprit record: ${error.message}` }));
    child.on('close', () => {
      if (recording.isNew()) done({ path, failure: undefined });
      else done({ path, failure: /culprit: (.*)\s*$/.exec(complaint)?.[1] ?? `${program}: nothing was recorded` });
    });
  });
}

function stop(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), PATIENCE_MILLISECONDS).unref();
}

function openInput(path: string): number {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    throw new UserError(`"stdin": ${path} cannot be read: ${(error as Error).message}`);
  }
}

function isDirectory(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
