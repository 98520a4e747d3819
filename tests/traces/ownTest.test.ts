/** What a user's own test looks like: a run is recorded, and the test asserts over all of it. */
import { expect, it } from 'vitest';
import { execution as noExecution, recordExecution } from '../../src/api/traces.js';
import { compile } from './recordedExecution.js';

it('a set never has more members than were inserted', async () => {
  const run = await recordExecution([compile('cleverSet.c'), 'right']);
  const inserts = run.breakpoints('insert').scan<number>(async (before) => (await before.force()) + 1, 0);
  const tooMany = run
    .breakpoints('delete')
    .trailingMerge(inserts, async (s, before) => s.readVar('s->count').number > ((await before.force()) ?? 0))
    .filter((isWrong) => isWrong);
  expect(await tooMany.length).toBe(0);
  expect((await run.output(1).last())?.value.output.text).toBe('1 1\n');
});

it('without a recording the script’s execution says what to do', () => {
  expect(() => noExecution.endTime).toThrow('no recording is open: run the script with culprit query FILE SCRIPT, or use openExecution(FILE)');
});
