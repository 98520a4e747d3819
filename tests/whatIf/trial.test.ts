/** Trials end as branches do, and cost little; comparisons say what differs. */
import { describe, expect, it } from 'vitest';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import type { BranchMaker } from '../../src/replay/branch/branchExecution.js';
import { applyAlterations } from '../../src/whatIf/apply.js';
import { compareRuns } from '../../src/whatIf/compareRuns.js';
import { comparisonLines } from '../../src/whatIf/comparisonText.js';
import { trial, type TrialResult } from '../../src/whatIf/trial.js';
import { alterationOf, edited, lineOf, recorded } from './altered.js';
import { sampled } from '../table/testTable.js';
import { CASES } from './cases.js';

const LIMIT = 10_000_000;

const shown = ({ end, start, time, stdout, stderr }: TrialResult): unknown => ({ end, start, time, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() });

describe('a trial', () => {
  it.each(sampled(CASES, 5).map((one) => [`${one.program}: ${one.alter.join(', ')}`, one] as const))('is as the branch: %s', async (_name, { program, alter }) => {
    const run = await recorded(program, 'O0');
    const alterations = alter.map((text) => alterationOf(program, text));
    const heavy: BranchMaker = { branchAt: (position, work) => run.maker.branchAt(position, work) };
    const light = shown(await trial(run, alterations, { limit: LIMIT }));
    const whatIf = { recording: run.recording, modules: run.modules, statements: run.statements, program: run.program, maker: heavy };
    expect(light).toEqual(shown(await trial(whatIf, alterations, { limit: LIMIT })));
  });

  it('says how it ended', async () => {
    const ends = async (program: 'threads' | 'control', text: string, limit = LIMIT): Promise<unknown> => (await trial(await recorded(program, 'O0'), [alterationOf(program, text)], { limit })).end;
    expect(await ends('threads', 'switch @abort')).toEqual({ kind: 'abort' });
    expect(await ends('control', 'switch @exit')).toEqual({ kind: 'killed', signal: 11 });
    expect(await ends('control', 'switch @if')).toEqual({ kind: 'exited', code: 3 });
    expect(await ends('control', 'switch @if', 1000)).toEqual({ kind: 'limit' });
  });
});

describe('a comparison', () => {
  it('says where runs part, what they wrote and left', async () => {
    const run = await recorded('stores', 'O0');
    const branch = await applyAlterations(run, [alterationOf('stores', 'suppress @global')]);
    const compared = await compareRuns({ execution: run.recording }, { execution: branch, before: run.recording }, run, new ValueEvaluator());
    expect(edited('stores', { global: '' }, 'O0').output).toContain('20 6 1 19');
    expect(compared.output).toEqual([{ stream: 'stdout', offset: 6, lines: ['20 6 18 19 5 1000 20 21', '20 6 1 19 5 1000 20 21'] }]);
    expect(compared.ends).toEqual(['exited with status 20', 'exited with status 20']);
    expect(compared.parting?.last?.line).toBe(lineOf('stores', 'global') - 1);
    expect(compared.parting?.next.map((one) => one?.line)).toEqual([lineOf('stores', 'global'), lineOf('stores', 'field')]);
    expect(compared.variables).toEqual([]);
    expect(comparisonLines(compared, ['the recording', 'the branch']).length).toBeGreaterThan(4);
    branch.drop();
  });

  it('has the variables that differ at the end', async () => {
    const run = await recorded('stores', 'O0');
    const branch = await applyAlterations(run, [alterationOf('stores', 'suppress @recursion'), alterationOf('stores', 'suppress @field')]);
    const { variables, ends } = await compareRuns({ execution: run.recording }, { execution: branch, before: run.recording }, run, new ValueEvaluator());
    expect(ends).toEqual(['exited with status 20', 'exited with status 0']);
    expect(variables.find(({ name }) => name === 'global')?.values).toEqual(['20', '0']);
    expect(variables.find(({ name }) => name === 'where')?.values[1]).toContain('y = 2');
    branch.drop();
  });
});
