/** `info`: its subcommands in one table, with their own abbreviations. */
import type { Command } from '../command.js';
import { CommandSet } from '../commandSet.js';
import { breakpointTable } from '../breakpointText.js';
import { numberList } from '../numberList.js';
import { showBacktrace } from './stackCommands.js';
import { INFO_ALTERATIONS } from './alterationCommands.js';
import { INFO_CODE } from './infoCode.js';
import { INFO_NAMES } from './infoNames.js';
import { INFO_PROGRAM } from './infoProgram.js';
import { INFO_STATE } from './infoState.js';
import { signalsTable } from './signalCommands.js';
import { showCheckpoints } from './checkpointCommands.js';
import { INFO_SHAPE } from './shapeCommands.js';
import { INFO_SLICES } from './sliceCommands.js';
import { showBookmarks } from './timeCommands.js';

const OTHERS: readonly Command[] = [
  {
    name: 'breakpoints', aliases: ['b'], group: 'breakpoints', usage: 'info breakpoints [NUMBER…]', completes: 'nothing', summary: 'Breakpoints, watchpoints and catchpoints, with how often they were hit.',
    run(args, session) {
      const { all } = session.debugger.breakpoints;
      const numbers = args === '' ? undefined : numberList(args);
      const found = numbers === undefined ? all : all.filter(({ number }) => numbers.includes(number));
      if (found.length === 0 && args !== '') return session.say(`No breakpoint or watchpoint matching '${args}'.`);
      session.write(breakpointTable(found, session));
    },
  },
  {
    name: 'watchpoints', group: 'breakpoints', usage: 'info watchpoints', completes: 'nothing', summary: 'Watchpoints.',
    run(_args, session) {
      const found = session.debugger.breakpoints.all.filter(({ kind }) => kind === 'watchpoint');
      session.write(found.length === 0 ? 'No watchpoints.\n' : breakpointTable(found, session));
    },
  },
  {
    name: 'display', group: 'data', usage: 'info display', completes: 'nothing', summary: 'Values that are shown at every stop.',
    run(_args, session) {
      const { all } = session.displays;
      if (all.length === 0) return session.say('There are no auto-display expressions now.');
      session.say('Auto-display expressions now in effect:\nNum Enb Expression');
      for (const { number, enabled, format, expression } of all) session.say(`${number}:   ${enabled ? 'y' : 'n'}  ${format === '' ? '' : `${shownFormat(format)} `}${expression}`);
    },
  },
  { name: 'stack', aliases: ['s'], group: 'stack', usage: 'info stack', completes: 'nothing', summary: 'The same as backtrace.', run: (_args, session) => showBacktrace(session) },
  { name: 'signals', aliases: ['handle'], group: 'breakpoints', usage: 'info signals [SIGNAL]', completes: 'signal', summary: 'What the debugger does when the program gets a signal.', run: (args, session) => session.write(signalsTable(args, session)) },
  { name: 'checkpoints', group: 'time', usage: 'info checkpoints', completes: 'nothing', summary: 'Places that you can go back to with "rollback".', run: (_args, session) => showCheckpoints(session) },
  { name: 'bookmarks', group: 'time', usage: 'info bookmarks', completes: 'nothing', summary: 'Moments that you gave names.', run: (_args, session) => showBookmarks(session) },
  INFO_ALTERATIONS, INFO_SHAPE,
];

function shownFormat(format: string): string {
  return format === '/i' ? '/1bi' : format === '/s' ? '/1bs' : format;
}

export const INFO_COMMANDS = new CommandSet([...OTHERS, ...INFO_STATE, ...INFO_CODE, ...INFO_NAMES, ...INFO_PROGRAM, ...INFO_SLICES], 'info ');

export const INFO: Command = {
  name: 'info', aliases: ['i', 'inf'], group: 'status', usage: 'info SUBCOMMAND', completes: 'command', summary: 'Show things about the program: locals, breakpoints, threads and more.',
  async run(args, session) {
    const spoken = INFO_COMMANDS.parse(args);
    if (spoken !== undefined) return spoken.command.run(spoken.args, session);
    session.say('List of info subcommands:\n');
    for (const { name, summary } of [...INFO_COMMANDS.all].sort((a, b) => (a.name < b.name ? -1 : 1))) session.say(`info ${name} -- ${summary}`);
  },
};
