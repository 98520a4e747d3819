/**
 * Runs the tests of `npm test`: those that the tables of shares (testShares.ts) leave to others are skipped when a file
 * has been collected. What a suite does before its tests is not done then if none of them is left.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestRunner } from 'vitest';
import { isTaken, ONE_OF, ONE_SUITE_OF } from './testShares.js';

type Collected = Parameters<TestRunner['onCollectStart']>[0];
type Task = Collected['tasks'][number];
type Told = (files: Collected[]) => Promise<void>;

/** Not the working directory: a test may be somewhere else. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const share = Number(process.env['CULPRIT_TEST_SHARES']);

function leaveOut(task: Task): void {
  task.mode = 'skip';
  if (task.type === 'suite') task.tasks.forEach(leaveOut);
}

function testsIn(tasks: readonly Task[]): Task[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]));
}

/** A suite without tests that run is skipped as a whole. */
function settle(task: Task): void {
  if (task.type !== 'suite') return;
  task.tasks.forEach(settle);
  if (task.tasks.length > 0 && task.tasks.every(({ mode }) => mode !== 'run' && mode !== 'queued')) task.mode = 'skip';
}

function takeShare(file: Collected): void {
  const path = relative(ROOT, file.filepath);
  const [units, oneOf] = path in ONE_SUITE_OF ? [file.tasks, ONE_SUITE_OF[path] ?? 1] : [testsIn(file.tasks), ONE_OF[path] ?? 1];
  units.forEach((unit, index) => {
    if (!isTaken(index, oneOf, share)) leaveOut(unit);
  });
  file.tasks.forEach(settle);
}

/** vitest asks for a default export. */
export default class ShareRunner extends TestRunner {
  private told: Told | undefined;

  get onCollected(): Told | undefined {
    return this.told;
  }

  /** vitest hands what it has collected on by a function that it sets here: what is skipped must be so before. */
  set onCollected(tell: Told | undefined) {
    this.told = tell && (async (files) => {
      files.forEach(takeShare);
      await tell(files);
    });
  }
}
