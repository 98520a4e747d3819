/** In tests under `npm test`: skips what the table of shares (testShares.ts) leaves to the long form. */
import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { ONE_OF } from './testShares.js';

const met = new Map<string, number>();

beforeEach(({ task, skip }) => {
  const { filepath } = task.file;
  const oneOf = ONE_OF[relative('.', filepath)] ?? 1;
  const index = met.get(filepath) ?? 0;
  met.set(filepath, index + 1);
  if (index % oneOf !== 0) skip();
});
