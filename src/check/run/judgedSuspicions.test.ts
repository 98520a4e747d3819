import { describe, expect, it } from 'vitest';
import { RuleSwitches } from '../ruleSwitches.js';
import type { Judgement } from '../suspicions/judge.js';
import { choicesOf, frame, madeFinding, suppressing } from '../testing/madeFindings.js';
import type { Choices } from './choices.js';
import { distinctOf } from './judgedSuspicions.js';

interface Judged {
  readonly rules: string[];
  readonly counts: number[];
  readonly suppressed: number;
  /** Judgements that were asked for. */
  readonly asked: number;
}

/** Judgements of returns at these lines, one at each time: 1, 2, ... */
async function judged(lines: readonly number[], choices: Choices, rule = 'ret.changed'): Promise<Judged> {
  let asked = 0;
  async function* judgements(): AsyncGenerator<Judgement> {
    for (const [i, line] of lines.entries()) {
      asked++;
      yield { finding: madeFinding(rule, { time: i + 1, occurrence: { kind: 'ret', callee: '', value: 0n } }), stack: [frame('main', line)] };
    }
  }
  const { all, suppressed } = await distinctOf(judgements(), choices);
  return { rules: all.map(({ finding }) => finding.firing.rule), counts: all.map(({ again }) => again), suppressed, asked };
}

const ON = choicesOf(['ret.changed']);

describe('what was wrong of all that looked strange', () => {
  it('is told once for every place', async () => {
    expect(await judged([7, 7, 8, 7], ON)).toMatchObject({ counts: [2, 0], suppressed: 0, asked: 4 });
  });

  it('is the first only, unless the check goes on: the rest is not judged', async () => {
    expect(await judged([7, 8, 9], { ...ON, keepsGoing: false })).toMatchObject({ counts: [0], asked: 1 });
  });

  it('is what is not suppressed: that does not end it', async () => {
    const suppressions = suppressing('ret.*\nsrc:main.c:7');
    expect(await judged([7, 7, 8, 9], { ...ON, suppressions, keepsGoing: false })).toMatchObject({ counts: [0], suppressed: 2, asked: 3 });
  });

  it('is wrong only while its rule is on', async () => {
    const switches = (): RuleSwitches => new RuleSwitches(['ret.changed'], new Set(), [{ when: 3, changes: [{ pattern: 'ret.*', on: true }] }]);
    expect(await judged([7, 8, 9, 10], { ...ON, switches: switches() })).toMatchObject({ counts: [0, 0], asked: 4 });
    expect(await judged([7, 8], { ...ON, switches: switches() })).toMatchObject({ counts: [], suppressed: 0 });
  });
});
