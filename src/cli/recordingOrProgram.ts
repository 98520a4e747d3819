/** What debuggers are given: a recording, or a program that is recorded first, to a file that goes when we go. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { constants } from 'node:os';
import { UserError } from '../base/errors.js';
import { temporaryFile } from './temporaryFiles.js';

/** How a recording's file begins; the rest is looked at when it is opened. */
const SIGNATURE = Buffer.from([0x89, 0x43, 0x55, 0x4c]);

const ENDINGS = ['SIGTERM', 'SIGHUP'] as const;

export interface FoundRecording {
  readonly path: string;
  /** It was made for us. */
  readonly isTemporary: boolean;
}

/** `streams` are the program's stdin, stdout and stderr, if it has to be run. Temporary files go when the process goes. */
export async function recordingOf(words: readonly string[], streams: readonly ('inherit' | 'ignore' | 2)[]): Promise<FoundRecording> {
  const [first = '', ...rest] = words;
  if (isNameOfRecording(first)) {
    if (rest.length > 0) throw new UserError(`${first} is a recording and takes no arguments: ${rest.join(' ')}`);
    return { path: first, isTemporary: false };
  }
  const file = temporaryFile();
  await record(words, file.path, streams);
  if (file.size === 0) throw new UserError(`${first}: nothing was recorded`);
  return { path: file.path, isTemporary: true };
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

/** By a culprit of its own: the program may end it. Ctrl-C is for the program then; other signals that end us end both. */
async function record(words: readonly string[], path: string, streams: readonly ('inherit' | 'ignore' | 2)[]): Promise<void> {
  const script = process.argv[1];
  if (script === undefined) throw new UserError('this culprit cannot record; give it a recording');
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  const child = spawn(process.execPath, [...process.execArgv, script, 'record', '-o', path, '--', ...words], { stdio: [...streams] });
  const end = (): void => void child.kill();
  process.on('exit', end);
  let endedBy: NodeJS.Signals | undefined;
  const passOn = (signal: NodeJS.Signals): void => {
    endedBy = signal;
    child.kill(signal);
  };
  for (const signal of ENDINGS) process.on(signal, passOn);
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  process.off('exit', end);
  process.off('SIGINT', ignore);
  for (const signal of ENDINGS) process.off(signal, passOn);
  if (endedBy !== undefined) process.exit(128 + constants.signals[endedBy]);
}
