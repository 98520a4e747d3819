/** Programs get the stack that `ulimit -s` grants, be it without a limit, by whichever command. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { USUAL, type Variant } from '../programs/variants.js';
import { CULPRIT } from './culprit.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-stack-'));
afterAll(() => rmSync(directory, { recursive: true }));
const recording = join(directory, 'deep.culprit');

let program = '';
beforeAll(async () => {
  program = await buildProgram('deepStack.c', USUAL[0] as Variant);
}, 60_000);

function limited(kilobytes: string, ...command: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', `ulimit -S -s ${kilobytes} && exec "$@"`, 'sh', ...command], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('ulimit -s unlimited', () => {
  it.each([['run'], ['record', '-o', recording], ['check']])('%s', (...command) => {
    const native = limited('unlimited', program, '20000');
    expect(native.status).toBe(0);
    expect(limited('unlimited', process.execPath, CULPRIT, ...command, program, '20000')).toEqual(native);
    if (command[0] === 'record') expect(limited('8192', process.execPath, CULPRIT, 'replay', recording)).toEqual(native);
  });

  it('grants a stack of hundreds of megabytes', () => {
    expect(limited('unlimited', process.execPath, CULPRIT, 'run', program, '300000').stdout).toBe('unlimited: 100 and 300000\n');
  });
});

it('a program may lift the limit for the one that it executes', () => {
  const native = limited('8192', program, '10', '20000');
  expect(native).toMatchObject({ status: 0, stdout: 'limited: 100 and 10\nunlimited: 100 and 20000\n' });
  expect(limited('8192', process.execPath, CULPRIT, 'run', program, '10', '20000')).toEqual(native);
});
