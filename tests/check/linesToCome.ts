/**
 * Which lines a program had not come to when we stopped it at its bug, or had come to and not left: what an oracle,
 * which lets it go on, finds wrong there comes after the bug, and from it. What it finds at a line that was done with
 * before is another bug.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { culprit } from '../cli/culprit.js';
import type { BugCase } from './bugCase.js';
import { type BugReport, isAtBug, placeOf, runCheck } from './culpritCheck.js';

/** Of `places`; none if we did not stop at the bug. */
export async function linesToCome(bugCase: BugCase, places: readonly string[]): Promise<ReadonlySet<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-lines-'));
  const recording = join(folder, 'bug.culprit');
  try {
    const { reports } = await runCheck(bugCase, ['--record', recording]);
    const [last] = reports;
    if (last === undefined || reports.length > 1 || !isAtBug(last, bugCase)) return new Set();
    return new Set(places.filter((place) => isBeingExecuted(last, bugCase, place) || !wasExecuted(recording, place)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isBeingExecuted({ stack }: BugReport, bugCase: BugCase, place: string): boolean {
  return stack.some((frame) => placeOf(frame, bugCase) === place);
}

function wasExecuted(recording: string, place: string): boolean {
  const { stdout, stderr } = culprit(['debug', '-q', '-batch', '-ex', 'handle all nostop noprint pass', '-ex', `break ${place}`, '-ex', 'reverse-continue', recording]);
  const isHit = stdout.includes('Breakpoint 1, ');
  if (!isHit && !stdout.includes('No more reverse-execution history')) throw new Error(`who knows whether ${place} was executed: ${stdout}${stderr}`);
  return isHit;
}
