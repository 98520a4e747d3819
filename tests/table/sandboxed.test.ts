/** Programs that change files, with --sandbox. */
import { beforeAll, describe, test } from 'vitest';
import { ensureBuilt } from './built.js';
import { FILES } from './groups/files.js';
import { checkSandboxed } from './sandboxed.js';

const BUILD_TIMEOUT = 300_000;
const TEST_TIMEOUT = 120_000;

describe('sandboxed', () => {
  beforeAll(ensureBuilt, BUILD_TIMEOUT);
  for (const invocation of FILES) test.skipIf(invocation.long === true)(invocation.name, () => checkSandboxed(invocation), TEST_TIMEOUT);
});
