/** Going on, in both directions. */
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { Direction, Stop } from '../../debugger/control/stops.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Command } from '../command.js';
import { frameText } from '../frameText.js';
import type { Session } from '../session.js';
import { sayBreakpoint } from '../breakpointText.js';
import { afterStop } from '../stopActions.js';
import { showStop, type StepStart, stepStart, wildJumpText } from '../stopText.js';


/** Which way a command goes: its own, unless the user has turned time round for all that go on. */
function directionFor(name: string, own: Direction, { settings }: Session): Direction {
  if (settings.get('exec-direction') === 'forward') return own;
  if (own === 'backward') throw new UserError(`Already in reverse mode.  Use '${name.replace('reverse-', '')}' or 'set exec-dir forward'.`);
  return 'backward';
}

type Step = (session: Session, direction: Direction, work: Work) => Promise<Stop>;

/** Says where it stands now, and does what the user wants done there. */
export async function arrive(stop: Stop, session: Session, start?: StepStart): Promise<void> {
  showStop(stop, session, start);
  if (stop.kind === 'signal') session.write(await wildJumpText(session));
  await afterStop(stop, session);
}

function stepCommand(parts: Pick<Command, 'name' | 'usage' | 'summary'> & Partial<Command>, own: Direction, step: Step): Command {
  return {
    group: 'running', repeat: 'same', completes: 'expression', ...parts,
    async run(args, session) {
      needProcess(session);
      const direction = directionFor(parts.name, own, session);
      const count = countOf(args, session);
      let start = stepStart(session);
      const stop = await session.going(parts.name, async (work) => {
        let last = session.debugger.lastStop;
        for (let i = 0; i < count; i++) {
          start = stepStart(session);
          last = await step(session, direction, work);
          if (last.kind !== 'step') break;
        }
        return last;
      });
      await arrive(stop, session, start);
    },
  };
}

function countOf(args: string, session: Session): number {
  if (args === '') return 1;
  return Number(/^\d+$/.test(args) ? args : session.language.number(args));
}

function needProcess(session: Session): void {
  if (session.debugger.thread === undefined) throw new UserError('The program is not being run.');
}

const STEPS: readonly Command[] = [
  stepCommand({ name: 'step', aliases: ['s'], usage: 'step [N]', summary: 'Go on to another source line, into functions that are called.' }, 'forward', ({ debugger: d }, direction, work) => d.step({ direction, work })),
  stepCommand({ name: 'next', aliases: ['n'], usage: 'next [N]', summary: 'Go on to another source line, over functions that are called.' }, 'forward', ({ debugger: d }, direction, work) => d.next({ direction, work })),
  stepCommand({ name: 'stepi', aliases: ['si'], usage: 'stepi [N]', summary: 'Execute one instruction.' }, 'forward', ({ debugger: d }, direction, work) => d.stepInstruction({ direction, work })),
  stepCommand({ name: 'nexti', aliases: ['ni'], usage: 'nexti [N]', summary: 'Execute one instruction, and all of a function that it calls.' }, 'forward', ({ debugger: d }, direction, work) => d.nextInstruction({ direction, work })),
  stepCommand({ name: 'reverse-step', aliases: ['rs'], usage: 'reverse-step [N]', summary: 'Go back to the beginning of the line before, into functions that were called.' }, 'backward', ({ debugger: d }, direction, work) => d.step({ direction, work })),
  stepCommand({ name: 'reverse-next', aliases: ['rn'], usage: 'reverse-next [N]', summary: 'Go back to the beginning of the line before, over functions that were called.' }, 'backward', ({ debugger: d }, direction, work) => d.next({ direction, work })),
  stepCommand({ name: 'reverse-stepi', aliases: ['rsi'], usage: 'reverse-stepi [N]', summary: 'Undo one instruction.' }, 'backward', ({ debugger: d }, direction, work) => d.stepInstruction({ direction, work })),
  stepCommand({ name: 'reverse-nexti', aliases: ['rni'], usage: 'reverse-nexti [N]', summary: 'Undo one instruction, and all of a function that it called.' }, 'backward', ({ debugger: d }, direction, work) => d.nextInstruction({ direction, work })),
];

function continueCommand(name: string, alias: readonly string[], own: Direction, summary: string): Command {
  return {
    name, aliases: alias, group: 'running', usage: `${name} [N]`, repeat: 'same', completes: 'expression', summary,
    details: 'With N, the breakpoint that it stands at is passed N-1 times before it stops there again.',
    examples: [[name, 'to the next breakpoint, watchpoint or signal'], [`${name} 3`, 'to the third hit of the breakpoint here']],
    async run(args, session) {
      needProcess(session);
      const direction = directionFor(name, own, session);
      if (args !== '') ignoreHere(countOf(args, session), session);
      session.say('Continuing.');
      await arrive(await session.going(name, (work) => session.debugger.continue(direction, work)), session);
    },
  };
}

