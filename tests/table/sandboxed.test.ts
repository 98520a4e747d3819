/** Programs that change files, with --sandbox. */
import { beforeAll, describe, test } from 'vitest';
import { ensureBuilt } from './built.js';
import { FILES } from './groups/files.js';
import { checkSandboxed } from './sandboxed.js';

const BUILD_TIMEOUT = 300_000;
const TEST_TIMEOUT = 120_000;

describe('sandboxed', () => {
  beforeAll(ensureBuilt, BUILD_TIMEOUT);
  const chosen = process.env['CULPRIT_LONG'] === '1' ? FILES : FILES.filter((_, i) => i % 4 === 0);
  for (const invocation of chosen) test.skipIf(invocation.long === true)(invocation.name, () => checkSandboxed(invocation), TEST_TIMEOUT);
});
