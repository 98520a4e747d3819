/**
 * Interpreter and compiled code in lockstep, with everything compiled that runs twice. To look at a program of your choice:
 *   CULPRIT_LOCKSTEP='busybox sh script' npx vitest run tests/table/lockstep.test.ts
 * CULPRIT_INTERVAL says how many instructions lie between two comparisons, CULPRIT_HOT after how many executions code is compiled.
 */
import { expect, test } from 'vitest';
import { lockstep } from './lockstep.js';

const CHOSEN = process.env['CULPRIT_LOCKSTEP'];
// Not a program that closes its standard output: both guests have that of this process.
const COMMANDS = CHOSEN === undefined ? [['demo/hello']] : [CHOSEN.split(' ')];
const OPTIONS = { interval: Number(process.env['CULPRIT_INTERVAL'] ?? 100_000), hotThreshold: Number(process.env['CULPRIT_HOT'] ?? 20) };

test.each(COMMANDS)('%s', async (...argv) => {
  expect(await lockstep(argv, OPTIONS)).toBe(null);
}, 600_000);
