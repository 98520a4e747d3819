/** What slicers are known to get wrong: exact lines (classics.ts). */
import { beforeAll, describe, expect, it } from 'vitest';
import { CLASSICS } from './classics.js';
import { MarkedLines } from './markedLines.js';

let lines: MarkedLines | undefined;

beforeAll(async () => {
  lines = await MarkedLines.of('classics.c', CLASSICS, ['-O0']);
}, 60_000);

describe('classics', () => {
  it.each(CLASSICS.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    expect(await lines?.sliced(one, i)).toEqual(lines?.marked(i, ['//+', '//?']));
  });
});
