/** What to stop at. */
import { UserError } from '../../base/errors.js';
import type { Breakpoint, LocationBreakpoint } from '../../debugger/control/breakpoints.js';
import { namesInstance } from '../../debugger/program/statementText.js';
import { LocationNotFound } from '../../debugger/program/location.js';
import { callTitle, sayBreakpoint } from '../breakpointText.js';
import type { Command } from '../command.js';
import { hex } from '../frameText.js';
import { numberList, oneNumber } from '../numberList.js';
import type { Session } from '../session.js';
import { ignoreText } from './runningCommands.js';
import { readBlock } from '../blocks.js';

const SCHEME = /^(?<place>.*?)(?:\s*\bthread\s+(?<thread>[\d.]+))?(?:(?:^|\s+)if\b\s*(?<condition>.*))?$/s;

/** `LOCATION [thread N] [if CONDITION]` apart. */
export function splitCondition(args: string): { readonly place: string; readonly thread: number | undefined; readonly condition: string | undefined } {
  const groups = SCHEME.exec(args.replace(/^-force-condition\s+/, ''))?.groups;
  const thread = groups?.['thread'];
  return { place: groups?.['place']?.trim() ?? args, thread: thread === undefined ? undefined : Number(thread.replace(/.*\./, '')), condition: groups?.['condition']?.trim() };
}

async function setBreakpoint(args: string, session: Session, temporary: boolean): Promise<void> {
  const { place, thread, condition } = splitCondition(args);
  if (condition === '') throw new UserError('No condition specified.');
  if (condition !== undefined) checkCondition(condition, session);
  const location = place === '' ? hereOf(session) : placeInListing(place, session);
  const options = { temporary, condition, thread };
  if (namesInstance(location)) return announce(await session.working('break', (work) => session.debugger.addArrivalBreakpoint(location, options, work)), session);
  try {
    announce(session.debugger.addBreakpoint(location, options), session);
  } catch (error) {
    if (!(error instanceof LocationNotFound)) throw error;
    session.surface.complain(error.message);
    const pending = session.settings.get('breakpoint pending');
    if (pending === 'off') return;
    if (pending === 'auto' && !(await session.surface.confirm('Make breakpoint pending on future shared library load? (y or [n]) '))) return;
    announce(session.debugger.addBreakpoint(location, { ...options, pending: true }), session);
  }
}

function announce(point: LocationBreakpoint, session: Session): void {
  session.language.setVariable('bpnum', BigInt(point.number));
  sayBreakpoint(point, session);
}

/** An expression that could never be understood is refused at once; names may be known where the breakpoint is. */
function checkCondition(condition: string, session: Session): void {
  try {
    session.language.whatis(condition);
  } catch (error) {
    if (error instanceof UserError && /syntax/.test(error.message)) throw error;
  }
}

