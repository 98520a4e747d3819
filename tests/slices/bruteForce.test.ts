/** Slices of small programs are those of brute force, member by member and edge by edge. */
import { describe, expect, it } from 'vitest';
import { compile } from './compiled.js';
import { compareProgram } from './comparing.js';

const FLAGS = [['-O0', '-static'], ['-O2', '-static'], ['-O2']] as const;

describe('the walk and brute force', () => {
  it.each(FLAGS.map((flags) => [flags.join(' '), flags] as const))('mixed, %s', async (_, flags) => {
    const result = await compareProgram([compile('mixed.c', flags)], { seed: 1, criteria: 12, frames: false });
    expect(result.problems).toEqual([]);
    expect(result.members).toBeGreaterThan(1000);
  });
});
