import { describe, expect, it } from 'vitest';
import { compile, debug } from './debugged.js';
import { follow } from './follow.js';
import { gdbSession } from './gdb.js';

async function compare(source: string, flags: readonly string[], commands: readonly string[]): Promise<void> {
  const path = compile(source, flags);
  const session = gdbSession(path, commands);
  // gdb's own recording begins at main.
  const limit = session.findIndex(({ command, frames, pc }, i) => command.startsWith('reverse-') && pc === session[i - 1]?.pc && frames?.join() === session[i - 1]?.frames?.join());
  const compared = limit < 0 ? session : session.slice(0, limit);
  const theirs = compared.filter(({ command }) => !/^t?break/.test(command));
  const ours = (await follow(await debug(path), commands.slice(0, compared.length))).filter(({ command }) => !/^t?break/.test(command));
  const line = (step: { command: string; frames: readonly string[] | undefined; pc: number }): string =>
    `${step.command}: ${step.frames === undefined ? 'ended' : `${step.pc.toString(16)} ${step.frames.join(', ')}`}`;
  expect(ours.map(line)).toEqual(theirs.map(line));
}

const many = (command: string, count: number): string[] => Array<string>(count).fill(command);
const STEPS = ['break main', 'run', ...many('step', 80)];
const NEXTS = ['break main', 'run', ...many('next', 40)];

const LONG = process.env['CULPRIT_LONG'] !== undefined;

const ONE_ROW = ['-g', '-gno-column-info', '-gno-statement-frontiers', '-gno-variable-location-views'];

