/** Runs without some instructions, and without what depends on them. */
import { describe, expect, it } from 'vitest';
import { KEPT, lastWriteOf, printed, subject, suppressed } from './suppressed.js';

void KEPT;

const LEVELS = ['O0', 'O1', 'O2'] as const;

const HEAD = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define APART __attribute__((noipa))
volatile long source;
`;

/** The program with the last write to \`source\` left out. */
async function without(name: string, body: string, flags: readonly string[], limit?: number) {
  const one = await subject(name, HEAD + body, flags);
  const point = await lastWriteOf(one, 'source');
  const run = await suppressed(one, [point], limit);
  return { one, point, run };
}

describe.each(LEVELS)('-%s', (level) => {
  it('follows data', async () => {
    const { run } = await without('chain.c', `
      APART long twice(long x) { return x * 2; }
      long table[4];
      int main(void) {
        source = 1L << 40;
        table[1] = twice(source) + 1;
        printf("%d\\n", *(int *)table[1]);
        puts("end");
        return 0;
      }`, [`-${level}`, '-static']);
    expect(run.end).toEqual({ kind: 'ended', status: { kind: 'exited', code: 0 } });
    expect(printed(run)).toContain('end');
    run.branch.drop();
  });
});
