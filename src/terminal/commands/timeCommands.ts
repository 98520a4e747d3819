/** What only a recording has: going to a time, back to where one has been, and to the last change of something. */
import { UserError } from '../../base/errors.js';
import { namesInstance } from '../../debugger/program/statementText.js';
import type { Stop } from '../../debugger/control/stops.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Command } from '../command.js';
import { frameText } from '../frameText.js';
import type { Session } from '../session.js';
import { gdbSignalName } from '../signalWords.js';
import { threadNumber, threadTitle } from '../threadText.js';
import { arrive } from './runningCommands.js';

export function countText(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `time 1,234 of 5,678 (21.7%)`; how long a branch is, is not known before it has been run to its end. */
export function whenText(session: Session): string {
  const { position: { time }, execution: { endTime }, branch } = session.debugger;
  if (branch !== undefined && branch.end === undefined) return `time ${countText(time)} (the branch has not been run to its end)`;
  const part = endTime === 0 ? 100 : (time / endTime) * 100;
  return `time ${countText(time)} of ${countText(endTime)} (${part.toFixed(part > 99.95 && time < endTime ? 3 : 1)}%)`;
}

const WHEN: Command = {
  name: 'when', group: 'time', usage: 'when', completes: 'nothing', summary: 'Say what time it is: instructions since the start of the recording.',
  run(_args, session) {
    const { thread, frame } = session.debugger;
    const who = thread === undefined ? 'no thread' : `thread ${threadNumber(thread, session)} (${threadTitle(thread, session)}) "${thread.name}"`;
    session.say(`${whenText(session)}, ${who}`);
    if (frame !== undefined) session.say(frameText(frame, session, { level: true }));
  },
};

const GOTO: Command = {
  name: 'goto', group: 'time', usage: 'goto TIME | start | end | N% | +N | -N | BOOKMARK | FILE:LINE#N | FUNCTION#N', completes: 'bookmark', repeat: 'never',
  summary: 'Go to a time in the recording.',
  examples: [['goto end', 'where the program ended'], ['goto 1,234,567', 'that many instructions after the start'], ['goto 50%', 'half way'], ['goto -1000', 'a thousand instructions back'], ['goto before-crash', 'a bookmark'], ['goto a.c:12#7', 'the 7th time that line 12 was reached'], ['goto 12#-1', 'the last time before now']],
  async run(args, session) {
    if (args === '') throw new UserError('Argument required (a time, start, end, a percentage or a bookmark).');
    if (args === 'end') return arrive(await session.going('goto', (work) => session.debugger.goToEnd(work)), session);
    const position = session.visits.bookmarks.get(args) ?? (await instanceOf(args, session)) ?? positionOf(args, session);
    await arrive(await session.going('goto', (work) => session.debugger.goTo(position, work)), session);
  },
};

async function instanceOf(text: string, session: Session): Promise<Position | undefined> {
  if (!namesInstance(text)) return undefined;
  return at((await session.working('goto', (work) => session.debugger.reached(text, work))).time);
}

function positionOf(text: string, session: Session): Position {
  const { position, execution: { endTime }, branch } = session.debugger;
  const isOpen = branch !== undefined && branch.end === undefined;
  if (text === 'start' || text === 'begin' || text === 'beginning') return at(0);
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text);
  if (percent !== null && isOpen) throw new UserError('How long this branch is, is not known before it has been run to its end: "goto end", then "goto 50%".');
  if (percent !== null) return at(Math.round((Math.min(Number(percent[1]), 100) / 100) * endTime));
  const digits = /^([+-]?)(\d[\d,_]*)$/.exec(text);
  if (digits === null) throw new UserError(`No such time: "${text}". Use a number of instructions, start, end, 50%, FILE:LINE#N or a bookmark (see "info bookmarks").`);
  const number = Number((digits[2] as string).replace(/[,_]/g, ''));
  const time = digits[1] === '' ? number : position.time + (digits[1] === '-' ? -number : number);
  if (time > endTime && !isOpen) throw new UserError(`No such time: ${countText(time)}; the ${branch === undefined ? 'recording' : 'branch'} ends at ${countText(endTime)}.`);
  return at(Math.max(0, time));
}

function travel(name: 'back' | 'forward', summary: string): Command {
  return {
    name, group: 'time', usage: name, completes: 'nothing', summary,
    async run(_args, session) {
      const { position } = session.debugger;
      const place = session.visits[name](position);
      if (place === undefined) throw new UserError(name === 'back' ? 'You have not been anywhere before this.' : 'There is nothing to go forward to: that is only after "back".');
      await arrive(await session.working(name, (work) => session.debugger.goTo(place, work)), session);
    },
  };
}

const BOOKMARK: Command = {
  name: 'bookmark', group: 'time', usage: 'bookmark [NAME] | bookmark -d NAME', completes: 'bookmark', repeat: 'never', summary: 'Give this moment a name, to come back to it with "goto NAME".',
  run(args, session) {
    const { bookmarks } = session.visits;
    const dropped = /^-d\s+(.+)$/.exec(args);
    if (dropped !== null) {
      if (!bookmarks.delete(dropped[1] as string)) throw new UserError(`No bookmark named ${dropped[1]}.`);
      return;
    }
    if (/^(start|end|begin|beginning|[+-]?\d[\d,_]*%?)$/.test(args)) throw new UserError(`"${args}" is a time already; choose another name.`);
    const name = args === '' ? freeName(bookmarks) : args;
    bookmarks.set(name, session.debugger.position);
    session.say(`Bookmark ${name}: ${whenText(session)}`);
  },
};

function freeName(bookmarks: ReadonlyMap<string, Position>): string {
  for (let i = 1; ; i++) if (!bookmarks.has(`b${i}`)) return `b${i}`;
}

export function showBookmarks(session: Session): void {
  const { bookmarks } = session.visits;
  if (bookmarks.size === 0) session.say('No bookmarks.');
  for (const [name, { time }] of bookmarks) session.say(`${name.padEnd(16)} time ${countText(time)}`);
}

/** How the program ended, in a few words. */
export function endingWords(stop: Stop): string {
  if (stop.kind !== 'end') return 'somewhere in the middle';
  const { how, code, remark = 'the recording ends here' } = stop.ending;
  if (how === 'exited') return `exited with status ${code}`;
  return how === 'signaled' ? `killed by ${gdbSignalName(code)}` : remark;
}

export const TIME: readonly Command[] = [
  WHEN, GOTO, BOOKMARK, travel('back', 'Go back to where you were before the last command that moved.'), travel('forward', 'Undo "back".'),
];
