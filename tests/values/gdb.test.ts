import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Expressions } from '../../src/debugger/values/expressions.js';
import { comparable, ourAnswer, withoutNumber } from './answer.js';
import { askAtStops, compileProgram } from './gdbAnswers.js';

interface Case {
  readonly source: string;
  readonly flags: readonly string[];
  /** Where to stop, which frame to select, and the file of questions. */
  readonly stops: readonly { readonly place: string; readonly frame?: number; readonly questions: string }[];
}

const CASES: readonly Case[] = [
  { source: 'shapes.c', flags: ['-O0', '-g'], stops: [{ place: 'stop_here', questions: 'shapes.txt' }] },
  { source: 'shapes.c', flags: ['-O0', '-g'], stops: [{ place: 'stop_here', questions: 'examine.txt' }, { place: 'variadic', frame: 1, questions: 'printf.txt' }] },
  { source: 'shapes.c', flags: ['-O0', '-g'], stops: [{ place: 'stop_here', frame: 1, questions: 'locals.txt' }] },
  { source: 'shapes.c', flags: ['-O0', '-g'], stops: [{ place: 'stop_here', frame: 2, questions: 'frame.txt' }] },
  { source: 'shapes.c', flags: ['-O2', '-g', '-fno-inline'], stops: [{ place: 'stop_here', frame: 1, questions: 'frame.txt' }, { place: 'variadic', frame: 1, questions: 'frame.txt' }] },
  { source: 'conversions.c', flags: ['-O0', '-g'], stops: [{ place: 'stop', frame: 1, questions: 'conversions.txt' }] },
  { source: 'containers.cc', flags: ['-O0', '-g'], stops: [{ place: 'printf', frame: 1, questions: 'containers.txt' }] },
  { source: 'standard.cc', flags: ['-O0', '-g'], stops: [{ place: 'use', frame: 1, questions: 'standard.txt' }] },
  { source: 'optimised.c', flags: ['-O2', '-g'], stops: [1, 1, 2, 2, 1, 0, 1].map((frame) => ({ place: 'use', frame, questions: 'optimised.txt' })) },
  { source: 'classes.cc', flags: ['-O2', '-g', '-fno-inline'], stops: [{ place: 'freeFunction', questions: 'frame.txt' }] },
  { source: 'classes.cc', flags: ['-O0', '-g'], stops: [{ place: 'Derived::look', questions: 'method.txt' }, { place: 'printf', frame: 1, questions: 'classes.txt' }] },
];

function questionsOf(name: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`questions/${name}`, import.meta.url)), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** The first stop, and later ones, in one run of the program. */
describe.each(CASES)('$source $flags', ({ source, flags, stops }) => {
  it('has values that gdb prints with the same text', () => {
    const path = compileProgram(source, flags);
    const asked = stops.map(({ questions, ...stop }) => ({ ...stop, commands: questionsOf(questions) }));
    for (const stop of askAtStops(path, asked)) {
      const expressions = new Expressions(stop.program);
      const ours = stop.commands.map((command) => `${command}: ${withoutNumber(ourAnswer(expressions, command))}`);
      expect(ours, `${stop.place}, frame ${stop.frame ?? 0}`).toEqual(stop.commands.map((command, i) => `${command}: ${comparable(command, stop.answers[i] ?? '')}`));
    }
  });
});
