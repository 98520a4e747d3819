/**
 * In tests under `npm run test:times`: writes down what a file of tests has taken of the processors, the processes that
 * it started included.
 *
 * The kernel knows it for each process (proc(5), stat: utime, stime, and for children that ended cutime, cstime). Files
 * that share a process have what was added while they ran; the others have all of their process, its start included.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const TICKS_PER_SECOND = 100;
const STARTED = 'culpritTestTimesStarted';

function secondsOfProcess(): number {
  // The name of the program is in brackets, and may have spaces in it. utime is the fourteenth field.
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '').split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

const output = process.env['CULPRIT_TEST_TIMES'];
const shared = globalThis as { [STARTED]?: number };
const started = shared[STARTED] ?? 0;

// The first that is registered is the last to run: after all that a file does when its tests are over.
afterAll(() => {
  const now = secondsOfProcess();
  shared[STARTED] = now;
  if (output !== undefined) appendFileSync(output, `${JSON.stringify({ file: expect.getState().testPath, seconds: now - started, process: process.pid })}\n`);
});
