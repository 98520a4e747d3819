/** Runs an invocation with --sandbox: it says what it says natively, and nothing has changed. */
import { expect } from 'vitest';
import type { Invocation } from './invocation.js';
import { runInCulprit, runNatively } from './run.js';
import { Sandbox } from './sandbox.js';

export async function checkSandboxed(invocation: Invocation): Promise<void> {
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
