/** How often each statement of shapes.c is reached, counted by hand: which code belongs to which part of a line. */
import { expect, it } from 'vitest';
import { countArrivals } from '../../src/debugger/control/instances.js';
import { NamedInstances } from '../../src/debugger/control/namedInstances.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { SourceText } from '../../src/debugger/program/sourceText.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { compile } from './compiled.js';

/** By line: of each statement, undefined for those without code. */
const COUNTS: Readonly<Record<number, readonly (number | undefined)[]>> = {
  // spin(9): the first condition 9 times, the second 8 times; then down from 8 to 3. `for (;` has a jump, which gcc has
  // all others jump over.
  8: [1, 1, 9, 8, 8, 0, 6, 5, 1, 1],
  // one(6), one(3)
  10: [2, 2, 2, 11, 9, 9, 2, 2],
  // both(0, 4), both(1, 3), both(2, 2), both(3, 1)
  14: [4, 2, 0],
  15: [4, 4, 3, 1],
  16: [4, 1, 3],
  22: [25, 13],
  // choose(0) to choose(3): `switch`, then 1, break, 2, break, default, return, end.
  26: [4, 4, 1, 1, 1, 1, 2, 4, 4],
  34: [1],
};

it('is as often as the source says', async () => {
  const { options } = await record([compile('shapes.c', ['-O0'])]);
  const timeline = new Timeline(options);
  await timeline.seekEnd();
  const named = new NamedInstances(new Modules(NEAR_FILES), new SourceText(NEAR_FILES));
  const run = named.runOf(timeline, timeline);
  const [all, wanted]: string[][] = [[], []];
  for (const [line, counts] of Object.entries(COUNTS)) {
    const found: (number | undefined)[] = [];
    for (const part of counts.keys()) found.push(await countArrivals(run, await named.statement({ file: 'shapes.c', line: Number(line), part: part + 1 }, run)));
    all?.push(`${line}: ${found.join(' ')}`);
    wanted?.push(`${line}: ${counts.join(' ')}`);
  }
  expect(all).toEqual(wanted);
}, 300_000);
