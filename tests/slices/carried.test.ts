/** What was received depends on what was sent: exact lines (carried.ts). */
import { beforeAll, describe, expect, it } from 'vitest';
import { CARRIED, HEADERS } from './carried.js';
import { MarkedLines } from './markedLines.js';

let lines: MarkedLines | undefined;

beforeAll(async () => {
  lines = await MarkedLines.of('carried.c', CARRIED, ['-O0', '-static'], HEADERS);
}, 60_000);

describe('values that files and pipes carry', () => {
  it.each(CARRIED.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    expect(await lines?.sliced(one, i)).toEqual(lines?.marked(i, ['//+', '//?']));
  });
});
