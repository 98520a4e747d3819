/**
 * `culprit gdb`: the user's gdb, connected to a recording. It reads programs and libraries from this machine where they
 * are the recorded ones, which is quick, and from the recording otherwise.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { constants } from 'node:os';
import { UserError } from '../../base/errors.js';
import { bytesOfBytePath } from '../../base/bytePath.js';
import { programInPath } from '../../host/trustedPrograms.js';
import { mappedFiles, type RecordedFile } from '../../replay/recordingFile/mappedFiles.js';
import { statusOn } from '../opening/lost.js';
import { type OpenedRecording, openedRecording } from '../opening/openedRecording.js';
import { recordingOf } from '../opening/recordingOrProgram.js';
import { GDB_COMMANDS } from '../serving/gdbCommands.js';
import { temporaryFile } from '../stores/temporaryFiles.js';

export interface GdbCommandOptions {
  readonly start?: boolean;
  readonly pid?: number;
  readonly pidBase?: number;
}

const COMPARED_AT_ONCE = 1 << 20;

export async function gdbCommand(words: readonly string[], options: GdbCommandOptions): Promise<number> {
  const separator = words.indexOf('--');
  const [what, gdbArgs] = separator < 0 ? [words, []] : [words.slice(0, separator), words.slice(separator + 1)];
  const { path } = await recordingOf(what, ['inherit', 'inherit', 'inherit'], options.pidBase);
  const recording = openedRecording(path);
  const sysroot = hasSameFiles(recording) ? '/' : 'target:';
  const server = [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'gdbserver', '--stdio', ...serverOptions(options), '--', path].map(quotedWord).join(' ');
  const setup = [`set sysroot ${sysroot}`, 'set remotetimeout 600', 'set tcp connect-timeout 600'];
  const args = ['-q', ...setup.flatMap((command) => ['-iex', command]), '-x', temporaryFile(GDB_COMMANDS).path, '-ex', `target extended-remote | ${server}`, ...gdbArgs];
  return statusOn(recording, await startGdb(process.env['CULPRIT_GDB'] ?? 'gdb', args));
}

function serverOptions({ start, pid }: GdbCommandOptions): string[] {
  return [...(start === true ? ['--start'] : []), ...(pid === undefined ? [] : ['--pid', String(pid)])];
}

/** For the shell that gdb starts servers with. */
function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether all code that was mapped is on this machine as it was recorded. */
function hasSameFiles({ log, blobs }: OpenedRecording): boolean {
  const files = mappedFiles(log).filter(({ isCode }) => isCode);
  return files.length > 0 && files.every((file) => isSame(file, (offset, target) => blobs.read(file.blob, offset, target)));
}

function isSame({ path, size }: RecordedFile, read: (offset: number, target: Uint8Array) => number): boolean {
  try {
    const fd = fs.openSync(Buffer.from(bytesOfBytePath(path)), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      if (fs.fstatSync(fd).size !== size) return false;
      for (let at = 0; at < size; at += COMPARED_AT_ONCE) {
        const length = Math.min(COMPARED_AT_ONCE, size - at);
        const [ours, theirs] = [Buffer.alloc(length), Buffer.alloc(length)];
        if (fs.readSync(fd, ours, 0, length, at) !== length || read(at, theirs) !== length || !ours.equals(theirs)) return false;
      }
      return true;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}

async function startGdb(gdb: string, args: readonly string[]): Promise<number> {
  const program = gdb.includes('/') ? gdb : programInPath(gdb);
  const missing = (): UserError => new UserError(`${gdb} was not found: install gdb, or say in CULPRIT_GDB where it is`);
  if (program === undefined) throw missing();
  // Ctrl-C is gdb's.
  process.on('SIGINT', () => undefined);
  const child = spawn(program, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? missing() : new UserError(`${gdb}: ${error.message}`));
    });
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
