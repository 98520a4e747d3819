/** Records a program for the debug adapter: in a culprit of its own, whose output is handed on as it comes. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../base/errors.js';
import type { RecordedProgram, RecordRequest, RunningRecorder } from '../dap/host.js';

/** How long a program may take to end when it is asked to; then it is killed. */
const PATIENCE_MILLISECONDS = 2000;
const LONGEST_COMPLAINT = 2000;

export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void;

export function recordForAdapter(request: RecordRequest, output: OutputListener): RunningRecorder {
  const script = process.argv[1];
  if (script === undefined) throw new UserError('this culprit cannot record; attach to a recording');
  const cwd = request.cwd ?? process.cwd();
  if (!isDirectory(cwd)) throw new UserError(`"cwd": there is no directory ${cwd}`);
  const path = request.recording === undefined ? temporaryFile(request.program) : resolve(cwd, request.recording);
  const stdin = request.stdin === undefined ? 'ignore' : openInput(resolve(cwd, request.stdin));
  const child = spawn(process.execPath, [...process.execArgv, script, 'record', '-o', path, '--', request.program, ...request.args], {
    cwd, env: environmentWith(request.environment), stdio: [stdin, 'pipe', 'pipe'],
  });
  if (stdin !== 'ignore') fs.closeSync(stdin);
  // A recording that goes with us needs no proper end.
  process.on('exit', () => child.kill(request.recording === undefined ? 'SIGKILL' : 'SIGTERM'));
  return { finished: ending(child, path, request.program, output), stop: () => stop(child) };
}

function ending(child: ChildProcess, path: string, program: string, output: OutputListener): Promise<RecordedProgram> {
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
      if (fs.existsSync(path)) done({ path, failure: undefined });
      else done({ path, failure: /culprit: (.*)\s*$/.exec(complaint)?.[1] ?? `${program}: nothing was recorded` });
    });
  });
}

function stop(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), PATIENCE_MILLISECONDS).unref();
}

/** It goes when we go. */
function temporaryFile(program: string): string {
  const directory = fs.mkdtempSync(join(os.tmpdir(), 'culprit-'));
  process.on('exit', () => fs.rmSync(directory, { recursive: true, force: true }));
  return join(directory, `${basename(program)}.culprit`);
}

function environmentWith(changes: ReadonlyMap<string, string | null>): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const [name, value] of changes) {
    if (value === null) delete environment[name];
    else environment[name] = value;
  }
  return environment;
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
