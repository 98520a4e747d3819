/** In tests under `npm test`: skips what the table of shares (testShares.ts) leaves to others. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach } from 'vitest';
import { isTaken, ONE_OF } from './testShares.js';

/** Not the working directory: a test may be somewhere else. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const share = Number(process.env['CULPRIT_TEST_SHARES']);
const met = new Map<string, number>();

beforeEach(({ task, skip }) => {
  const { filepath } = task.file;
  const index = met.get(filepath) ?? 0;
  met.set(filepath, index + 1);
  if (!isTaken(index, ONE_OF[relative(ROOT, filepath)] ?? 1, share)) skip();
});
