import { describe, expect, it } from 'vitest';
import { called, choicesOf, frame, madeFinding, madeLeak, suppressing } from '../testing/madeFindings.js';
import { CheckedRun, decision } from './checkedRun.js';
import { DistinctFindings } from './distinctFindings.js';

const MAIN = [called('memset'), frame('main', 7)];
const STOPS = false;
const GOES_ON = true;

describe('a program', () => {
  it('is stopped by the first finding', () => {
    expect(decision(madeFinding('a'), new DistinctFindings([]), STOPS, () => MAIN)).toBe('stop');
  });

  it('goes on if the user wants that', () => {
    const found = new DistinctFindings([]);
    for (let i = 0; i < 3; i++) expect(decision(madeFinding('a'), found, GOES_ON, () => MAIN)).toBe('go on');
    expect(found.all).toMatchObject([{ again: 2 }]);
  });

  it('goes on after what is suppressed, and is stopped by what is not', () => {
    const found = new DistinctFindings(suppressing('a\nfun:memset'));
    expect(decision(madeFinding('a'), found, STOPS, () => MAIN)).toBe('go on');
    expect(decision(madeFinding('b'), found, STOPS, () => MAIN)).toBe('stop');
    expect(found.suppressed).toBe(1);
  });

  it('is not unwound for what is suppressed without a stack', () => {
    const found = new DistinctFindings(suppressing('a'));
    const stack = (): never => { throw new Error('there is no need to'); };
    expect(decision(madeFinding('a'), found, STOPS, stack)).toBe('go on');
    expect(() => decision(madeFinding('b'), found, STOPS, stack)).toThrow('no need');
  });

  it('that crashes ends by itself', () => {
    const found = new DistinctFindings([]);
    const crash = madeFinding('crash.segv', { crash: { signal: 11 } as never });
    expect(decision(crash, found, STOPS, () => MAIN)).toBe('go on');
    expect(found.all.length).toBe(1);
  });

  it('has ended when leaks are found', () => {
    const found = new DistinctFindings(suppressing('*'));
    expect(decision(madeLeak('leak', 10, 1), found, STOPS, () => MAIN)).toBe('go on');
    expect(found.all.length).toBe(1);
  });
});

it('a run in which nothing was found has nothing to report, and keeps that', () => {
  const run = new CheckedRun({ rules: [], ...choicesOf([]), keepsAll: true });
  expect([run.hasAnything, run.suppressed, run.hasStopped]).toEqual([false, 0, false]);
  expect(run.stored()).toEqual({ rules: [], allocatingCalls: [], findings: [], suspicions: [], isCut: false });
});

it('the interceptor\'s firings are kept only if they are wanted, and no more of them than ten thousand', () => {
  expect(new CheckedRun({ rules: [], ...choicesOf([]) }).interceptor.onFirings).toBeUndefined();
  const run = new CheckedRun({ rules: [], ...choicesOf([]), keepsAll: true });
  for (let i = 0; i < 10_001; i++) run.interceptor.onFirings?.([madeFinding('a', { time: i })]);
  expect(run.stored()).toMatchObject({ isCut: true });
  expect(run.stored().findings.length).toBe(10_000);
});
