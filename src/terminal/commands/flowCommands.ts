/** `if` and `while` in scripts: blocks up to `end`. */
import { UserError } from '../../base/errors.js';
import { readBlock } from '../blocks.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';

const MOST_ROUNDS = 1_000_000;

const IF: Command = {
  name: 'if', group: 'support', usage: 'if CONDITION', repeat: 'never', completes: 'expression', summary: 'Do the lines up to "end" if a condition holds, or else those after "else".',
  async run(args, session) {
    const lines = await readBlock(session);
    const [yes, no] = splitElse(lines);
    await session.runScript(isTrue(args, session) ? yes : no, 'if');
  },
};

const WHILE: Command = {
  name: 'while', group: 'support', usage: 'while CONDITION', repeat: 'never', completes: 'expression', summary: 'Do the lines up to "end" as long as a condition holds.',
  async run(args, session) {
    const lines = await readBlock(session);
    for (let round = 0; isTrue(args, session); round++) {
      if (round >= MOST_ROUNDS) throw new UserError('while: a million rounds are enough');
      await session.runScript(lines, 'while');
    }
  },
};

function isTrue(condition: string, session: Session): boolean {
  if (condition === '') throw new UserError('if/while commands require arguments.');
  return session.language.number(condition) !== 0n;
}

/** At the `else` of this level. */
function splitElse(lines: readonly string[]): [string[], string[]] {
  let depth = 0;
  for (const [i, line] of lines.entries()) {
    if (/^(if|while|commands|define)\b/.test(line)) depth++;
    else if (line === 'end') depth--;
    else if (line === 'else' && depth === 0) return [lines.slice(0, i), lines.slice(i + 1)];
  }
  return [[...lines], []];
}

export const FLOW: readonly Command[] = [IF, WHILE];
