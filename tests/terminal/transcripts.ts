/**
 * What gdb and our terminal answer to the same commands about the same program: gdb in a native run, ours in a
 * recording.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import type { DebugFiles } from '../../src/debugger/program/debugFiles.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { NO_SLICE_FILES, type SliceFiles } from '../../src/slices/sliceCommands.js';
import type { Surface } from '../../src/terminal/surface.js';
import { Terminal } from '../../src/terminal/terminal.js';
import { ValueLanguage } from '../../src/terminal/valueLanguage.js';
import { record } from '../replay/recorded.js';

const SCRIPT = fileURLToPath(new URL('transcript.py', import.meta.url));

/** As gdb, which is told to look nowhere: answers do not depend on what debug packages are installed. */
const FILES: DebugFiles = {
  read: (path) => (path.startsWith('/usr/lib/debug') || !existsSync(path) ? undefined : readFileSync(path)),
  inflate: (bytes) => inflateSync(bytes),
};

export function gdbTranscript(path: string, commands: readonly string[], args: readonly string[] = []): string[] {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/', COMMANDS: JSON.stringify(commands) };
  const text = execFileSync('gdb', ['-nx', '-q', '-batch', '-x', SCRIPT, '--args', path, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28, timeout: 100_000, killSignal: 'SIGKILL' });
  return text.split('\n\u0001').slice(1, -1);
}

/** What was written since it was asked last. */
export class Collected implements Surface {
  readonly isTerminal = false;
  readonly hasColour = false;
  readonly size = undefined;
  private text = '';
  /** For commands that ask for more lines. */
  input: string[] = [];

  write(text: string): void {
    this.text += text;
  }

  writeAsIs(text: string): void {
    this.write(text);
  }

  complain(line: string): void {
    this.text += `${line}\n`;
  }

  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  confirm = async (): Promise<boolean> => true;
  nextLine = async (): Promise<string | undefined> => this.input.shift();
  readText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  shell = async (): Promise<void> => undefined;
  startWork = (): { done(): void } => ({ done: () => undefined });
}

export interface Talk {
  readonly terminal: Terminal;
  /** The answer to one line. */
  say(line: string): Promise<string>;
}

export async function talk(path: string, args: readonly string[] = [], files: DebugFiles = FILES, sliceFiles: SliceFiles = NO_SLICE_FILES): Promise<Talk> {
  const { options, status } = await record([path, ...args]);
  const evaluator = new ValueEvaluator();
  const ending = status.kind === 'exited' ? ({ how: 'exited', code: status.code } as const) : ({ how: 'signaled', code: status.signal } as const);
  const timeline = new Timeline(options);
  const branches = new TimelineBranches(timeline, options, new NodeHost());
  const debug = await Debugger.open(timeline, { files, evaluator, ending, branches });
  const language = new ValueLanguage(evaluator, debug);
  const surface = new Collected();
  const terminal = new Terminal({ debugger: debug, language, surface, commandLine: [path, ...args], sliceFiles });
  return {
    terminal,
    say: async (line) => {
      const [command = '', ...more] = line.split('\n');
      surface.input = more;
      await terminal.typed(command);
      return surface.take();
    },
  };
}

export async function ourTranscript(path: string, commands: readonly string[], args: readonly string[] = []): Promise<string[]> {
  const { say } = await talk(path, args);
  const answers: string[] = [];
  for (const command of commands) answers.push(await say(command));
  return answers;
}

/**
 * Without what cannot be the same: numbers of processes, addresses on the stack, and what gdb says about starting
 * programs.
 */
export function normalised(text: string): string {
  return text
    .replace(/^(Starting program: .*|\[Thread debugging using .*|Using host libthread_db .*|\[Detaching .*|\[New Thread .*|\[Thread .* exited\]|warning: Error disabling .*|Download failed.*|The program no longer exists\.|\[A branch begins here, .*)\n/gm, '')
    // Before it runs, gdb has a program's addresses as they are in its file.
    .replace(/(?<=reakpoint \d+ at )0x([0-9a-f]{1,5})\b/g, (_whole, digits: string) => `0x${(0x555555554000 + parseInt(digits, 16)).toString(16)}`)
    .replace(/0x0*7ff[ef][0-9a-f]{8}/g, 'STACK')
    // Columns are as wide as numbers of processes are.
    .replace(/Target Id +Frame/g, 'Target Id Frame').replace(/\(LWP \d+\)/g, '(LWP N)').replace(/process \d+/g, 'process N')
    .replace(/Thread 0x7f[0-9a-f]+/g, 'Thread T');
}
