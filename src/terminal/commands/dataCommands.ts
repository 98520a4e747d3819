/** Values: printing, examining memory, displays, assignments, types. */
import { UserError } from '../../base/errors.js';
import type { Command } from '../command.js';
import { numberList } from '../numberList.js';
import type { Session } from '../session.js';
import { showDisplay, showDisplays } from '../stopActions.js';
import { unescaped } from '../escapes.js';

function printCommand(name: string, aliases: readonly string[], usage: string, summary: string): Command {
  return {
    name, aliases, group: 'data', usage, completes: 'expression', summary,
    details: 'FMT is one letter: x hexadecimal, d signed, u unsigned, o octal, t binary, z hexadecimal with zeros, a address, c character, f floating, s string.',
    examples: [['p x', 'the value of x'], ['p/x flags', 'in hexadecimal'], ['p *node->next', 'what a pointer points to'], ['p array[1]@3', 'three elements from the second on'], ['p $rax', 'a register'], ['p x = 3', 'assign, in a branch']],
    async run(args, session) {
      await session.looking(() => session.language.print(args), (text) => {
        if (text !== '') session.say(text);
      });
    },
  };
}

const OUTPUT: Command = {
  name: 'output', group: 'data', usage: 'output[/FMT] EXPRESSION', completes: 'expression', summary: 'Print a value without "$1 = " and without a newline.',
  run: (args, session) => session.looking(() => session.language.output(args), (text) => session.write(text)),
};

const EXAMINE: Command = {
  name: 'x', group: 'data', usage: 'x/NFU ADDRESS', repeat: 'bare', completes: 'expression', summary: 'Examine memory.',
  details: 'N is how many, F the format (as print has them, and i for instructions, s for strings), U the size: b 1 byte, h 2, w 4, g 8.',
  examples: [['x/4xw $rsp', 'four words of the stack'], ['x/s name', 'a string'], ['x/5i $pc', 'the next five instructions'], ['x', 'what comes after that']],
  run: (args, session) => session.looking(() => session.language.examine(args, session.settings.get('disassembly-flavor')), (text) => session.write(text)),
};

const PRINTF: Command = {
  name: 'printf', group: 'data', usage: 'printf "FORMAT", VALUE, …', completes: 'expression', summary: 'Print values as C\'s printf does.',
  run: (args, session) => session.looking(() => session.language.printf(args, session.surface.isTerminal), (text) => session.surface.writeAsIs(text)),
};

const ECHO: Command = {
  name: 'echo', group: 'support', usage: 'echo TEXT', completes: 'nothing', summary: 'Print a text; \\n is the end of a line.',
  run: (args, session) => session.surface.writeAsIs(unescaped(args)),
};

const DISPLAY: Command = {
  name: 'display', group: 'data', usage: 'display[/FMT] [EXPRESSION]', repeat: 'never', completes: 'expression', summary: 'Show a value now and at every stop.',
  async run(args, session) {
    if (args === '') return showDisplays(session);
    const [, format = '', expression = ''] = /^(\/\S+)?\s*(.*)$/s.exec(args) ?? [];
    if (expression === '') throw new UserError('Argument required (expression to display).');
    // So that nonsense is refused at once.
    if (!/[is]$/.test(format)) await session.debugger.seeing(() => session.language.output(`${format} ${expression}`.trim()));
    await showDisplay(session.displays.add(expression, format), session);
  },
};

const UNDISPLAY: Command = {
  name: 'undisplay', group: 'data', usage: 'undisplay [NUMBER…]', repeat: 'never', completes: 'nothing', summary: 'Stop showing values at every stop: those with these numbers, or all.',
  async run(args, session) {
    if (args === '') {
      if (!session.settings.isOn('confirm') || (await session.surface.confirm('Delete all auto-display expressions? (y or n) '))) session.displays.clear();
      return;
    }
    for (const number of numberList(args)) {
      if (session.displays.find(number) === undefined) throw new UserError(`Could not find display number ${number}.`);
      session.displays.delete(number);
    }
  },
};

const PTYPE: Command = {
  name: 'ptype', group: 'data', usage: 'ptype[/FLAGS] EXPRESSION | TYPE', completes: 'expression', summary: 'Show a type as it is defined.',
  examples: [['ptype node', 'the type of a variable'], ['ptype struct node', 'a type by name'], ['ptype/o struct node', 'with offsets and sizes']],
  run: (args, session) => session.say(session.language.ptype(args)),
};

const WHATIS: Command = {
  name: 'whatis', group: 'data', usage: 'whatis EXPRESSION | TYPE', completes: 'expression', summary: 'Show the type of an expression, in one line.',
  run: (args, session) => session.say(session.language.whatis(args)),
};

const CALL: Command = {
  name: 'call', group: 'data', usage: 'call FUNCTION(ARGUMENT, …)', completes: 'expression', summary: 'Call a function of the program, in a branch.',
  async run(args, session) {
    const text = await session.language.print(args);
    if (!/= \(?void\)?$/.test(text) && text !== '') session.say(text);
  },
};

/** What `set` does that is no setting: assignments. */
export async function assign(expression: string, session: Session): Promise<void> {
  if (expression === '') throw new UserError('Argument required (expression to compute).');
  await session.language.assign(expression);
}

export const DATA: readonly Command[] = [
  printCommand('print', ['p', 'inspect'], 'print [/FMT] [EXPRESSION]', 'Print a value.'), OUTPUT, EXAMINE, PRINTF, ECHO, DISPLAY, UNDISPLAY, PTYPE, WHATIS, CALL,
];
