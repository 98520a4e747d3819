/** What a guard found in a second run is found again in the recording. */
import { afterEach, expect, it } from 'vitest';
import { recordedPosition } from '../../src/blame/guards/recordedTime.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { openedRecording, timelineOf } from '../../src/cli/opening/openedRecording.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { guarded, lineOf, Workplace } from './guarded.js';

const SOURCE = `
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *blocks[6];
  for (int i = 0; i < 6; i++) {
    blocks[i] = malloc(4 + i);
    if (i > 1) memset(blocks[i], i, 10); // @call
    if (i > 0) blocks[i][9] = 1; // @store
  }
  return blocks[0][0];
}`;
let place: Workplace;
afterEach(() => place.remove());

it('the same instance of the same line, also if a function that it called did it', async () => {
  place = new Workplace();
  place.compile(SOURCE);
  const { path } = place.record();
  const run = await guarded(path);
  const recorded = await Debugger.open(timelineOf(openedRecording(path)), { files: NODE_FILES, evaluator: new ValueEvaluator() });
  const second = await run.open();
  for (const [mark, round] of [['call', '2'], ['store', '1']] as const) {
    const report = run.reports.find(({ stack }) => stack.find(({ isUsers }) => isUsers)?.line === lineOf(SOURCE, mark));
    const level = report?.stack.find(({ isUsers }) => isUsers)?.level ?? 0;
    const position = await recordedPosition(second, recorded.execution, { level, time: report?.time ?? 0 });
    expect(position).toBeDefined();
    if (position !== undefined) await recorded.goTo(position);
    const program = recorded.program();
    if (program === undefined) throw new Error('there is no program');
    expect([mark, recorded.frame?.line, new ValueEvaluator().evaluate('i', program, recorded.frame).text]).toEqual([mark, lineOf(SOURCE, mark), round]);
  }
});
