import { describe, expect, it } from 'vitest';
import { CASES, type Case } from './cases.js';
import { compile } from './compiled.js';
import { gdbTranscript, normalised, ourTranscript } from './transcripts.js';

/** One text for all, so that a difference shows what was asked. */
function conversation({ commands, garbage = /^$/ }: Case, answers: readonly string[]): string {
  const meaningless = new RegExp(`^( *(?:${garbage.source}) =) .*$`, 'gm');
  return commands.map((command, i) => `> ${command}\n${normalised(answers[i] ?? '(nothing)').replace(meaningless, '$1 ...')}`).join('');
}

const chosen = process.env['CULPRIT_LONG'] === undefined ? CASES.filter(({ usual }) => usual === true) : CASES;

describe('the terminal answers as gdb does', () => {
  it.each(chosen.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const path = compile(one.source, one.flags);
    const theirs = conversation(one, gdbTranscript(path, one.commands, one.args));
    const ours = conversation(one, await ourTranscript(path, one.commands, one.args));
    expect(ours).toBe(theirs);
  }, 120_000);
});
