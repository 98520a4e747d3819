/** The calls that change files do in the sandbox what they do natively, and leave the real files alone. */
import { beforeAll, describe, test } from 'vitest';
import { rows } from '../programs/testPrograms.js';
import { ensureBuilt } from '../table/built.js';
import { checkSandboxed } from '../table/sandboxed.js';
import { programsOf } from './testSyscalls.js';

const BUILD_TIMEOUT = 300_000;
const TEST_TIMEOUT = 120_000;

describe('sandboxed', () => {
  beforeAll(ensureBuilt, BUILD_TIMEOUT);
  const random = programsOf('random').filter(({ source }) => source.endsWith('random_files.c'));
  for (const { name, make } of [...programsOf('files'), ...random].flatMap(rows)) {
    test(name, async () => checkSandboxed(await make()), TEST_TIMEOUT);
  }
});