/** A line's number alone means the file of the frame, or else the one that was shown last. */
function placeInListing(place: string, { debugger: debug, listing }: Session): string {
  if (!/^\d+(\.\d+)?(#-?\d+)?$/.test(place) || debug.frame?.path !== undefined) return place;
  const path = listing.file?.path ?? fileOfMain(debug);
  return path === undefined ? place : `${path}:${place}`;
}

function fileOfMain(debug: Session['debugger']): string | undefined {
  try {
    return debug.resolve('main')[0]?.path;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The next instruction of the selected frame. */
function hereOf(session: Session): string {
  const { frame } = session.debugger;
  if (frame === undefined) throw new UserError('No default breakpoint address now.');
  return `*${hex(frame.pc)}`;
}

const BREAK: Command = {
  name: 'break', aliases: ['b', 'br', 'bre', 'brea', 'hbreak'], group: 'breakpoints', usage: 'break [LOCATION] [thread N] [if CONDITION]', repeat: 'never', completes: 'location',
  summary: 'Stop at a place in the program, whenever it is reached in either direction.',
  details: 'LOCATION is a line, FILE:LINE, a function, FILE:FUNCTION or *ADDRESS; FILE:LINE.K is the K-th statement of a line, FILE:LINE#N the N-th time it was reached (see "help instance"). Without it: where the selected frame goes on.',
  examples: [['break main', 'at the beginning of a function'], ['break a.c:12 if n == 3', 'at a line, when n is 3'], ['break *0x401136', 'at an address'], ['break a.c:12#7', 'only the 7th time that line 12 is reached']],
  run: (args, session) => setBreakpoint(args, session, false),
};

const BREAKPOINT: Command = {
  name: 'breakpoint', group: 'breakpoints', usage: 'breakpoint FUNCTION [thread N] [if CONDITION]', repeat: 'never', completes: 'location',
  summary: 'Stop where a function is called, in whatever library it is: at the call, before it is made.',
  details: [
    'CONDITION is about the call: argN == VALUE (also !=, <, <=, >, >=; arg1 is the first), ret == VALUE for what it will return,',
    'write|read|access ADDRESS [SIZE] for memory that it accesses before it returns; joined by &&, || and !. Values and addresses are',
    'expressions, which are evaluated now. (int) arg1 reads an argument as a type; (double) arg1 is the first floating-point one.',
    'Nothing is needed of the library but symbols. FUNCTION may be *ADDRESS.',
  ].join('\n'),
  examples: [['breakpoint free if arg1 == p', 'where p is freed'], ['breakpoint malloc if ret == p', 'where p came from'], ['breakpoint memcpy if write &x 4', 'which copy overwrites x']],
  async run(args, session) {
    const { place, thread, condition } = splitCondition(args);
    if (condition === '') throw new UserError('No condition specified.');
    const point = await session.working('looking for the function', (work) => session.debugger.addCallBreakpoint(place, { thread, condition }, work));
    session.language.setVariable('bpnum', BigInt(point.number));
    session.say(callTitle(point));
  },
};

const TBREAK: Command = {
  name: 'tbreak', aliases: ['tb', 'thbreak'], group: 'breakpoints', usage: 'tbreak [LOCATION] [if CONDITION]', repeat: 'never', completes: 'location', summary: 'Stop at a place once: the breakpoint is deleted when it is hit.',
  run: (args, session) => setBreakpoint(args, session, true),
};

const RBREAK: Command = {
  name: 'rbreak', group: 'breakpoints', usage: 'rbreak REGEX', repeat: 'never', completes: 'nothing', summary: 'Stop at the beginning of all functions of the program whose names match.',
  async run(args, session) {
    const pattern = new RegExp(args);
    const { main } = session.program.modules;
    const names = new Set([...(main?.file.symbols() ?? [])].filter(({ name, type }) => type === 2 && pattern.test(name)).map(({ name }) => name));
    for (const name of [...names].sort()) await setBreakpoint(name, session, false);
  },
};

const DELETE: Command = {
  name: 'delete', aliases: ['d', 'del'], group: 'breakpoints', usage: 'delete [NUMBER…] | delete display [NUMBER…] | delete checkpoint ID', repeat: 'never', completes: ['breakpoints', 'display', 'bookmark', 'checkpoint'], summary: 'Delete breakpoints, watchpoints and catchpoints, or all of them.',
  async run(args, session) {
    const display = /^display\b\s*(.*)$/.exec(args);
    if (display !== null) return session.execute(`undisplay ${display[1]}`);
    const bookmark = /^bookmark\b\s*(.*)$/.exec(args);
    if (bookmark !== null) return session.execute(`bookmark -d ${bookmark[1]}`);
    const checkpoint = /^checkpoints?\b\s*(.*)$/.exec(args);
    if (checkpoint !== null) return session.execute(`cdelete ${checkpoint[1]}`);
    const { breakpoints } = session.debugger;
    const list = args.replace(/^breakpoints?\b\s*/, '');
    if (list !== '') return eachNumber(list, session, (point) => breakpoints.delete(point.number));
    if (breakpoints.all.length > 0 && (!session.settings.isOn('confirm') || (await session.surface.confirm('Delete all breakpoints? (y or n) ')))) breakpoints.deleteAll();
  },
};

/** gdb goes on with the others when one does not exist. */
function eachNumber(list: string, session: Session, action: (point: Breakpoint) => void): void {
  for (const number of numberList(list)) {
    const point = session.debugger.breakpoints.find(number);
    if (point === undefined) session.say(`No breakpoint number ${number}.`);
    else action(point);
  }
}

const CLEAR: Command = {
  name: 'clear', group: 'breakpoints', usage: 'clear [LOCATION]', repeat: 'never', completes: 'location', summary: 'Delete the breakpoints at a place.',
  run(args, session) {
    const { breakpoints } = session.debugger;
    const wanted = args === '' ? lineHere(session) : session.debugger.resolve(args);
    const found = breakpoints.all.filter((point) => point.kind === 'breakpoint' && point.places.some(({ location }) => wanted.some((place) => place.address === location.address || (/:?\d+$|^$/.test(args) && place.path === location.path && place.line === location.line))));
    if (found.length === 0) throw new UserError(args === '' ? 'No breakpoint at this line.' : `No breakpoint at ${args}.`);
    session.say(`Deleted breakpoint${found.length === 1 ? '' : 's'} ${found.map(({ number }) => `${number} `).join('')}`);
    for (const { number } of found) breakpoints.delete(number);
  },
};

function lineHere(session: Session): { readonly address: bigint; readonly path: string | undefined; readonly line: number }[] {
  const { pc, path, line } = session.frame;
  return [{ address: pc, path, line }];
}

function switchCommand(name: 'enable' | 'disable', aliases: readonly string[]): Command {
  const enabled = name === 'enable';
  return {
    name, aliases, group: 'breakpoints', usage: `${name} [once|delete|count N] [NUMBER… | NUMBER.PLACE…] | ${name} display [NUMBER…]`, repeat: 'never', completes: ['breakpoints', 'display', 'once', 'delete'],
    summary: enabled ? 'Let breakpoints stop the program again.' : 'Let breakpoints not stop the program for now.',
    run(args, session) {
      const display = /^display\b\s*(.*)$/.exec(args);
      if (display !== null) return switchDisplays(display[1] as string, enabled, session);
      const [, word, list = ''] = /^(breakpoints?\b|once\b|delete\b)?\s*(.*)$/.exec(args) ?? [];
      const act = (point: Breakpoint): void => {
        point.enabled = enabled;
        if (word === 'delete') point.temporary = true;
      };
      if (list === '') for (const point of session.debugger.breakpoints.all) act(point);
      else if (/^\d+\.\d+(-\d+)?$/.test(list)) switchPlace(list, enabled, session);
      else eachNumber(list, session, act);
    },
  };
}

function switchPlace(list: string, enabled: boolean, session: Session): void {
  const [number = 0, first = 0, last = first] = list.split(/[.-]/).map(Number);
  const point = session.debugger.breakpoints.get(number);
  for (let i = first; i <= last; i++) {
    const place = point.kind === 'breakpoint' ? point.places[i - 1] : undefined;
    if (place === undefined) throw new UserError(`Bad breakpoint location number '${i}'`);
    place.enabled = enabled;
  }
}

function switchDisplays(list: string, enabled: boolean, session: Session): void {
  const numbers = list === '' ? session.displays.all.map(({ number }) => number) : numberList(list);
  for (const number of numbers) {
    const display = session.displays.find(number);
    if (display === undefined) throw new UserError(`Could not find display number ${number}.`);
    display.enabled = enabled;
  }
}

const IGNORE: Command = {
  name: 'ignore', group: 'breakpoints', usage: 'ignore NUMBER COUNT', repeat: 'never', completes: 'nothing', summary: 'Pass a breakpoint so many times before it stops.',
  run(args, session) {
    const [, number, count] = /^(\S+)(?:\s+(.+))?$/.exec(args) ?? [];
    if (number === undefined) throw new UserError('Argument required (a breakpoint number).');
    if (count === undefined) throw new UserError('Second argument (specified ignore-count) is missing.');
    const point = session.debugger.breakpoints.get(oneNumber(number));
    point.ignore = Math.max(0, Number(session.language.number(count)));
    session.say(ignoreText(point.number, point.ignore));
  },
};

const CONDITION: Command = {
  name: 'condition', group: 'breakpoints', usage: 'condition NUMBER [CONDITION]', repeat: 'never', completes: 'expression', summary: 'Let a breakpoint stop only if a condition holds; without one, always.',
  run(args, session) {
    const [, number, condition] = /^(\S+)(?:\s+(.+))?$/.exec(args) ?? [];
    if (number === undefined) throw new UserError('Argument required (breakpoint number).');
    const point = session.debugger.breakpoints.get(oneNumber(number));
    if (condition !== undefined && point.kind !== 'call') checkCondition(condition, session);
    session.debugger.setCondition(point, condition);
    if (condition === undefined) session.say(`Breakpoint ${point.number} now unconditional.`);
  },
};

const COMMANDS: Command = {
  name: 'commands', group: 'breakpoints', usage: 'commands [NUMBER…]', repeat: 'never', completes: 'nothing', summary: 'Say what is done when a breakpoint (default: the last one that was set) stops: lines up to "end".',
  async run(args, session) {
    const { breakpoints } = session.debugger;
    const last = breakpoints.all.at(-1);
    if (args === '' && last === undefined) throw new UserError('No breakpoints specified.');
    const numbers = args === '' ? [last?.number ?? 0] : numberList(args);
    const points = numbers.map((number) => breakpoints.get(number));
    if (session.surface.isTerminal) session.say(`Type commands for breakpoint(s) ${numbers.join(' ')}, one per line.\nEnd with a line saying just "end".`);
    const lines = await readBlock(session);
    for (const point of points) point.commands = lines;
  },
};

export const BREAKPOINTS: readonly Command[] = [BREAK, BREAKPOINT, TBREAK, RBREAK, DELETE, CLEAR, switchCommand('enable', ['en']), switchCommand('disable', ['dis', 'disa']), IGNORE, CONDITION, COMMANDS];
