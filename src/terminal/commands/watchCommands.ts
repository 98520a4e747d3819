/** Watchpoints and catchpoints. */
import { UserError } from '../../base/errors.js';
import type { Catch, Watchpoint } from '../../debugger/control/breakpoints.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import { catchTitle, watchTitle } from '../breakpointText.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { signalNumber } from '../signalWords.js';
import { watchShape } from './shapeCommands.js';
import { splitCondition } from './breakpointCommands.js';

function watchCommand(name: string, access: Watchpoint['access'], summary: string): Command {
  return {
    name, group: 'breakpoints', usage: `${name} [-l] EXPRESSION [thread N] [if CONDITION]`, repeat: 'never', completes: 'expression', summary,
    details: 'With -l (-location): the memory that the expression is now, whatever becomes of the variables in it. There may be any number of watchpoints, of any size, and they cost nothing. With "reverse-continue": who wrote it last? After "shape FILE", "watch shape [TYPE]" stops where the structure becomes inconsistent and stays so up to the next C-point.',
    examples: [[`${name} total`, 'a variable'], [`${name} -l node->next`, 'this member of this node, wherever node points later'], [`${name} buffer if n > 3`, 'with a condition']],
    async run(args, session) {
      const shape = /^shape\b\s*([\w\s,:<>]*)$/.exec(args);
      if (shape !== null && name === 'watch') return watchShape(shape[1] ?? '', session);
      const [, atLocation, rest = ''] = /^(-l\b|-location\b)?\s*(.*)$/s.exec(args) ?? [];
      const { place: expression, condition, thread } = splitCondition(rest);
      if (expression === '') throw new UserError('Argument required (expression to compute).');
      // What is read on the way there may be no more.
      await session.looking(() => session.debugger.evaluator.evaluate(expression, session.program, session.debugger.frame).bytes, () => {
        const point = session.debugger.addWatchpoint(expression, access, { condition, thread, location: atLocation !== undefined });
        session.language.setVariable('bpnum', BigInt(point.number));
        session.say(watchTitle(point));
      });
    },
  };
}

const CATCH: Command = {
  name: 'catch', group: 'breakpoints', usage: 'catch syscall [NAME…] | signal [NAME…] | fork | vfork | exec | throw | catch | rethrow', repeat: 'never', completes: ['syscall', 'signal', 'fork', 'vfork', 'exec', 'throw', 'catch', 'rethrow'],
  summary: 'Stop at system calls, signals, forks or C++ exceptions.',
  examples: [['catch syscall write', 'each time it writes'], ['catch throw', 'where exceptions are thrown']],
  run: (args, session) => setCatch(args, false, session),
};

const TCATCH: Command = { ...CATCH, name: 'tcatch', usage: CATCH.usage.replace('catch', 'tcatch'), summary: 'The same, once.', run: (args, session) => setCatch(args, true, session) };

function setCatch(args: string, temporary: boolean, session: Session): void {
  const { place, condition } = splitCondition(args);
  const [what = '', ...names] = place.split(/\s+/);
  const point = session.debugger.addCatchpoint(caughtBy(what, names), { condition, temporary });
  session.language.setVariable('bpnum', BigInt(point.number));
  session.say(catchTitle(point));
}

function caughtBy(what: string, names: readonly string[]): Catch {
  switch (what) {
    case 'syscall': case 'sysc': return { what: 'syscall', numbers: names.map(syscallNumber) };
    case 'signal': case 'sig': return { what: 'signal', numbers: names.filter((name) => name !== 'all').map(knownSignal) };
    case 'fork': case 'vfork': case 'exec': case 'throw': case 'catch': case 'rethrow': return { what };
    case '': throw new UserError('List of catch subcommands:\n\ncatch syscall, signal, fork, vfork, exec, throw, catch, rethrow');
    default: throw new UserError(`Undefined catch command: "${what}".  Try "help catch".`);
  }
}

function syscallNumber(name: string): number {
  const number = /^\d+$/.test(name) ? Number(name) : SYSCALL_NAMES.findIndex((known) => known === name);
  if (number < 0) throw new UserError(`Unknown syscall name '${name}'.`);
  return number;
}

function knownSignal(name: string): number {
  const number = signalNumber(name);
  if (number === undefined) throw new UserError(`Only signals 1-15 are valid as numeric signals.\nUse "info signals" for a list of symbolic signals.`);
  return number;
}

export const WATCHING: readonly Command[] = [
  watchCommand('watch', 'write', 'Stop when a value changes.'), watchCommand('rwatch', 'read', 'Stop when a value is read.'), watchCommand('awatch', 'access', 'Stop when a value is read or written.'), CATCH, TCATCH,
];
