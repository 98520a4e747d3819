/** What debuggers are given: a recording, or a program that is recorded first, to a file that goes when we go. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/errors.js';
import { endBySignal } from '../running/endBySignals.js';
import { EXIT_USAGE } from '../output/report.js';
import { temporaryFile } from '../stores/temporaryFiles.js';

/** What a shell exits with for a command that it does not find. */
const EXIT_NOT_FOUND = 127;

/** How a recording's file begins; the rest is looked at when it is opened. */
const SIGNATURE = Buffer.from([0x89, 0x43, 0x55, 0x4c]);

const ENDINGS = ['SIGTERM', 'SIGHUP'] as const;

interface FoundRecording {
  readonly path: string;
  /** It was made for us. */
  readonly isTemporary: boolean;
}

/**
 * `streams` are the program's stdin, stdout and stderr, if it has to be run, `pidBase` is the number of its first
 * process, and `more` are other options of `culprit record`. Temporary files go when the process goes.
 */
export async function recordingOf(words: readonly string[], streams: readonly ('inherit' | 'ignore' | 2)[], pidBase?: number, more: readonly string[] = []): Promise<FoundRecording> {
  const [first = '', ...rest] = words;
  if (isNameOfRecording(first)) {
    if (rest.length > 0) throw new UserError(`${first} is a recording and takes no arguments: ${rest.join(' ')}`);
    return { path: first, isTemporary: false };
  }
  checkProgram(first);
  const file = temporaryFile();
  const status = await record(words, file.path, streams, [...(pidBase === undefined ? [] : ['--pid-base', String(pidBase)]), ...more]);
  // Who was to record it has said why.
  if (file.size === 0) throw new UserError('', status);
  return { path: file.path, isTemporary: true };
}

/** Of what is neither a recording nor a program, says what it is: the user may have meant either. */
function checkProgram(word: string): void {
  const isInPath = !word.includes('/') && (process.env['PATH'] ?? '').split(':').some((directory) => isExecutable(join(directory === '' ? '.' : directory, word)));
  if (isInPath || (word.includes('/') && isExecutable(word))) return;
  const stats = fs.statSync(word, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError(`${word}: no such recording or program`, EXIT_NOT_FOUND);
  if (stats.isDirectory()) throw new UserError(`${word}: a directory, neither a recording nor a program`);
  if (stats.isFile() && stats.size === 0) throw new UserError(`${word}: an empty file, neither a recording nor a program`);
  const isProgram = isExecutable(word);
  throw new UserError(isProgram ? `${word}: not a recording, and no program in PATH; for the one in this directory say ./${word}` : `${word}: not a recording of culprit, and no program: it is not executable`);
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What is not one by its contents may be meant as one. */
export function isNameOfRecording(word: string): boolean {
  return word.endsWith('.culprit') || isRecording(word);
}

function isRecording(path: string): boolean {
  try {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const start = Buffer.alloc(SIGNATURE.length);
      return fs.fstatSync(fd).isFile() && fs.readSync(fd, start) === start.length && start.equals(SIGNATURE);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}

/**
 * By a culprit of its own: the program may end it. Ctrl-C is for the program then; other signals that end us end both.
 */
async function record(words: readonly string[], path: string, streams: readonly ('inherit' | 'ignore' | 2)[], options: readonly string[]): Promise<number> {
  const script = process.argv[1];
  if (script === undefined) throw new UserError('this culprit cannot record; give it a recording');
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  const child = spawn(process.execPath, [...process.execArgv, script, 'record', '-o', path, ...options, '--', ...words], { stdio: [...streams] });
  const end = (): void => void child.kill();
  process.on('exit', end);
  let endedBy: NodeJS.Signals | undefined;
  const passOn = (signal: NodeJS.Signals): void => {
    endedBy = signal;
    child.kill(signal);
  };
  for (const signal of ENDINGS) process.on(signal, passOn);
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? EXIT_USAGE));
  });
  process.off('exit', end);
  process.off('SIGINT', ignore);
  for (const signal of ENDINGS) process.off(signal, passOn);
  return endedBy === undefined ? status : endBySignal(constants.signals[endedBy]);
}
