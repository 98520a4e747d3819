import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CASES, type Case } from './cases.js';
import { gdbTranscript, normalised, ourTranscript } from './transcripts.js';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const BUILD_FOLDER = `${TESTS}build/terminal/`;

function compile({ source, flags }: Case): string {
  const from = TESTS + source;
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(from)).digest('hex').slice(0, 12);
  const path = `${BUILD_FOLDER}${basename(source)}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', `${path}.new`, from, '-lm', '-pthread']);
    renameSync(`${path}.new`, path);
  }
  return path;
}

/** One text for all, so that a difference shows what was asked. */
function conversation({ commands, garbage = /^$/ }: Case, answers: readonly string[]): string {
  const meaningless = new RegExp(`^( *(?:${garbage.source}) =) .*$`, 'gm');
  return commands.map((command, i) => `> ${command}\n${normalised(answers[i] ?? '(nothing)').replace(meaningless, '$1 ...')}`).join('');
}

const chosen = process.env['CULPRIT_LONG'] === undefined ? CASES.filter(({ usual }) => usual === true) : CASES;

describe('the terminal answers as gdb does', () => {
  it.each(chosen.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const path = compile(one);
    const theirs = conversation(one, gdbTranscript(path, one.commands, one.args));
    const ours = conversation(one, await ourTranscript(path, one.commands, one.args));
    expect(ours).toBe(theirs);
  }, 120_000);
});
