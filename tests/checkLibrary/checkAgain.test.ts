/** Runs of the past, reported on once more by other choices, through the library alone. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  checkAgain, Debugger, DEFAULT_ENGINE_OPTIONS, NODE_FILES, openRecording, openRecordingFile, packFindings, parseSuppressions, type StoredFindings, Timeline, unpackFindings, ValueEvaluator,
} from '../../src/index.js';
import { compiled, inFolder, lineOf } from '../checkCli/checked.js';
import { checked, placeOf, rules } from './checkedInMemory.js';

const LOOP = `heap.buffer.overflow main:${lineOf('several', 'LOOP')}`;
const THREAD = `heap.buffer.overflow clear:${lineOf('several', 'THREAD')}`;

it('a run in memory says the same again, and less by other choices', async () => {
  const run = await checked('several', { chosen: rules({ leaks: true }), keepsGoing: true });
  const findings = unpackFindings(packFindings(run.findings)) as StoredFindings;
  const debug = await run.open();
  const same = await checkAgain(debug, findings, { chosen: rules({ leaks: true }), keepsGoing: true });
  expect(same).toEqual({ reports: run.reports, suppressed: 0, unasked: { rules: [], suppressions: [] } });
  const first = await checkAgain(debug, findings, { chosen: rules() });
  expect(first.reports.map(placeOf)).toEqual([LOOP]);
  const late = await checkAgain(debug, findings, { chosen: rules({ switch: ['0=-all', `${run.reports[1]!.time}=+heap.*`] }) });
  expect(late.reports.map(placeOf)).toEqual([THREAD]);
  const suppressed = await checkAgain(debug, findings, { chosen: rules(), suppressions: parseSuppressions('*\nfun:main', 'known.txt'), keepsGoing: true });
  expect([suppressed.reports.map(placeOf), suppressed.suppressed]).toEqual([[THREAD], 3]);
});

it('says what was not asked when the program ran', async () => {
  const run = await checked('doubleFree', { chosen: rules({ disable: ['all'], enable: ['double.free'] }) });
  const suppressions = parseSuppressions('double.free\nalloc:copy', 'known.txt');
  const { reports, unasked } = await checkAgain(await run.open(), run.findings, { chosen: rules({ disable: ['all'], enable: ['double.free', 'unmatched.free'] }), suppressions });
  expect(reports.map(({ rule }) => rule)).toEqual(['double.free']);
  expect({ rules: unasked.rules, suppressions: unasked.suppressions.map(({ place }) => place) }).toEqual({ rules: ['unmatched.free'], suppressions: ['known.txt:1'] });
});

it('a file that the command has made is judged again', async () => {
  const { reader, debug } = await inFolder(async ({ check, path }) => {
    const { status } = check('--keep-going', '--record', 'run.culprit', compiled('several'));
    expect(status).toBe(99);
    const opened = openRecordingFile(join(path, 'run.culprit'));
    const recording = openRecording(opened.reader, 'run.culprit');
    const timeline = new Timeline({ ...recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: recording.header.startSeconds });
    return { reader: opened.reader, debug: await Debugger.open(timeline, { files: NODE_FILES, evaluator: new ValueEvaluator() }) };
  });
  const findings = unpackFindings(reader.found() ?? {}) as StoredFindings;
  const { reports } = await checkAgain(debug, findings, { chosen: rules(), keepsGoing: true });
  expect(reports.map(placeOf)).toEqual([LOOP, THREAD]);
  expect(reports[0]?.chains[0]?.chain.links.length).toBeGreaterThan(0);
});
