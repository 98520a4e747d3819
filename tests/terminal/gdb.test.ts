import { describe, expect, it } from 'vitest';
import { CASES, type Case } from './cases.js';
import { compile } from './compiled.js';
import { gdbTranscript, normalised, ourTranscript } from './transcripts.js';

/** When gdb's program has ended there is nothing left of it; ours stands at its end. */
const ENDED = /^\[Inferior .* exited|^Program terminated with signal/m;

/**
 * Some versions of gdb cannot set registers where the CPU has more of them than they know, and so cannot call functions
 * of the program.
 */
const CANNOT_CALL = /^Couldn't write extended state status/m;

/** The case without what this gdb cannot do here. It says so: then that much is not compared. */
function possible(one: Case, path: string): { readonly asked: Case; readonly answers: readonly string[] } {
  const answers = gdbTranscript(path, one.commands, one.args);
  const commands = one.commands.filter((_, i) => !CANNOT_CALL.test(answers[i] ?? ''));
  if (commands.length === one.commands.length) return { asked: one, answers };
  process.stderr.write(`${one.name}: this gdb cannot call functions on this CPU: ${one.commands.length - commands.length} commands are left out\n`);
  return { asked: { ...one, commands }, answers: gdbTranscript(path, commands, one.args) };
}

/** One text for all, so that a difference shows what was asked. */
function conversation({ commands, garbage = /^$/ }: Case, answers: readonly string[], count: number): string {
  const meaningless = new RegExp(`^( *(?:${garbage.source}) =) .*$`, 'gm');
  return commands.slice(0, count).map((command, i) => `> ${command}\n${normalised(answers[i] ?? '(nothing)').replace(meaningless, '$1 ...')}`).join('');
}

const chosen = process.env['CULPRIT_LONG'] === undefined ? CASES.filter(({ usual }) => usual === true) : CASES;

describe('the terminal answers as gdb does', () => {
  it.each(chosen.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const path = compile(one.source, one.flags);
    const { asked, answers } = possible(one, path);
    const end = answers.findIndex((answer) => ENDED.test(answer));
    const count = end < 0 ? asked.commands.length : end + 1;
    const ours = await ourTranscript(path, asked.commands.slice(0, count), one.args);
    expect(conversation(asked, ours, count)).toBe(conversation(asked, answers, count));
  }, 120_000);
});
