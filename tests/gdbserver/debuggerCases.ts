/**
 * gdb through the server and our own debugger stand at the same places after the same commands: both go by the same
 * moves.
 */
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { servedBytes, type ServedProgram, theTour } from './served.js';

const MOVES: Readonly<Record<string, (session: Debugger) => Promise<unknown>>> = {
  continue: (session) => session.continue(),
  'reverse-continue': (session) => session.continue('backward'),
  stepi: (session) => session.stepInstruction(),
  'reverse-stepi': (session) => session.stepInstruction({ direction: 'backward' }),
  nexti: (session) => session.nextInstruction(),
  step: (session) => session.step(),
  'reverse-step': (session) => session.step({ direction: 'backward' }),
  next: (session) => session.next(),
  'reverse-next': (session) => session.next({ direction: 'backward' }),
  finish: (session) => session.finish(),
  'reverse-finish': (session) => session.finish({ direction: 'backward' }),
};

async function byDebugger(program: ServedProgram, commands: readonly string[]): Promise<string[]> {
  const session = await Debugger.open(servedBytes(program.bytes).execution, { files: NEAR_FILES, evaluator: new ValueEvaluator() });
  const places: string[] = [];
  for (const command of commands) {
    const [word = '', argument = ''] = command.split(' ');
    if (word === 'watch') session.addWatchpoint(argument);
    else if (word === 'break') session.addBreakpoint(argument);
    else {
      try {
        await MOVES[word]?.(session);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      }
      places.push(`${command}: ${session.position.time} 0x${(session.program()?.pc ?? 0n).toString(16)}`);
    }
  }
  return places;
}

async function byGdb(program: ServedProgram, commands: readonly string[]): Promise<string[]> {
  const asked = commands.flatMap((command) => (command in MOVES ? [command, `echo \\nPLACE ${command}\\n`, 'monitor when', 'output/x $pc', 'echo \\n'] : [command]));
  const text = await program.gdb(...asked);
  return [...text.matchAll(/^PLACE (.*)\ntime ([\d,]+) .*\n(0x[0-9a-f]+)$/gm)].map(([, command, time, pc]) => `${command}: ${time?.replaceAll(',', '')} ${pc}`);
}

async function expectSamePlaces(...commands: readonly string[]): Promise<void> {
  const tour = await theTour();
  const places = await byGdb(tour, commands);
  expect(places).toHaveLength(commands.filter((command) => command in MOVES).length);
  expect(places).toEqual(await byDebugger(tour, commands));
}

export function debuggerCases(): void {
  describe('gdb and our own debugger stand at the same places', () => {
    it('at watchpoints and breakpoints, in both directions', () =>
      expectSamePlaces('watch name', 'break sum', 'reverse-continue', 'reverse-continue', 'reverse-continue', 'stepi', 'continue', 'continue', 'reverse-stepi', 'reverse-continue',
        'reverse-continue', 'reverse-continue', 'reverse-continue', 'continue', 'continue', 'continue', 'continue', 'continue', 'continue'), 60_000);

    it('after steps by instruction and by line, in both directions', () =>
      expectSamePlaces('break push', 'reverse-continue', 'stepi', 'stepi', 'nexti', 'reverse-stepi', 'next', 'next', 'reverse-next', 'step', 'finish', 'next', 'step', 'reverse-step', 'reverse-finish', 'reverse-stepi', 'stepi', 'reverse-next'), 60_000);

    it('at a signal, its handler, and both ends', () =>
      expectSamePlaces('break on_signal', 'continue', 'reverse-continue', 'reverse-continue', 'stepi', 'stepi', 'reverse-stepi', 'reverse-stepi', 'continue', 'reverse-continue', 'reverse-continue', 'reverse-continue', 'stepi', 'reverse-stepi'), 60_000);
  });
}
