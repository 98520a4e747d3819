/**
 * The terminal's commands in the debug console: `-exec info threads`, as clients of gdb know it. They work on the same
 * debugger; so where a command has moved the program, or has made another one of it, the client is told as if it had
 * asked for that itself.
 */
import { visibleLines } from '../base/visible.js';
import { UserError } from '../base/errors.js';
import type { DebugFiles } from '../debugger/program/debugFiles.js';
import { comparePositions } from '../replay/log/position.js';
import type { Surface } from '../terminal/surface.js';
import { Terminal } from '../terminal/terminal.js';
import type { DebuggedProgram } from './host.js';
import type { LongWork } from './longWork.js';

/** As gdb's clients write it, and as lldb's do. */
const PREFIX = /^\s*(?:-exec\s+|`)/;
/** More than anybody reads. */
const LONGEST_TEXT = 1 << 20;

interface CommandResult {
  readonly text: string;
  /** The program is somewhere else now, or another one. */
  readonly hasMoved: boolean;
}

/** What is to be done, if it is a command and no expression. */
export function commandIn(text: string): string | undefined {
  const [prefix] = PREFIX.exec(text) ?? [];
  return prefix === undefined ? undefined : text.slice(prefix.length);
}

export class CommandConsole {
  readonly terminal: Terminal;
  private text = '';
  private work: LongWork | undefined;

  constructor(
    private readonly program: DebuggedProgram,
    files: DebugFiles,
  ) {
    const { debug, language, name, args, blameMeans, findingsOf } = program;
    if (language === undefined) throw new UserError('there are no commands here');
    this.terminal = new Terminal({ debugger: debug, language, surface: this.surface(files), commandLine: [name, ...args], blameMeans, findingsOf });
  }

  async run(command: string, work: LongWork): Promise<CommandResult> {
    const { debug } = this.program;
    const [position, branch] = [debug.position, debug.branch];
    this.text = '';
    this.work = work;
    try {
      await this.terminal.given(command.trim() === '' ? 'help' : command);
    } finally {
      this.work = undefined;
    }
    if (this.terminal.exitStatus !== undefined) this.text += 'To end the session, stop the debugger.\n';
    this.terminal.session.exitStatus = undefined;
    const hasMoved = comparePositions(position, debug.position) !== 0 || branch !== debug.branch;
    return { text: this.text.replace(/\n$/, ''), hasMoved };
  }

  private surface(files: DebugFiles): Surface {
    const write = (text: string): void => {
      if (this.text.length < LONGEST_TEXT) this.text += text;
    };
    return {
      write: (text) => write(visibleLines(text)),
      writeAsIs: write,
      complain: (line) => write(`${line}\n`),
      isTerminal: false, hasColour: false, size: undefined,
      confirm: async () => true,
      nextLine: async () => undefined,
      readText: (path) => {
        const bytes = files.read(path);
        return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
      },
      shell: () => Promise.reject(new UserError('The debug console has no shell.')),
      startWork: () => ({
        progress: (done, total) => this.work?.progress(done, total),
        isCancelled: () => this.work?.isCancelled() === true,
        breathe: async () => this.work?.breathe(),
        done: () => undefined,
      }),
    };
  }
}
