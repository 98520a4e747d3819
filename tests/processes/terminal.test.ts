/** Job control of an interactive shell: what is to be seen on its terminal. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { ensureBuilt } from '../table/built.js';

const TYPIST = fileURLToPath(new URL('scripts/terminal.py', import.meta.url));
const SHELL = ['bash', '--norc', '--noprofile', '--noediting', '-i'];

beforeAll(() => ensureBuilt(), 300_000);

function transcript(command: readonly string[]): string {
  const { stdout, stderr } = spawnSync('/usr/bin/python3', [TYPIST, ...command], { encoding: 'latin1', env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } });
  // Process numbers, and messages that come when the prompt is there or is not yet.
  return (stdout + stderr).replace(/\[1\] \d+/g, '[1] N').replace(/[^\n]*\(core dumped\)/g, '').replace(/\r/g, '');
}

describe('a shell on a terminal', () => {
  // When the prompt comes, before or after what a job says, is a matter of time for native shells, too.
  it('stops, continues and ends its jobs as natively', { retry: 2, timeout: 300_000 }, () => {
    expect(transcript([process.execPath, CULPRIT, 'run', '--', ...SHELL])).toBe(transcript(SHELL));
  });
});
