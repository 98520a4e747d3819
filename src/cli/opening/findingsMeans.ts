/**
 * Findings of recorded runs, with and without alterations, for `compare -findings`: the recorded program is run once
 * more under the shipped rules. Where an alteration takes effect in a checked run is looked for in the checked run
 * before it, which is the same up to there: so each alteration that has a place of its own in time takes a run.
 */
import { chosenRules } from '../../check/chosenRules.js';
import { type CheckedRecording, checkRecording, type RecordedProgram, type TimedDeeds } from '../../check/program/checkRecording.js';
import type { Report, ReportedFrame } from '../../check/report/report.js';
import { parseSuppressions } from '../../check/report/suppressions.js';
import { placeKey } from '../../check/run/distinctFindings.js';
import { NodeHost } from '../../host/nodeHost.js';
import { whatIfOf } from '../../probe/probe.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Alteration } from '../../whatIf/alteration.js';
import { beginningOf } from '../../whatIf/apply.js';
import type { FindingsOf, RunFinding, RunFindings } from '../../whatIf/findings.js';
import type { Strike } from '../../whatIf/strike.js';
import { shippedRules, shippedSuppressionFile } from '../arguments/shippedRules.js';
import { readTextFile } from '../arguments/textFile.js';
import { prebuiltCore } from '../stores/prebuilt.js';
import { NODE_FILES } from './nodeFiles.js';

/** As it was recorded, the program is checked once only. */
export function findingsMeans(recording: RecordedProgram): FindingsOf {
  let plain: CheckedRecording | undefined;
  return async (alterations, work) => {
    plain ??= await checked(recording, [], work);
    return findingsOf(alterations.length === 0 ? plain : await checkedAltered(recording, plain, alterations, work));
  };
}

async function checked(recording: RecordedProgram, deeds: readonly TimedDeeds[], work: Work | undefined): Promise<CheckedRecording> {
  const file = shippedSuppressionFile();
  return checkRecording(recording, { host: new NodeHost(), files: NODE_FILES, chosen: chosenRules(shippedRules()), suppressions: parseSuppressions(readTextFile(file), file), keepsGoing: true, engine: { coreModule: prebuiltCore() }, deeds, work });
}

async function checkedAltered(recording: RecordedProgram, plain: CheckedRecording, alterations: readonly Alteration[], work: Work | undefined): Promise<CheckedRecording> {
  const deeds: TimedDeeds[] = [];
  let run = plain;
  for (let left = alterations; left.length > 0; ) {
    const debug = await run.open(work);
    await debug.goToEnd(work);
    const { start: { time }, writes, first, later } = await beginningOf(whatIfOf(debug), left, { work });
    deeds.push({ time, deeds: writes }, ...(first === undefined ? [] : deedsOf(first)));
    run = await checked(recording, deeds, work);
    if (first?.until !== undefined) {
      deeds.push(...(await undoing(run, first, work)));
      run = await checked(recording, deeds, work);
    }
    left = later.map(({ alteration }) => alteration);
  }
  return run;
}

function deedsOf({ position: { time }, deeds, after }: Strike): TimedDeeds[] {
  return [{ time, deeds }, ...(after === undefined ? [] : [{ time: time + 1, deeds: after }])];
}

/** What ends when control comes there again. */
async function undoing(run: CheckedRecording, { position, thread, until }: Strike, work: Work | undefined): Promise<TimedDeeds[]> {
  const { execution } = await run.open(work);
  await execution.seek(position, work);
  const hit = await execution.forward([{ kind: 'address', addresses: until?.addresses ?? [] }], work, { accepts: ({ task }) => task === thread });
  return hit === undefined ? [] : [{ time: hit.position.time, deeds: until?.deeds ?? [] }];
}

function findingsOf({ reports, remarks }: CheckedRecording): RunFindings {
  return { findings: reports.map(findingOf), remarks };
}

function findingOf({ rule, message, stack, block }: Report): RunFinding {
  const frames = stack.length > 0 ? stack : (block?.allocated.stack ?? []);
  const frame = frames.find(({ isUsers, line }) => isUsers && line > 0) ?? frames[0];
  return { rule, message, place: frame === undefined ? '' : placeOf(frame), key: `${rule} ${placeKey(frames)}` };
}

function placeOf({ function: name, file, line }: ReportedFrame): string {
  const where = file === undefined || line === 0 ? '' : `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
  return [name, where].filter((part) => part !== undefined && part !== '').join(' at ');
}
