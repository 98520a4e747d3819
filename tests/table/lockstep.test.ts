/**
 * Interpreter and compiled code in lockstep, with everything compiled that runs twice. To look at a program of your
 * choice:
 *   CULPRIT_LOCKSTEP='busybox sh script' npx vitest run tests/table/lockstep.test.ts
 * CULPRIT_INTERVAL says how many instructions lie between two comparisons, CULPRIT_HOT after how many executions code
 * is compiled.
 */
import { expect, test } from 'vitest';
import { lockstep } from './lockstep.js';

const CHOSEN = process.env['CULPRIT_LOCKSTEP'];
const COMMANDS = CHOSEN === undefined ? [['factor', '600851475143', '1000000007000000006'], ['bc', '-l', '/dev/null']] : [CHOSEN.split(' ')];
const OPTIONS = { interval: Number(process.env['CULPRIT_INTERVAL'] ?? 100_000), hotThreshold: Number(process.env['CULPRIT_HOT'] ?? 2) };

test.each(COMMANDS)('%s', async (...argv) => {
  expect(await lockstep(argv, OPTIONS)).toBe(null);
}, 600_000);
