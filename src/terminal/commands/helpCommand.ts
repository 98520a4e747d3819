/** `help` and `apropos`. */
import { UserError } from '../../base/errors.js';
import type { Command, Group } from '../command.js';
import type { Session } from '../session.js';
import { INFO_COMMANDS } from './infoCommand.js';

const GROUPS: Readonly<Record<Group, string>> = {
  running: 'Going on and back', time: 'Time', slices: 'What depended on what', breakpoints: 'Where to stop', stack: 'The stack', data: 'Values', files: 'Sources and files', status: 'What there is', support: 'The debugger itself',
};

const HELP: Command = {
  name: 'help', aliases: ['h'], group: 'support', usage: 'help [COMMAND]', completes: 'command', summary: 'Show what commands there are, or all about one.',
  examples: [['help break', 'all about break'], ['help info', 'what "info" can show'], ['apropos thread', 'commands that have to do with threads']],
  run(args, session) {
    if (args === '') return overview(session);
    const info = /^(?:i|inf|info)\s+(\S+)/.exec(args);
    describe(info === null ? session.commands.named(args.split(/\s+/)[0] ?? args) : INFO_COMMANDS.named(info[1] as string), session);
  },
};

const INTRODUCTION = `Commands are gdb's, and may be shortened: "b main", "c", "bt", "p x". Most that go on can go back:
"reverse-continue" or rc, "reverse-step" or rs, "reverse-next" or rn. An empty line repeats the last one.
`;

function overview(session: Session): void {
  session.say(INTRODUCTION);
  const { paint } = session;
  for (const [group, title] of Object.entries(GROUPS)) {
    const members = session.commands.all.filter((command) => command.group === group && !/Not available|User-defined/.test(command.summary));
    session.say(`${paint('heading', title)}:\n${wrapped(members.map(shownName), session)}`);
  }
  session.say('\n"help COMMAND" shows all about one, with examples; "apropos WORD" finds commands.');
}

function shownName({ name, aliases = [] }: Command): string {
  const short = aliases.filter((alias) => !name.startsWith(alias) || alias.length < 3);
  return short.length === 0 ? name : `${name} (${short[0]})`;
}

function wrapped(names: readonly string[], { surface }: Session): string {
  const width = Math.max(20, (surface.size?.columns ?? 80) - 1);
  let text = '';
  let line = ' ';
  for (const name of names) {
    if (line.length + name.length + 2 > width) {
      text += `${line}\n`;
      line = ' ';
    }
    line += ` ${name},`;
  }
  return text + line.replace(/,$/, '');
}

function describe({ usage, summary, details, examples, aliases, name }: Command, session: Session): void {
  const { paint } = session;
  session.say(summary);
  session.say(`Usage: ${paint('heading', usage)}`);
  if (aliases !== undefined && aliases.length > 0) session.say(`Short: ${aliases.join(', ')}`);
  if (details !== undefined) session.say(`\n${details}`);
  if (examples !== undefined) {
    const width = Math.max(...examples.map(([what]) => what.length));
    session.say(`\nExamples:\n${examples.map(([what, why]) => `  ${paint('function', what.padEnd(width))}   ${why}`).join('\n')}`);
  }
  if (name === 'info') for (const command of INFO_COMMANDS.all) session.say(`info ${command.name} -- ${command.summary}`);
}

const APROPOS: Command = {
  name: 'apropos', group: 'support', usage: 'apropos WORD', completes: 'nothing', summary: 'Find commands by what is said of them.',
  run(args, session) {
    if (args === '') throw new UserError('REGEXP string is empty');
    const pattern = new RegExp(args.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
    const rows = [...session.commands.all.map((command) => ['', command] as const), ...INFO_COMMANDS.all.map((command) => ['info ', command] as const)]
      .filter(([, { name, summary, details }]) => pattern.test(name) || pattern.test(summary) || pattern.test(details ?? ''))
      .map(([kind, { name, summary }]) => `${kind}${name} -- ${summary}`);
    for (const row of rows.sort()) session.say(row);
  },
};

export const HELP_COMMANDS: readonly Command[] = [HELP, APROPOS];
