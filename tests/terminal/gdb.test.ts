import { describe, expect, it } from 'vitest';
import { CASES, type Case } from './cases.js';
import { compile } from './compiled.js';
import { gdbTranscript, normalised, ourTranscript } from './transcripts.js';

/** When gdb's program has ended there is nothing left of it; ours stands at its end. */
const ENDED = /^\[Inferior .* exited|^Program terminated with signal/m;

/** One text for all, so that a difference shows what was asked. */
function conversation({ commands, garbage = /^$/ }: Case, answers: readonly string[], count: number): string {
  const meaningless = new RegExp(`^( *(?:${garbage.source}) =) .*$`, 'gm');
  return commands.slice(0, count).map((command, i) => `> ${command}\n${normalised(answers[i] ?? '(nothing)').replace(meaningless, '$1 ...')}`).join('');
}

const chosen = process.env['CULPRIT_LONG'] === undefined ? CASES.filter(({ usual }) => usual === true) : CASES;

describe('the terminal answers as gdb does', () => {
  it.each(chosen.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const path = compile(one.source, one.flags);
    const answers = gdbTranscript(path, one.commands, one.args);
    const end = answers.findIndex((answer) => ENDED.test(answer));
    const count = end < 0 ? one.commands.length : end + 1;
    const ours = await ourTranscript(path, one.commands.slice(0, count), one.args);
    expect(conversation(one, ours, count)).toBe(conversation(one, answers, count));
  }, 120_000);
});