const ALL: [string, string[], string[]][] = [
  ['calls.c', ['-O0', '-g'], STEPS],
  ['calls.c', ['-O0', '-g'], NEXTS],
  ['calls.c', ['-O0', '-g'], ['break add', 'run', 'finish', 'step', 'finish', 'stepi', 'nexti', 'continue', 'until', 'until', 'until', 'advance fact', 'finish', 'up', 'finish']],
  ['calls.c', ['-O2', '-g'], STEPS],
  ['calls.c', ['-O2', '-g'], NEXTS],
  ['inlining.c', ['-O2', '-g'], STEPS],
  ['inlining.c', ['-O2', '-g'], NEXTS],
  ['inlining.c', ['-O2', '-g'], ['break square', 'run', 'finish', 'step', 'continue', 'finish', 'up', 'finish', 'until', 'continue', 'stepi', 'stepi', 'step', 'next', 'advance 25', 'break outer', 'finish']],
  ['inlining.c', ['-O1', '-g'], STEPS],
  ['handlers.c', ['-O0', '-g'], STEPS],
  ['handlers.c', ['-O0', '-g'], NEXTS],
  ['handlers.c', ['-O0', '-g'], ['break handler', 'run', 'step', 'step', 'step', 'step', 'step', 'step', 'step', 'step', 'step']],
  ['throwing.cc', ['-O0', '-g'], STEPS],
  ['throwing.cc', ['-O0', '-g'], NEXTS],
  ['throwing.cc', ['-O2', '-g'], STEPS],
  ['threads.c', ['-O0', '-g'], NEXTS],
  ['threads.c', ['-O0', '-g'], ['break worker', 'run', ...many('step', 20), 'continue', ...many('next', 5)]],
  ['recursion.c', ['-O0', '-g'], STEPS],
  ['recursion.c', ['-O0', '-g'], NEXTS],
  ['recursion.c', ['-O2', '-g'], STEPS],
  ['recursion.c', ['-O2', '-g'], NEXTS],
  ['recursion.c', ['-O0', '-g'], ['break compare', 'run', 'finish', 'step', 'step', 'step', 'step', ...many('until', 10)]],
  // Backward: gdb records by itself. It does not know all instructions of libraries, and (up to version 13) stops in
  // the middle of lines that have several rows: so these have one each.
  ['calls.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('step', 30), ...many('reverse-step', 29)]],
  ['calls.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 7), ...many('reverse-next', 8)]],
  ['calls.c', ['-O0', ...ONE_ROW], ['break main', 'break fact', 'run', 'record', ...many('continue', 3), 'reverse-finish', 'reverse-step', 'reverse-stepi', 'reverse-nexti', 'reverse-next', 'reverse-finish', 'reverse-continue', 'step', 'step', 'reverse-continue']],
  ['inlining.c', ['-O2', ...ONE_ROW], ['break main', 'run', 'record', ...many('step', 24), ...many('reverse-step', 20)]],
  ['inlining.c', ['-O2', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 3), ...many('reverse-next', 3)]],
  ['inlining.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('step', 30), ...many('reverse-step', 10), ...many('reverse-next', 5), ...many('reverse-step', 10)]],
  ['handlers.c', ['-O0', '-g'], ['break guarded', 'run', ...many('next', 8)]],
  ['handlers.c', ['-O0', '-g'], ['break leave', 'run', 'next', 'next', 'next', 'next']],
  ['handlers.c', ['-O0', '-g'], ['break leave', 'run', 'finish', 'next', 'next']],
  ['throwing.cc', ['-O0', '-g'], ['break attempt', 'run', ...many('next', 4), 'continue', ...many('next', 8)]],
  ['throwing.cc', ['-O0', '-g'], ['break check', 'run', 'continue', 'next', 'next', 'next', 'next']],
  ['throwing.cc', ['-O0', '-g'], ['break check', 'run', 'continue', 'finish', 'next', 'finish']],
  ['throwing.cc', ['-O2', '-g'], ['break attempt', 'run', ...many('next', 4), 'continue', ...many('next', 8)]],
  // An instruction that faults where a breakpoint is: both are told, and the handler returns to the breakpoint.
  ['faulting.c', ['-O1', '-g'], ['break load', 'run', ...many('continue', 10)]],
  ['faulting.c', ['-O1', '-g'], ['break load', 'run', 'continue', 'stepi', 'stepi', 'stepi', ...many('step', 8)]],
  ['faulting.c', ['-O1', '-g'], ['break load', 'run', 'continue', ...many('next', 10)]],
  ['faulting.c', ['-O1', '-g'], ['break load', 'run', 'continue', 'finish', 'finish', 'finish', 'next']],
  ['faulting.c', ['-O0', '-g'], ['break load', 'run', 'continue', 'delete', ...many('stepi', 14)]],
  ['faulting.c', ['-O0', '-g'], ['break main', 'run', ...many('next', 14)]],
  // Functions that ended by jumping: gdb shows those that it can be sure of.
  ['jumping.c', ['-O2', '-g'], ['break end', 'run', 'finish', 'continue', 'finish', 'continue', 'up', 'finish', 'continue', 'finish', 'continue', 'next', 'next', 'step', 'continue']],
  ['jumping.c', ['-O2', '-gdwarf-4'], ['break end', 'break middle', 'run', ...many('continue', 8)]],
  ['jumping.c', ['-O2', '-g'], ['break main', 'run', ...many('step', 40)]],
  ['jumping.c', ['-O2', '-g'], ['break begin', 'run', ...many('next', 16)]],
  ['jumping.c', ['-O2', ...ONE_ROW], ['break main', 'run', 'record', ...many('step', 22), ...many('reverse-step', 22)]],
  ['jumping.c', ['-O2', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 7), ...many('reverse-next', 7)]],
  // Back by gdb's setting exec-direction.
  ['calls.c', ['-O0', ...ONE_ROW], ['break main', 'break fact', 'run', 'record', ...many('continue', 4), 'reverse-advance twice', 'next', 'next', 'reverse-until', 'reverse-until', 'step', 'step', 'reverse-until', 'reverse-advance 21']],
  ['calls.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 4), 'reverse-until', 'next', 'next', 'reverse-until 24', 'next', 'step', 'step', 'step', 'reverse-advance 24', 'reverse-until 23']],
  ['oneLine.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 5), ...many('reverse-until', 3)]],
  // Loops that are one line.
  ['oneLine.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('next', 5), ...many('reverse-next', 5)]],
  ['oneLine.c', ['-O0', ...ONE_ROW], ['break main', 'run', 'record', ...many('step', 12), ...many('reverse-step', 12)]],
];
/** Of each kind one, in the usual run. */
const SAMPLE = process.env['SAMPLE']?.split(',').map(Number) ?? [5, 16, 24, 32, 35, 41];

describe('stepping as gdb', () => {
  it.each(LONG ? ALL : ALL.filter((_, i) => SAMPLE.includes(i)))('%s %s %#', async (source, flags, commands) => {
    await compare(source, flags, commands);
  });
});
