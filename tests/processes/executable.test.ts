/**
 * /proc/self/exe is the file that runs, not the name that it had: who may not walk there, or comes too late, executes
 * it all the same.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';

const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] } as const;

beforeAll(() => ensureBuilt(), 300_000);

it.each(['closed', 'deleted', 'as it was'])('whose directory or file is %s', async (how) => {
  const program = await buildProgram('executesAgain.c', VARIANT);
  const [native, ours] = [[], [process.execPath, CULPRIT, 'run', '--']].map((prefix) => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-exe-'));
    const directory = join(folder, 'inside');
    // As a clone below a home directory has it.
    chmodSync(folder, 0o700);
    mkdirSync(directory);
    copyFileSync(program, join(directory, 'program'));
    const [command = '', ...args] = [...prefix, join(directory, 'program'), how, directory];
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    chmodSync(directory, 0o700);
    rmSync(folder, { recursive: true });
    return { status, stdout, stderr };
  });
  expect(ours).toEqual(native);
  expect(native).toEqual({ status: 0, stdout: 'again, as a program\n', stderr: '' });
}, 60_000);
