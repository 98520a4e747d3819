/**
 * `possible.leak` and threads: what the C library allocates for them is its own, what the program keeps in the same
 * places is not.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { markedPlaces } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { buildCase } from './buildCase.js';
import { culprit } from '../cli/culprit.js';

const NAME = 'threadBlocks.c';
const TEXT = readFileSync(new URL(`programs/${NAME}`, import.meta.url), 'utf8');

/** Lines of the program by whose calls blocks were allocated that are reported. */
async function kept(...flags: readonly string[]): Promise<number[]> {
  const sources = [{ name: NAME, text: TEXT }];
  const program = await buildCase({ name: NAME, rule: '', buggy: false, sources, flags } as BugCase);
  const { stderr } = culprit(['check', '--enable', 'possible.leak', '--', program]);
  const lines = stderr.split('\n\n').filter((part) => part.startsWith('A block of ')).map((part) => Number(new RegExp(`${NAME}:(\\d+)`).exec(part)?.[1]));
  return lines.sort((a, b) => a - b);
}

describe('blocks of threads', () => {
  it('are no leaks if the C library has made them for itself', async () => {
    expect(await kept()).toEqual([]);
  });

  it('are leaks if the program has', async () => {
    const marked = markedPlaces([{ name: NAME, text: TEXT }], 'KEPT').map(({ line }) => line);
    expect(marked).toHaveLength(4);
    expect(await kept('-DKEPT')).toEqual(marked);
  });
});
