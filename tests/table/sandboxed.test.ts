/** Programs that change files, with --sandbox: they say what they say natively, and nothing has changed. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './built.js';
import { FILES } from './groups/files.js';
import type { Invocation } from './invocation.js';
import { runInCulprit, runNatively } from './run.js';
import { Sandbox } from './sandbox.js';

const BUILD_TIMEOUT = 300_000;
const TEST_TIMEOUT = 120_000;

async function check(invocation: Invocation): Promise<void> {
  const directory = new Sandbox();
  try {
    const { status, stdout, stderr } = await runNatively(invocation, directory);
    directory.prepare(invocation);
    const before = directory.contents();
    const ours = await runInCulprit(invocation, directory, { status, stdout, stderr, files: before, killedBySignal: false }, ['--sandbox']);
    expect({ status: ours.status, stdout: ours.stdout, stderr: ours.stderr }).toEqual({ status, stdout, stderr });
    expect(ours.files).toEqual(before);
  } finally {
    directory.dispose();
  }
}

describe('sandboxed', () => {
  beforeAll(ensureBuilt, BUILD_TIMEOUT);
  for (const invocation of FILES) test.skipIf(invocation.long === true)(invocation.name, () => check(invocation), TEST_TIMEOUT);
});
