/** `culprit gdb`: the user's gdb, connected to a recording. */
import { spawn } from 'node:child_process';
import { UserError } from '../base/errors.js';
import { recordingOf } from './recordingOrProgram.js';

export interface GdbCommandOptions {
  readonly start?: boolean;
  readonly pid?: number;
}

const NOT_FOUND = 'ENOENT';

export async function gdbCommand(words: readonly string[], options: GdbCommandOptions): Promise<number> {
  const separator = words.indexOf('--');
  const [what, gdbArgs] = separator < 0 ? [words, []] : [words.slice(0, separator), words.slice(separator + 1)];
  const { path } = await recordingOf(what, ['inherit', 'inherit', 'inherit']);
  const server = [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'gdbserver', '--stdio', ...serverOptions(options), '--', path].map(quotedWord).join(' ');
  const args = ['-q', '-iex', 'set pagination off', '-ex', `target extended-remote | ${server}`, ...gdbArgs];
  return startGdb(process.env['CULPRIT_GDB'] ?? 'gdb', args);
}

function serverOptions({ start, pid }: GdbCommandOptions): string[] {
  return [...(start === true ? ['--start'] : []), ...(pid === undefined ? [] : ['--pid', String(pid)])];
}

/** For the shell that gdb starts servers with. */
function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function startGdb(gdb: string, args: readonly string[]): Promise<number> {
  // Ctrl-C is gdb's.
  process.on('SIGINT', () => undefined);
  const child = spawn(gdb, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => reject(new UserError(error.code === NOT_FOUND ? `${gdb} was not found: install gdb, or say in CULPRIT_GDB where it is` : `${gdb}: ${error.message}`)));
    child.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
