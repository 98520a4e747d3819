/** `handle`, and the table of `info signals`. */
import { UserError } from '../../base/errors.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { allSignals, gdbSignalName, gdbSignalWords, signalNumber } from '../signalWords.js';

const HEADING = 'Signal        Stop\tPrint\tPass to program\tDescription\n';

export function signalsTable(args: string, session: Session): string {
  if (args === '') return `${HEADING}\n${allSignals().map((signal) => row(signal, session)).join('')}\nUse the "handle" command to change these tables.\n`;
  return HEADING + row(knownSignal(args), session);
}

function row(signal: number, session: Session): string {
  const { stop, print, pass } = session.debugger.signals.action(signal);
  const yes = (value: boolean): string => (value ? 'Yes' : 'No');
  return `${gdbSignalName(signal).padEnd(13)} ${yes(stop)}\t${yes(print)}\t${yes(pass)}\t\t${gdbSignalWords(signal)}\n`;
}

function knownSignal(name: string): number {
  const number = /^SIG\d+$/.test(name) ? Number(name.slice(3)) : signalNumber(name);
  if (number === undefined) throw new UserError(`Only signals 1-15 are valid as numeric signals.\nUse "info signals" for a list of symbolic signals.`);
  return number;
}

const HANDLE: Command = {
  name: 'handle', group: 'breakpoints', usage: 'handle SIGNAL… [stop|nostop] [print|noprint]', repeat: 'never', completes: 'signal', summary: 'Say whether a signal stops the program.',
  details: 'What the program got, it got: "pass" and "nopass" are accepted and change nothing.',
  examples: [['handle SIGUSR1 nostop noprint', 'never mind this one'], ['handle all nostop', 'none of them']],
  run(args, session) {
    const words = args.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) throw new UserError('Argument required (signal to handle).');
    const signals: number[] = [];
    for (const word of words) act(word, signals, session);
    session.write(HEADING + signals.map((signal) => row(signal, session)).join(''));
  },
};

function act(word: string, signals: number[], session: Session): void {
  const { signals: table } = session.debugger;
  const each = (change: { stop?: boolean; print?: boolean }): void => {
    for (const signal of signals) table.handle(signal, change);
  };
  switch (word) {
    case 'stop': return each({ stop: true, print: true });
    case 'nostop': return each({ stop: false });
    case 'print': return each({ print: true });
    case 'noprint': case 'nopr': return each({ print: false, stop: false });
    case 'pass': case 'nopass': case 'ignore': case 'noignore': return;
    case 'all': signals.push(...allSignals().filter((signal) => signal !== 2 && signal !== 5)); return;
    default: if (/^(SIG\w+|\d+)$/.test(word)) signals.push(knownSignal(word)); else throw new UserError(`Unrecognized or ambiguous flag word: "${word}".`);
  }
}

export const SIGNALS: readonly Command[] = [HANDLE];
