/**
 * Leaks of programs that have the C library in them: what it keeps in memory that is protected after the start (RELRO)
 * is not lost.
 */
import { describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import type { BugCase } from './bugCase.js';
import { buildCase } from './buildCase.js';

const TEXT = `#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *kept = malloc(10), **own = malloc(sizeof *own);
  *own = malloc(20);
  puts(kept == NULL ? "no" : "yes");
#ifndef LOSES
  free(*own);
#endif
  free(own);
  free(kept);
  return 0;
}
`;

async function leaks(...flags: readonly string[]): Promise<{ status: number | null; rules: (string | undefined)[] }> {
  const program = await buildCase({ name: 'leaks', rule: '', buggy: false, sources: [{ name: 'main.c', text: TEXT }], flags } as BugCase);
  const { status, stderr } = culprit(['check', '--leaks', '--', program]);
  return { status, rules: [...stderr.matchAll(/ \[([a-z.]+)\]$/gm)].map(([, rule]) => rule) };
}

describe.each([['-static'], ['-static-pie'], ['-pie']])('gcc %s', (kind) => {
  it('loses nothing', async () => expect(await leaks(kind)).toEqual({ status: 0, rules: [] }));
  it('loses what the program loses', async () => expect(await leaks(kind, '-DLOSES')).toEqual({ status: 99, rules: ['definite.leak'] }));
});
