import { describe, expect, it } from 'vitest';
import type { Block } from '../heap/blocks.js';
import type { ReportedFrame } from '../report/frames.js';
import { called, frame, madeFinding, madeLeak, suppressing } from '../testing/madeFindings.js';
import { leaksByPlace, makeReports, withoutConsequences } from './reports.js';

const counted = (finding: ReturnType<typeof madeFinding>): { finding: typeof finding; again: number } => ({ finding, again: 0 });

describe('leaks', () => {
  const LINES: Readonly<Record<number, number>> = { 1: 7, 2: 8, 3: 7, 4: 8 };
  const asked: number[] = [];
  const stackOf = async ({ allocated: { time } }: Block): Promise<readonly ReportedFrame[]> => {
    asked.push(time);
    return [called('malloc'), frame('main', LINES[time] ?? 0)];
  };
  const leaks = [madeLeak('leak', 10, 4), madeLeak('leak', 100, 3), madeLeak('leak', 1, 2), madeLeak('leak', 5, 1)].map(counted);

  it('are put together by where they were allocated, the largest first, and looked up in the order of time', async () => {
    const { kept, suppressed } = await leaksByPlace(leaks, [], stackOf);
    expect(kept.map((place) => place.map(({ finding }) => finding.block?.size))).toEqual([[5, 100], [1, 10]]);
    expect([suppressed, asked]).toEqual([0, [1, 2, 3, 4]]);
  });

  it('of several rules are several', async () => {
    const { kept } = await leaksByPlace([madeLeak('one', 1, 1), madeLeak('other', 1, 1)].map(counted), [], stackOf);
    expect(kept.length).toBe(2);
  });

  it('are suppressed by who allocated them', async () => {
    const { kept, suppressed } = await leaksByPlace(leaks, suppressing('leak\nfun:malloc\nsrc:main.c:7'), stackOf);
    expect([kept.length, suppressed]).toEqual([1, 2]);
  });
});

describe('a crash', () => {
  const crash = (time: number, tid = 1): ReturnType<typeof counted> =>
    counted(madeFinding('crash.segv', { crash: { signal: 11 } as never, moment: { time, tid, pid: 1, by: '' } }));
  const cause = counted(madeFinding('a', { time: 100 }));

  it('right after a finding of the same thread is what came of it', () => {
    expect(withoutConsequences([cause, crash(100)])).toEqual([cause]);
    expect(withoutConsequences([cause, crash(101)])).toEqual([cause]);
  });

  it('of another thread, or later, is told', () => {
    for (const other of [crash(102), crash(100, 2), crash(99)]) expect(withoutConsequences([cause, other])).toEqual([cause, other]);
  });

  it('is no reason for another', () => {
    const both = [crash(100), crash(101)];
    expect(withoutConsequences(both)).toEqual(both);
  });
});

it('no recording is opened if nothing was found', async () => {
  const run = { hasAnything: false, suppressed: 3, findings: async () => [] };
  const open = async (): Promise<never> => { throw new Error('not needed'); };
  expect(await makeReports(run, open, [])).toEqual({ reports: [], suppressed: 3 });
});
