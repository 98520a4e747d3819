/**
 * A layout that makes nothing crash, but shows that memory between variables was written to: who wrote there first
 * wrote beyond the variable before it. No definition has to be searched for.
 */
import { guestAddr } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { at } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import type { BlamedPlace } from '../blameReport.js';
import { placeOf, stackOf } from '../frames.js';
import { viewAt } from '../run.js';

/** A pattern that was written over, and behind which variable it was. */
export interface Broken {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** Undefined if no one is found who wrote there. */
export async function brokenBy({ recording, modules }: Debugger, broken: readonly Broken[], work?: Work): Promise<BlamedPlace | undefined> {
  await recording.seek(at(recording.start.time), work);
  const ranges = broken.map(({ begin, end }) => memoryRange(guestAddr(begin), end - begin));
  let first: Hit | undefined;
  await recording.each([{ kind: 'memory', access: 'write', ranges }], (hit) => {
    // Before the first instruction it is the pattern that is put there.
    if (hit.position.time === 0 || hit.access === undefined) return 'go on';
    first = hit;
    return 'stop';
  }, undefined, undefined, work);
  const access = first?.access;
  const view = first === undefined ? undefined : await viewAt({ execution: recording, modules }, first.position, first.task, work);
  if (first === undefined || access === undefined || view === undefined) return undefined;
  const behind = broken.find(({ begin, end }) => access.address < end && begin < access.address + access.bytes);
  return {
    ...placeOf(view), by: ['reordering'], what: `writes to ${behind?.name ?? 'memory between variables'}, where nothing was put`, rule: undefined,
    time: first.position.time, stack: stackOf(view), memory: undefined,
  };
}
