/** A check that runs through the library alone. */
import { expect, it } from 'vitest';
import { bytePathFromText, checkProgram, NodeHost, parseSuppressions, UserError } from '../../src/index.js';
import { at } from '../../src/replay/log/position.js';
import { lineOf } from '../checkCli/checked.js';
import { checked, placeOf, rules } from './checkedInMemory.js';

const LOOP = `heap.buffer.overflow main:${lineOf('several', 'LOOP')}`;
const THREAD = `heap.buffer.overflow clear:${lineOf('several', 'THREAD')}`;
const LEAK = `definite.leak leak:${lineOf('several', 'LEAK')}`;

it('finds what is wrong once for every place, with counts', async () => {
  const { reports, status, output, hasStopped } = await checked('several', { chosen: rules({ leaks: true }), keepsGoing: true });
  expect(reports.map(placeOf)).toEqual([LOOP, THREAD, LEAK]);
  expect(reports.map(({ alike }) => alike)).toEqual([{ count: 2, bytes: 0 }, { count: 0, bytes: 0 }, { count: 2, bytes: 600 }]);
  expect({ status, output, hasStopped }).toEqual({ status: { kind: 'exited', code: 3 }, output: 'done\n', hasStopped: false });
});

it('stops at the first, before it happens', async () => {
  const { reports, status, output, hasStopped } = await checked('several', { chosen: rules({ leaks: true }) });
  expect(reports.map(placeOf)).toEqual([LOOP]);
  expect({ status, output, hasStopped }).toMatchObject({ status: { kind: 'signaled', signal: 9 }, output: '', hasStopped: true });
});

it('leaves out what is suppressed, and stops at what is not', async () => {
  const suppressions = parseSuppressions('heap.*\nfun:main', 'known.txt');
  const { reports, suppressed } = await checked('several', { suppressions });
  expect(reports.map(placeOf)).toEqual([THREAD]);
  expect(suppressed).toBe(3);
  const none = await checked('several', { chosen: rules({ leaks: true }), suppressions: parseSuppressions('*', 'all.txt') });
  expect({ reports: none.reports, suppressed: none.suppressed, output: none.output }).toEqual({ reports: [], suppressed: 7, output: 'done\n' });
});

it('says how the bad value came to be, and opens a debugger there', async () => {
  const { reports: [report], open } = await checked('doubleFree');
  expect(report).toMatchObject({ rule: 'double.free', block: { size: 6, allocated: { by: 'malloc' }, freed: { by: 'free' } } });
  expect(report?.chains.map(({ of }) => of)).toEqual(['the pointer that is freed', 'the pointer of the first free']);
  expect(report?.chains[0]?.chain.links.map(({ line }) => line)).toContain(lineOf('doubleFree', 'ROOT'));
  const debug = await open();
  await debug.goTo(at(report!.time, 0));
  expect(debug.backtrace?.frames(5).map(({ functionName }) => functionName)).toContain('release');
});

it('needs no files: what it says then is what the program itself tells', async () => {
  const { reports } = await checked('several', { files: { read: () => undefined } });
  expect(reports.map(placeOf)).toEqual([LOOP]);
  expect(reports[0]?.excerpt).toBeUndefined();
});

it('can be given up while it looks back', async () => {
  await expect(checked('doubleFree', { work: { isCancelled: () => true } })).rejects.toThrow('cancelled');
});

it('throws a mistake of the user\'s', async () => {
  const request = { program: bytePathFromText('/no/such/program'), args: [], environment: [] };
  await expect(checkProgram(new NodeHost(), request, { chosen: rules() })).rejects.toThrow(UserError);
});
