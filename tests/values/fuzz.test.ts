import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import { Expressions } from '../../src/debugger/values/expressions.js';
import { ourAnswer } from './answer.js';
import { askAtStops, compileProgram } from './gdbAnswers.js';

const RUNS = process.env['CULPRIT_LONG'] === undefined ? 500 : 100_000;
const QUESTIONS = fileURLToPath(new URL('questions/', import.meta.url));
const PIECES = [
  '(', ')', '[', ']', '{', '}', '*', '&', '->', '.', '::', '@', ',', '?', ':', '=', '+=', '++', '--', '<<', '!', '~', '-', '%', '/', '<', '>', ' ', '$', '$1', '$$', '$rip', '$foo', 'first', 'array', 'm', 'vla', 'b.c',
  'sizeof', 'int', 'unsigned', 'struct', 'struct point', 'enum', 'const', 'char *', '"a', '"s"', "'", "'c'", '0x', '1', '1.5', '1e', '99999999999999999999', 'x', 'this', 'operator', 'static_cast<', '_Alignof', '@entry', '\\', '#', '\0', 'é', '(anonymous namespace)', 'main', 'work::', 'shapes.c::',
];

function expressionsAt(source: string, place: string): Expressions {
  const [stop] = askAtStops(compileProgram(source, ['-O0', '-g']), [{ place, frame: 1, commands: [] }]);
  if (stop === undefined) throw new Error('no stop');
  return new Expressions(stop.program);
}

/** An answer or a mistake of the user's; anything else is ours. */
function ask(expressions: Expressions, command: string): void {
  const start = performance.now();
  expect(typeof ourAnswer(expressions, command)).toBe('string');
  expect(performance.now() - start, command).toBeLessThan(2000);
}

describe.each([['shapes.c', 'stop_here'], ['classes.cc', 'freeFunction']])('nonsense in %s', (source, place) => {
  const expressions = expressionsAt(source, place);
  const command = fc.constantFrom('p ', 'p/x ', 'whatis ', 'ptype ', 'x/3x ', 'p/c ');

  it('of pieces of expressions is answered or refused', () => {
    fc.assert(fc.property(command, fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (word, pieces) => ask(expressions, word + pieces.join(''))), { numRuns: RUNS, seed: 5 });
  });

  it('of damaged questions is answered or refused', () => {
    const questions = readdirSync(QUESTIONS).flatMap((name) => readFileSync(QUESTIONS + name, 'utf8').split('\n')).filter((line) => /^(p|whatis|ptype|x)\b.* /.test(line));
    const damage = fc.record({ question: fc.constantFrom(...questions), at: fc.nat(40), cut: fc.nat(3), insert: fc.constantFrom('', ...PIECES) });
    fc.assert(fc.property(damage, ({ question, at, cut, insert }) => {
      const start = Math.max(question.includes(' ') ? question.indexOf(' ') + 1 : question.length, Math.min(at, question.length));
      ask(expressions, question.slice(0, start) + insert + question.slice(start + cut));
    }), { numRuns: RUNS, seed: 6 });
  });

  it('that is deep or long is refused', () => {
    for (const text of ['('.repeat(50_000), '-'.repeat(50_000), `${'1+'.repeat(20_000)}1`, `${'*'.repeat(2000)}array`, '{'.repeat(5000), `first${'.next'.repeat(3000)}`, `(${'int *'.repeat(1)}${'*'.repeat(5000)})0`, 'a::'.repeat(3000), `"${'\\'.repeat(9999)}`]) {
      try {
        expressions.evaluate(text);
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }
  });
});
