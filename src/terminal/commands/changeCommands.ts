/** Who changed it? And what would have happened if: `last`, `next-use`, `branch`. */
import { UserError } from '../../base/errors.js';
import type { Stop } from '../../debugger/control/stops.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { stopSource } from '../stopSource.js';
import { frameText } from '../frameText.js';
import { showDisplays } from '../stopActions.js';
import { threadNumber } from '../threadText.js';
import { countText, whenText } from './timeCommands.js';

/** Further out it does not matter. */
const MOST_LIBRARY_FRAMES = 20;

const LAST: Command = {
  name: 'last', group: 'time', usage: 'last EXPRESSION', completes: 'expression', repeat: 'same',
  summary: 'Go back to the last change of a value: the statement that made it, with the values before and after.',
  details: 'Again (or an empty line) goes to the change before that. "back" returns.',
  examples: [['last total', 'who changed total?'], ['last node->next', 'who changed this pointer, or where it points?'], ['last *0x4c6310', 'an address']],
  async run(args, session) {
    if (args === '') throw new UserError('Argument required (an expression).');
    const { seen: meant } = await session.debugger.seeing(() => session.sameThing(args, 'last'));
    const stop = await session.going('last', (work) => session.debugger.lastChange(meant, work));
    await showChange(stop, args, 'backward', session);
  },
};

const NEXT_USE: Command = {
  name: 'next-use', group: 'time', usage: 'next-use EXPRESSION', completes: 'expression', repeat: 'same', summary: 'Go on to the next instruction that reads or writes a value.',
  async run(args, session) {
    if (args === '') throw new UserError('Argument required (an expression).');
    const { seen: meant } = await session.debugger.seeing(() => session.sameThing(args, 'next-use'));
    const stop = await session.going('next-use', (work) => session.debugger.nextUse(meant, work));
    await showChange(stop, args, 'forward', session);
  },
};

async function showChange(stop: Stop, expression: string, direction: 'forward' | 'backward', session: Session): Promise<void> {
  if (stop.kind === 'cancelled') return session.say('Quit');
  if (stop.kind === 'start' || stop.kind === 'scope') session.say(`Nobody changed ${expression} before this.`);
  else if (stop.kind === 'end') session.say(`Nobody uses ${expression} after this.`);
  else if (stop.kind === 'watchpoint') {
    // Going back, the old value is the one after the change.
    const [before, after] = direction === 'backward' ? [stop.new, stop.old] : [stop.old, stop.new];
    session.say(before === undefined ? `${expression} = ${after}` : before === after ? `${expression} = ${after} (the same as before)` : `${expression}: ${before} -> ${after}`);
  }
  const { frame, thread } = session.debugger;
  session.shownThread = stop.thread;
  session.say(`at ${whenText(session)}${thread === undefined ? '' : `, thread ${threadNumber(thread, session)}`}`);
  if (frame !== undefined) session.write(`${frameText(frame, session)}\n${stopSource(frame, session)}${statementText(session)}`);
  await showDisplays(session);
}

/** Where a library made the change: the statement of the program that called it. */
function statementText(session: Session): string {
  const frames = session.debugger.backtrace?.frames(MOST_LIBRARY_FRAMES) ?? [];
  const hasSource = (frame: VisibleFrame): boolean => frame.path !== undefined && session.sources.line(frame.path, frame.line) !== undefined;
  const own = frames.find(hasSource);
  return own === undefined || own.level === 0 ? '' : `${frameText(own, session, { level: true })}\n${stopSource(own, session)}`;
}

const BRANCH: Command = {
  name: 'branch', group: 'time', usage: 'branch [drop]', completes: ['drop'], repeat: 'never', summary: 'Say what branch this is; "branch drop" returns to the recording, where the branch began.',
  details: 'Assigning to a variable, register or memory ("set var x = 3") begins a branch: what would have happened if. The recording stays as it is.',
  run(args, session) {
    const { branch } = session.debugger;
    if (args === 'drop') {
      const stop = session.debugger.dropBranch();
      session.shownThread = stop.thread;
      session.shownBranch = undefined;
      session.say(`Back in the recording, at ${whenText(session)}.`);
      return;
    }
    if (args !== '') throw new UserError(`Undefined branch command: "${args}".  Try "help branch".`);
    if (branch === undefined) return session.say('This is the recording, not a branch.');
    session.say(`A branch that began at time ${countText(branch.start.time)}; now ${whenText(session)}.`);
    for (const warning of branch.warnings) session.say(`warning: ${warning}`);
    const output = branch.output.map(({ bytes }) => new TextDecoder().decode(bytes)).join('');
    if (output !== '') session.write(`It has written:\n${output}${output.endsWith('\n') ? '' : '\n'}`);
  },
};

export const CHANGES: readonly Command[] = [LAST, NEXT_USE, BRANCH];
