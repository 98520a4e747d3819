/**
 * `culprit check` finds what is in the cases, where it is, and nothing else. The usual run takes few of each group of
 * rules; CULPRIT_LONG=1 takes all.
 */
import { describe, expect, it } from 'vitest';
import { markedPlaces, showPlace } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { complaints, placeOf, runCheck, sourceSteps } from './culpritCheck.js';
import { isMissed } from './missed.js';
import { PAPER_BUGS, paperCase } from './paper/paperBugs.js';
import { RULE_GROUPS } from './rules.js';
import { variantsOf } from './variants/generate.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
/** The compiler leaves out the store that keeps the ring. */
const NOT_CLEAN = /^indirect.leak\/ring\/.*\/optimised$/;
/** Every so many groups show a clean case in the usual run, too. */
const CLEAN_EVERY = 3;

/** Another flow for every group, so that all of them have their turn. */
function sample(group: number, cases: readonly BugCase[]): BugCase[] {
  const buggy = cases.filter((bugCase) => bugCase.buggy);
  const clean = cases.filter((bugCase) => !bugCase.buggy);
  const which = (group * 5) % buggy.length;
  return [buggy[which], group % CLEAN_EVERY === 0 ? clean[which] : undefined].filter((one) => one !== undefined);
}

describe('culprit check', () => {
  RULE_GROUPS.forEach(({ name }, i) => {
    const all = variantsOf(name).filter((bugCase) => !isMissed(bugCase.name) && !NOT_CLEAN.test(bugCase.name));
    it.each(LONG ? all : sample(i, all))('$name', async (bugCase) => {
      expect(complaints(bugCase, await runCheck(bugCase))).toEqual([]);
    });
  });
});

describe('bugs of the paper', () => {
  for (const bug of PAPER_BUGS) {
    const buggy = paperCase(bug, true);
    it.runIf(LONG || bug === PAPER_BUGS[0])(`finds and explains ${bug.program}`, async () => {
      const outcome = await runCheck(buggy);
      expect(complaints(buggy, outcome)).toEqual([]);
      const [report] = outcome.reports;
      if (report === undefined) return;
      expect([bug.rule, ...(bug.also ?? [])]).toContain(report.rule);
      const allocations = markedPlaces(buggy.sources, 'ALLOC').map(showPlace);
      if (allocations.length > 0 && report.block !== undefined) expect(allocations).toContain(report.block.allocated.stack.map((frame) => placeOf(frame, buggy)).find((place) => place !== ''));
      const steps = sourceSteps(report, buggy);
      for (const root of markedPlaces(buggy.sources, 'ROOT').map(showPlace)) expect(steps).toContain(root);
      expect(steps.length).toBeLessThanOrEqual(bug.mostSteps);
    });
    it.runIf(LONG)(`says nothing about ${bug.program} as it was repaired`, async () => {
      const clean = paperCase(bug, false);
      expect(complaints(clean, await runCheck(clean))).toEqual([]);
    });
  }
});
