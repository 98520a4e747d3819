import { describe, expect, it } from 'vitest';
import { Expressions } from '../../src/debugger/values/expressions.js';
import { comparable, ourAnswer, withoutNumber } from './answer.js';
import { askAtStops, compileProgram } from './gdbAnswers.js';

const COUNT = process.env['CULPRIT_LONG'] === undefined ? 1000 : 20_000;

/** The same numbers every time (a linear congruence). */
class Random {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const VARIABLES = ['c', 'sc', 'uc', 'sh', 'us', 'n', 'ui', 'lo', 'ul', 'll', 'ull', 'flag', 'flags', 'neg', 'm->f', 'm->d', 'm->ld', 'b.a', 'b.c', 'b.d', 'b.g', 'wc', 'c16', 'array[2]', 'm->numbers[3]', 'vla[1]'];
const TYPES = ['char', 'signed char', 'unsigned char', 'short', 'unsigned short', 'int', 'unsigned', 'long', 'unsigned long', 'long long', 'float', 'double', 'long double', '_Bool', 'enum color'];
const BINARY = ['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^', '&&', '||', '==', '!=', '<', '>', '<=', '>=', ','];
const UNARY = ['-', '+', '!', '~'];
const NUMBERS = ['0', '1', '2', '3', '7', '-1', '255', '256', '65535', '2147483647', '2147483648', '4294967295', '4294967296', '9223372036854775807', '0xffffffffffffffff', '0x80000000', '1u', '5l', '3ul', '1.5', '0.1f', '2.5l', '1e10', "'a'", "'\\n'", '010'];
const FORMATS = ['', '', '', '', '/x', '/d', '/u', '/o', '/t', '/c', '/z', '/f', '/a'];

function expression(random: Random, depth: number): string {
  const choice = random.below(depth > 0 ? 10 : 2);
  if (choice < 1) return random.of(VARIABLES);
  if (choice < 2) return random.of(NUMBERS);
  if (choice < 7) return `(${expression(random, depth - 1)} ${random.of(BINARY)} ${expression(random, depth - 1)})`;
  if (choice < 8) return `${random.of(UNARY)} ${expression(random, depth - 1)}`;
  if (choice < 9) return `(${random.of(TYPES)}) ${expression(random, depth - 1)}`;
  return `(${expression(random, depth - 1)} ? ${expression(random, depth - 1)} : ${expression(random, depth - 1)})`;
}

/** Warnings of shifts inside of what is shifted: their order does not matter. */
function withoutWarnings(text: string): string {
  return text.replace(/^(warning: .*\n)+/, '');
}

describe('generated expressions', () => {
  it('have the values and types that gdb gives them', () => {
    const random = new Random(99);
    const commands = Array.from({ length: COUNT }, (_, i) => `${i % 4 === 3 ? `whatis ${expression(random, 1)}` : `p${random.of(FORMATS)} ${expression(random, 1 + random.below(3))}`}`);
    const [stop] = askAtStops(compileProgram('shapes.c', ['-O0', '-g']), [{ place: 'stop_here', frame: 1, commands }]);
    if (stop === undefined) throw new Error('no stop');
    const expressions = new Expressions(stop.program);
    const ours = commands.map((command) => `${command}: ${withoutNumber(withoutWarnings(ourAnswer(expressions, command)))}`);
    const theirs = commands.map((command, i) => `${command}: ${comparable(command, withoutWarnings(stop.answers[i] ?? ''))}`);
    expect(ours.filter((line, i) => line !== theirs[i])).toEqual(theirs.filter((line, i) => line !== ours[i]));
  });
});
