import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadRulesOrThrow } from '../../rules/language/load.js';
import { chosenRules } from '../chosenRules.js';
import type { Finding } from '../findings.js';
import { RuleSwitches } from '../ruleSwitches.js';
import { choicesOf, frame, madeFinding, madeLeak, suppressing } from '../testing/madeFindings.js';
import type { Choices } from './choices.js';
import { findingsAgain, RecheckedRun } from './recheckedRun.js';

const BOTH = choicesOf(['a', 'b', 'leak']);

/** Findings as `rule@line`, and how far the run would have come. */
async function again(findings: readonly (readonly Finding[])[], choices: Choices, endTime = 1000): Promise<{ found: string[]; until: number; suppressed: number }> {
  const lines = new Map(findings.flat().map((finding, i) => [finding, i + 1]));
  const stackAt = async (finding: Finding): Promise<ReturnType<typeof frame>[]> => [frame('main', lines.get(finding) ?? 0)];
  const { found, until } = await findingsAgain(findings, choices, endTime, stackAt);
  return { found: found.all.map(({ finding }) => `${finding.firing.rule}@${finding.moment.time}`), until, suppressed: found.suppressed };
}

function withSwitches(initially: readonly string[], ...switches: ConstructorParameters<typeof RuleSwitches>[2] & object[]): Choices {
  return { ...BOTH, switches: new RuleSwitches(['a', 'b'], new Set(initially), switches) };
}

const PAIR = [[madeFinding('a', { time: 10 }), madeFinding('b', { time: 10 })], [madeFinding('b', { time: 20 })]];

describe('a run of the past', () => {
  it('says what the first rule said at each time', async () => {
    expect(await again(PAIR, BOTH)).toEqual({ found: ['a@10', 'b@20'], until: 1000, suppressed: 0 });
  });

  it('says what another rule said where the first is off now', async () => {
    expect(await again(PAIR, withSwitches(['b']))).toMatchObject({ found: ['b@10', 'b@20'] });
    expect(await again(PAIR, withSwitches([], { when: 15, changes: [{ pattern: 'b', on: true }] }))).toMatchObject({ found: ['b@20'] });
  });

  it('would have ended at its first finding', async () => {
    expect(await again(PAIR, { ...BOTH, keepsGoing: false })).toEqual({ found: ['a@10'], until: 10, suppressed: 0 });
    expect(await again(PAIR, { ...BOTH, keepsGoing: false, suppressions: suppressing('a') })).toEqual({ found: ['b@20'], until: 20, suppressed: 1 });
  });

  it('ends where its recording does', async () => {
    expect(await again(PAIR, BOTH, 15)).toMatchObject({ found: ['a@10'], until: 15 });
  });

  it('knows of a return when it has happened', async () => {
    const ret = [[madeFinding('a', { time: 10, occurrence: { kind: 'ret', callee: 'f', value: 0n } })]];
    const from = (when: number): Choices => withSwitches([], { when, changes: [{ pattern: 'a', on: true }] });
    expect((await again(ret, from(11))).found).toEqual(['a@10']);
    expect((await again(ret, from(12))).found).toEqual([]);
  });

  it('has crashed, whatever rules are on', async () => {
    const crash = [[madeFinding('crash.fpe', { time: 10, crash: { signal: 8 } as never })]];
    expect((await again(crash, withSwitches([]))).found).toEqual(['crash.fpe@10']);
  });

  it('has its leaks, each for itself', async () => {
    const leaks = [[madeLeak('leak', 10, 1)], [madeLeak('leak', 10, 1)]];
    expect((await again(leaks, { ...BOTH, keepsGoing: false })).found).toEqual(['leak@1000', 'leak@1000']);
  });
});

it('what was not asked then is told', () => {
  const all = loadRulesOrThrow(['rules/all.bug'], (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
  const { rules } = chosenRules(all, { disable: ['all'], enable: ['double.free', 'unmatched.free'] });
  const stored = { rules: ['double.free'], allocatingCalls: ['make'], findings: [], suspicions: [], isCut: false };
  const suppressions = suppressing('*\nalloc:make\n\n*\nalloc:other\n\ndouble.free');
  const { unasked, hasAnything } = new RecheckedRun(stored, rules, choicesOf([], { suppressions }));
  expect([hasAnything, unasked.rules, unasked.suppressions.map(({ place }) => place)]).toEqual([false, ['unmatched.free'], ['known.txt:4']]);
});
