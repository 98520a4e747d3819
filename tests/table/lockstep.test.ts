/**
 * Interpreter and compiled code in lockstep. To look at a program of your choice:
 *   CULPRIT_LOCKSTEP='busybox sh script' npx vitest run tests/table/lockstep.test.ts
 */
import { expect, test } from 'vitest';
import { lockstep } from './lockstep.js';

const CHOSEN = process.env['CULPRIT_LOCKSTEP'];
const INTERVAL = Number(process.env['CULPRIT_INTERVAL'] ?? 100_000);

const COMMANDS = CHOSEN === undefined ? [['factor', '600851475143', '1000000007000000006'], ['bc', '-l', '/dev/null']] : [CHOSEN.split(' ')];

test.each(COMMANDS)('%s', async (...argv) => {
  expect(await lockstep(argv, { interval: INTERVAL })).toBe(null);
}, 600_000);
