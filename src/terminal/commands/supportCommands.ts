/** Settings, scripts and leaving. */
import { UserError } from '../../base/errors.js';
import { readBlock } from '../blocks.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { assign } from './dataCommands.js';
import { showDirectories, showSubstitutions, substitutePath } from './sourcePlaces.js';

const SET: Command = {
  name: 'set', group: 'support', usage: 'set var EXPRESSION | set $NAME = VALUE | set SETTING VALUE', repeat: 'never', completes: 'setting', summary: 'Assign to a variable of the program (in a branch), to one of your own ($name), or change a setting.',
  examples: [['set var x = 3', 'what would happen if x were 3?'], ['set $i = 0', 'a variable of yours'], ['set print pretty on', 'structures on several lines'], ['set listsize 20', 'list 20 lines'], ['set context 5', 'five lines before and after each stop']],
  async run(args, session) {
    const variable = /^var(?:iable)?\s+(.*)$/s.exec(args);
    if (variable !== null) return assign(variable[1] as string, session);
    const substitution = /^sub[a-z-]*(?:\s+(.*))?$/s.exec(args);
    if (substitution !== null) return substitutePath(substitution[1] ?? '', session);
    if (args === '') throw new UserError('Argument required (a setting, or "var" and an assignment); see "help set".');
    if (/^\$|^[({*]|^[\w.>[\]-]+\s*=[^=]/.test(args) && session.settings.find(args.replace(/=.*/s, '')) === undefined) return assign(args, session);
    return change(args, session);
  },
};

function change(args: string, session: Session): void {
  const print = /^(?:print|pr|p)\s+([a-z-]+)\s*(.*)$/.exec(args);
  if (print !== null && session.settings.find(`print ${print[1]}`) === undefined) {
    session.language.setPrint(print[1] as string, print[2] as string);
    return;
  }
  const found = session.settings.find(args);
  if (found !== undefined) return session.settings.set(found.setting, found.rest);
  // What only changes how gdb itself works is nothing to stumble over in a user's script.
  if (IGNORED.test(args)) return;
  throw new UserError(`No symbol "${args.split(/[\s=]/)[0]}" in current context.`);
}

const IGNORED = /^(auto-load|history|python|debuginfod|non-stop|osabi|architecture|endian|sysroot|solib-search-path|debug-file-directory|args|environment|env|logging|trace-commands|editing|complaints|detach-on-fork|follow-fork-mode|follow-exec-mode|exec-wrapper|stop-on-solib-events|unwindonsignal|max-completions|max-value-size|radix|output-radix|input-radix|check|case-sensitive|multiple-symbols|opaque-type-resolution|overload-resolution|schedule-multiple|target-async|tui|ada|backtrace|breakpoint|cp-abi|disassemble-next-line|demangle-style|style|source|write|tcp|remote\w*|cwd|inferior-tty)\b/;

const SHOW: Command = {
  name: 'show', group: 'support', usage: 'show SETTING', repeat: 'same', completes: 'setting', summary: 'Show a setting.',
  run(args, session) {
    if (args === '') {
      for (const setting of session.settings.all) session.say(`${setting.name}:  ${session.settings.show(setting)}`);
      return;
    }
    if (args.startsWith('version')) return session.say('culprit, with the commands of GNU gdb');
    if (args.startsWith('args')) return session.say(`Argument list to give program being debugged when it is started is "${session.commandLine.slice(1).join(' ')}".`);
    if (/^(commands|history)/.test(args)) return session.say('Use the arrow keys.');
    if (args.startsWith('dir')) return showDirectories(session);
    if (args.startsWith('sub')) return showSubstitutions(session);
    const print = /^(?:print|pr|p)\s+([a-z-]+)$/.exec(args);
    if (print !== null && session.settings.find(args) === undefined) return session.say(session.language.showPrint(print[1] as string));
    const found = session.settings.find(args);
    if (found === undefined) throw new UserError(`Undefined show command: "${args}".  Try "help show".`);
    session.say(session.settings.show(found.setting));
  },
};

const SOURCE: Command = {
  name: 'source', group: 'support', usage: 'source FILE', repeat: 'never', completes: 'file', summary: 'Read commands from a file.',
  async run(args, session) {
    const path = args.replace(/^-[vs]\s+/, '');
    if (path === '') throw new UserError('source command requires file name of file to source.');
    const text = session.surface.readText(path);
    if (text === undefined) throw new UserError(`${path}: No such file or directory.`);
    await session.runScript(text.split('\n'), path);
  },
};

const DEFINE: Command = {
  name: 'define', group: 'support', usage: 'define NAME', repeat: 'never', completes: 'nothing', summary: 'Make a command of several: lines up to "end", with $arg0, $arg1 … for its arguments.',
  async run(args, session) {
    if (!/^[A-Za-z][\w.-]*$/.test(args)) throw new UserError(args === '' ? 'Argument required (name of command to define).' : 'Junk in argument list: "' + args + '"');
    if (session.surface.isTerminal) session.say(`Type commands for definition of "${args}".\nEnd with a line saying just "end".`);
    const lines = await readBlock(session);
    session.commands.add({
      name: args, group: 'support', usage: args, summary: 'User-defined.', completes: 'expression',
      run: (given, inner) => inner.runScript(lines.map((line) => withArguments(line, given)), args),
    });
  },
};

function withArguments(line: string, given: string): string {
  const words = given.split(/\s+/).filter((word) => word !== '');
  return line.replace(/\$argc\b/g, String(words.length)).replace(/\$arg(\d+)\b/g, (_whole, i: string) => words[Number(i)] ?? '').replace(/\$argv\b/g, given);
}

const DOCUMENT: Command = {
  name: 'document', group: 'support', usage: 'document NAME', repeat: 'never', completes: 'nothing', summary: 'Say what a command of yours does: lines up to "end".',
  run: async (_args, session) => void (await readBlock(session)),
};

const SHELL: Command = {
  name: 'shell', group: 'support', usage: 'shell COMMAND', repeat: 'never', completes: 'file', summary: 'Run a command of the shell. !COMMAND is the same.',
  run: async (args, session) => session.surface.shell(args),
};

function quitCommand(name: string, aliases: readonly string[]): Command {
  return {
    name, aliases, group: 'support', usage: `${name} [STATUS]`, repeat: 'never', completes: 'nothing', summary: 'Leave the debugger.',
    run(args, session) {
      session.exitStatus = args === '' ? 0 : Number(session.language.number(args)) & 0xff;
    },
  };
}

const KILL: Command = {
  name: 'kill', aliases: ['k'], group: 'running', usage: 'kill', repeat: 'never', completes: 'nothing', summary: 'Go to the end of the recording. (There is nothing to kill.)',
  run: (_args, session) => session.execute('goto end'),
};

const SHOWN_LINES = 'source lines are shown at every stop ("list" shows more)';
/** What does the same here, for those that change what the program does, or gdb itself. */
const INSTEAD: Readonly<Record<string, string>> = {
  jump: '"set var $pc = ADDRESS" begins a branch that goes on there', return: '"finish" and "set var" do the same in a branch', signal: 'signals are those of the recording', python: '"culprit query" has scripts over the whole run',
  alias: '"define" makes commands of several', save: '"source" reads files of commands', tui: SHOWN_LINES, layout: SHOWN_LINES, focus: SHOWN_LINES,
};
/** Commands of gdb that mean something only where a program is run, or that we do already: scripts have them. */
const NOTHING_TO_DO: readonly Command[] = (['file', 'symbol-file', 'exec-file', 'target', 'attach', 'detach', 'set-target', 'starti', 'python', 'alias', 'sharedlibrary', 'tty', 'maintenance', 'save', 'tui', 'layout', 'focus', 'dump', 'generate-core-file', 'jump', 'return', 'signal', 'stop'] as const)
  .map((name) => ({
    name, group: 'support', usage: name, repeat: 'never', completes: 'nothing', summary: 'Not available here.',
    run(): void {
      const instead = INSTEAD[name];
      throw new UserError(instead === undefined ? `"${name}" means nothing here: the program is a recording, and its files are in it.` : `There is no "${name}" here: ${instead}.`);
    },
  }));

export const SUPPORT: readonly Command[] = [SET, SHOW, SOURCE, DEFINE, DOCUMENT, SHELL, quitCommand('quit', ['q', 'exit']), KILL, ...NOTHING_TO_DO];