function ignoreHere(count: number, session: Session): void {
  const { debugger: { lastStop, breakpoints } } = session;
  if (lastStop.kind !== 'breakpoint' && lastStop.kind !== 'watchpoint') {
    session.say('Not stopped at any breakpoint; argument ignored.');
    return;
  }
  const number = lastStop.kind === 'breakpoint' ? lastStop.numbers[0] : lastStop.number;
  const point = number === undefined ? undefined : breakpoints.find(number);
  if (point === undefined) return;
  point.ignore = count - 1;
  session.write(`${ignoreText(point.number, point.ignore)}  `);
}

export function ignoreText(number: number, count: number): string {
  if (count <= 0) return `Will stop next time breakpoint ${number} is reached.`;
  return count === 1 ? `Will ignore next crossing of breakpoint ${number}.` : `Will ignore next ${count} crossings of breakpoint ${number}.`;
}

function finishCommand(name: string, aliases: readonly string[], own: Direction, summary: string): Command {
  return {
    name, aliases, group: 'running', usage: name, repeat: 'same', completes: 'nothing', summary,
    async run(_args, session) {
      needProcess(session);
      const direction = directionFor(name, own, session);
      const { frame } = session;
      if (session.debugger.backtrace?.frame(frame.level + 1) === undefined) throw new UserError(`"${direction === 'forward' ? 'finish' : 'reverse-finish'}" not meaningful in the outermost frame.`);
      session.say(`${direction === 'forward' ? 'Run till exit from' : 'Run back to call of'} ${frameText(frame, session, { level: true })}`);
      await arrive(await session.going(name, (work) => session.debugger.finish({ direction, work })), session);
    },
  };
}

function untilCommand(name: string, aliases: readonly string[], own: Direction, parts: Pick<Command, 'summary' | 'details' | 'examples'>): Command {
  return {
    name, aliases, group: 'running', usage: `${name} [LOCATION]`, repeat: 'same', completes: 'location', ...parts,
    async run(args, session) {
      needProcess(session);
      const direction = directionFor(name, own, session);
      const start = stepStart(session);
      const stop = await session.going(name, (work) => session.debugger.until(args === '' ? undefined : args, { direction, work }));
      await arrive(stop, session, args === '' ? start : undefined);
    },
  };
}

function advanceCommand(name: string, own: Direction, summary: string): Command {
  return {
    name, group: 'running', usage: `${name} LOCATION`, repeat: 'same', completes: 'location', summary,
    async run(args, session) {
      needProcess(session);
      const direction = directionFor(name, own, session);
      if (args === '') throw new UserError('Argument required (a location).');
      await arrive(await session.going(name, (work) => session.debugger.advance(args, { direction, work })), session);
    },
  };
}

const RUN: Command = {
  name: 'run', aliases: ['r'], group: 'running', usage: 'run', repeat: 'never', completes: 'nothing',
  summary: 'Go to the beginning of the recording, and on to the first breakpoint.',
  details: 'The program is not run again: its recording is gone through from the start, so it does exactly what it did.',
  async run(_args, session) {
    session.say(`Starting program: ${session.commandLine.map(visible).join(' ')}`);
    await toStart(session);
    await arrive(await session.going('run', (work) => session.debugger.continue('forward', work)), session);
  },
};

const START: Command = {
  name: 'start', group: 'running', usage: 'start', repeat: 'never', completes: 'nothing', summary: 'Go to the beginning of main.',
  async run(_args, session) {
    const point = session.debugger.addBreakpoint('main', { temporary: true });
    sayBreakpoint(point, session);
    await RUN.run('', session);
  },
};

async function toStart(session: Session): Promise<void> {
  const stop = await session.going('run', (work) => session.debugger.goTo(at(0), work));
  session.shownThread = stop.thread;
}

export const RUNNING: readonly Command[] = [
  ...STEPS, continueCommand('continue', ['c', 'fg'], 'forward', 'Go on to the next breakpoint, or to the end of the recording.'),
  continueCommand('reverse-continue', ['rc'], 'backward', 'Go back to the breakpoint before, or to the beginning of the recording.'),
  finishCommand('finish', ['fin'], 'forward', 'Go on until the selected frame returns, and show what it returns.'),
  finishCommand('reverse-finish', [], 'backward', 'Go back to the call of the selected frame.'),
  untilCommand('until', ['u'], 'forward', {
    summary: 'Go on to a later line than this one, or to LOCATION.',
    details: 'Without argument like "next", but never back to the start of a loop. With LOCATION: there, or to where this function returns.',
    examples: [['until', 'out of a loop'], ['until 42', 'to line 42']],
  }),
  untilCommand('reverse-until', [], 'backward', {
    summary: 'Go back out of the function or to a later line of it, or to LOCATION.',
    details: 'With LOCATION: to when it was reached last in this call of the function.',
    examples: [['reverse-until 42', 'to the last time at line 42']],
  }),
  advanceCommand('advance', 'forward', 'Go on to LOCATION, or to where this function returns.'),
  advanceCommand('reverse-advance', 'backward', 'Go back to LOCATION, in whatever call.'),
  RUN, START,
];
