/** Critical conditions of programs in which they are known, and each attempt against the program altered by hand. */
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/probe/failure.js';
import { candidateText, probeList } from '../../src/probe/probeText.js';
import type { Tried } from '../../src/probe/probe.js';
import { LONG } from '../table/testTable.js';
import { judged, lineOf, named, probed, SIGNALS } from './probed.js';

interface Case {
  readonly name: string;
  readonly program: string;
  readonly level?: string;
  readonly failure?: Failure;
  readonly critical: readonly string[];
}

const SECOND_NEGATIVE = 'switch @negative#2';

const CASES: readonly Case[] = [
  { name: 'a null pointer that is guarded wrong', program: 'guard', critical: ['suppress @show#1', 'switch @guard#1', 'switch @key#2', 'switch @key#1'] },
  { name: 'a null pointer, optimised', program: 'guard', level: 'O2', critical: ['suppress @show#1', 'switch @guard#1', 'switch @key#2', 'switch @loop#2', 'switch @key#1', 'switch @loop#1'] },
  { name: 'an assertion', program: 'assertion', critical: ['suppress @assert#1', 'switch @assert#1', 'suppress @check#1'] },
  { name: 'a loop that goes too far', program: 'bound', critical: ['suppress @share#1', 'switch @empty#1', 'switch @loop#5', 'switch @loop#4', 'switch @loop#3', 'switch @loop#2', 'switch @loop#1'] },
  { name: 'a wrong exit status', program: 'status', critical: ['switch @errors#1', SECOND_NEGATIVE, 'switch @loop#2', 'switch @loop#1'] },
  { name: 'a wrong status of an optimised exit', program: 'status', level: 'O2', critical: ['switch @errors#1', SECOND_NEGATIVE] },
  { name: 'one exit status', program: 'status', failure: { kind: 'exit', status: 3 }, critical: ['switch @errors#1', SECOND_NEGATIVE, 'switch @loop#2', 'switch @loop#1'] },
  { name: 'text in the output', program: 'status', failure: { kind: 'output', text: '1 errors' }, critical: ['suppress @print#1', 'switch @errors#1', SECOND_NEGATIVE, 'switch @loop#2', 'switch @loop#1'] },
  { name: 'text that is written at the end', program: 'status', failure: { kind: 'output', text: 'eleven' }, critical: ['switch @total#1', 'switch @negative#3', 'switch @loop#3', 'switch @loop#2', 'switch @negative#1', 'switch @loop#1'] },
  { name: 'an expression', program: 'status', failure: { kind: 'holds', expression: 'errors == 1', place: '@total' }, critical: ['switch @negative#3', SECOND_NEGATIVE, 'switch @loop#2', 'switch @negative#1', 'switch @loop#1'] },
  { name: 'an expression, one time', program: 'status', failure: { kind: 'holds', expression: 'value == 7', place: '@negative#3' }, critical: ['suppress @add#3', 'switch @loop#3', 'switch @loop#2', 'switch @loop#1'] },
  { name: 'a switch statement', program: 'orders', critical: ['switch @order#3', 'suppress @carry#1', 'switch @kind#1', 'switch @two#1', 'switch @order#1', 'switch @loop#1'] },
];

const isLong = ({ name }: Case): boolean => /optimised exit|one exit|goes too far/.test(name);

describe('what a failure needed', () => {
  it.each(CASES.filter((one) => LONG || !isLong(one)).map((one) => [one.name, one] as const))('%s', async (_name, { program, level = 'O0', failure, critical }) => {
    const result = await probed(program, level, { failure: failure?.kind === 'holds' ? { ...failure, place: named(program, [failure.place])[0] as string } : failure });
    expect(probeList(result)).toEqual(named(program, critical));
  });
});

function seen({ outcome }: Tried): number | string | undefined {
  const end = 'end' in outcome ? outcome.end : undefined;
  if (end?.kind === 'exited') return end.code;
  if (end?.kind === 'abort') return 'SIGABRT';
  return end?.kind === 'killed' ? Object.entries(SIGNALS).find(([, number]) => number === end.signal)?.[0] : end?.kind;
}

describe('each attempt', () => {
  it.each(['guard', 'assertion', 'status', 'orders', ...(LONG ? ['bound'] : [])])('ends as %s altered by hand does', async (program) => {
    const { tried } = await probed(program, 'O0');
    const hidden = program === 'assertion' ? lineOf(program, 'assert') : 0;
    const counted = tried.filter(({ line }) => line !== hidden);
    expect(counted.length).toBeGreaterThan(3);
    for (const one of counted) expect([candidateText(one), seen(one)]).toEqual([candidateText(one), judged(program, one.line, one.alteration.which as number, one.alteration.to)]);
  });
});
