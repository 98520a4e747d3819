/**
 * Side by side with valgrind and the sanitizers (oracles.json): everything that either of them reports of a case, we
 * report, at the same line. Exceptions (missed.ts) have reasons, and are complained about when they are needed no more.
 * The usual run takes a few cases; CULPRIT_LONG=1 takes all.
 */
import { describe, expect, it } from 'vitest';
import { allCases } from './allCases.js';
import type { BugCase } from './bugCase.js';
import { lineElsewhere, missedReports, rulesFor } from './comparison.js';
import { linesToCome } from './linesToCome.js';
import { MISSED, isMissed } from './missed.js';
import { runCheck } from './culpritCheck.js';
import { type Opinion, readOpinions } from './verdicts.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const IN_USUAL_RUN = 3;

interface Compared {
  readonly name: string;
  readonly bugCase: BugCase;
  readonly opinion: Opinion;
}

const OPINIONS = readOpinions();
const COMPARED = allCases().flatMap((bugCase): Compared[] => {
  const opinion = OPINIONS[bugCase.name];
  return opinion === undefined || opinion.valgrind.length + opinion.sanitizers.length === 0 ? [] : [{ name: bugCase.name, bugCase, opinion }];
});
const USUAL = COMPARED.filter(({ name }) => !isMissed(name));

/**
 * Most oracles go on after the first report. What they say of lines that are still to come when we stop at the bug
 * comes from it; of others we have to say it, too, if we go on.
 */
async function missed({ bugCase, opinion }: Compared): Promise<string[]> {
  const atFirst = missedReports(bugCase, opinion, (await runCheck(bugCase)).reports);
  const elsewhere = atFirst.flatMap((report) => lineElsewhere(report, bugCase) ?? []);
  const later: ReadonlySet<string | undefined> = elsewhere.length === 0 ? new Set() : await linesToCome(bugCase, elsewhere);
  const left = atFirst.filter((report) => !later.has(lineElsewhere(report, bugCase)));
  if (left.length === 0) return [];
  const inTheEnd = missedReports(bugCase, opinion, (await runCheck(bugCase, ['--keep-going'])).reports);
  return left.filter((report) => inTheEnd.includes(report));
}

/** Far apart, so that they are of different groups. */
function few<T>(all: readonly T[], count: number): T[] {
  return all.filter((_, i) => i % Math.ceil(all.length / count) === 0);
}

describe('valgrind and the sanitizers', () => {
  it('say nothing that we have no word for', () => {
    const kinds = COMPARED.flatMap(({ opinion }) => [...opinion.valgrind, ...opinion.sanitizers]).map((report) => report.split(' @ ')[0] ?? '');
    expect([...new Set(kinds)].filter((kind) => rulesFor(kind) === undefined)).toEqual([]);
  });

  it.each(LONG ? USUAL : few(USUAL, IN_USUAL_RUN))('report nothing that we miss: $name', async (compared) => {
    expect(await missed(compared)).toEqual([]);
  });

  it.runIf(LONG).each(COMPARED.filter(({ name }) => isMissed(name)))('report what we do not: $name', async (compared) => {
    expect(await missed(compared)).not.toEqual([]);
  });

  it('are excepted for cases that exist only', () => {
    const all = allCases();
    expect(MISSED.filter(({ cases }) => !all.some(({ name }) => cases.test(name)))).toEqual([]);
  });
});
