/**
 * Programs that walk global rows in all ways say the same under `culprit check` as natively, and nothing is reported:
 * however little can be told of what a pointer is meant for.
 */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import type { BugCase } from './bugCase.js';
import { buildCase } from './buildCase.js';
import { walkingProgram } from './globalWalks.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const SEED = Number(process.env['CULPRIT_SEED'] ?? '7');
const PROGRAMS = LONG ? 300 : 5;
/** Programs for both kinds of addresses, and for a shared library's code. */
const FLAGS: readonly (readonly string[])[] = [[], ['-no-pie'], ['-no-pie', '-fno-pie'], ['-fPIC'], ['-fno-builtin', '-fdata-sections']];

it('walks over globals are what they are natively', async () => {
  await fc.assert(
    fc.asyncProperty(walkingProgram, fc.constantFrom(...FLAGS), async (text, flags) => {
      const path = await buildCase({ name: 'walks', rule: '', buggy: false, sources: [{ name: 'main.c', text }], flags } as BugCase);
      const { status, stdout, stderr } = culprit(['check', '--timeout', '60', path]);
      expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: execFileSync(path, { encoding: 'utf8' }) });
    }),
    { numRuns: PROGRAMS, seed: SEED, endOnFailure: true },
  );
}, LONG ? 7_200_000 : 300_000);
