/**
 * A run without what was left out before and something more. What is left out takes no time, so that points after a new
 * one are at other times in the new run: each is found there by how often its thread has come to its instruction since.
 */
import { guestAddr } from '../../base/types.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { BlamedRun } from '../run.js';
import type { SuppressedRun, SuppressionPoint } from './suppressedRun.js';

export interface AddedPoints {
  /** The run in which all points have their positions. */
  readonly run: BlamedRun;
  readonly points: readonly SuppressionPoint[];
  readonly fresh: readonly SuppressionPoint[];
  readonly suppress: (points: readonly SuppressionPoint[]) => Promise<SuppressedRun>;
  readonly work?: Work | undefined;
}

export interface RunWithPoints extends SuppressedRun {
  /** All of them, where they are in this run. */
  readonly points: readonly SuppressionPoint[];
}

/** A point by what does not change with time. */
interface LaterPoint {
  readonly point: SuppressionPoint;
  /** How often its thread has come to its instruction between the first new point and it. */
  readonly arrivals: number;
}

export async function runWithout({ run, points, fresh, suppress, work }: AddedPoints): Promise<RunWithPoints> {
  const all = [...points, ...fresh].sort((a, b) => comparePositions(a.position, b.position));
  const first = [...fresh].sort((a, b) => comparePositions(a.position, b.position))[0];
  const isLater = ({ position }: SuppressionPoint): boolean => first !== undefined && comparePositions(position, first.position) > 0;
  const kept = all.filter((point) => !isLater(point));
  const later: LaterPoint[] = [];
  for (const point of all.filter(isLater)) later.push({ point, arrivals: await arrivalsBefore(run, point, (first as SuppressionPoint).position, work) });
  let made = await suppress(kept);
  for (const one of later) {
    const found = await foundAgain({ execution: made.branch, modules: run.modules }, made, one, (first as SuppressionPoint).position, work);
    if (found === undefined) continue;
    kept.push(found);
    made.branch.drop();
    made = await suppress(kept);
  }
  return { ...made, points: kept };
}

async function arrivalsBefore({ execution }: BlamedRun, { address, thread, position }: SuppressionPoint, from: Position, work: Work | undefined): Promise<number> {
  if (address === undefined) return 0;
  let count = 0;
  await execution.each([{ kind: 'address', addresses: [guestAddr(address)] }], (hit) => {
    if (hit.task === thread) count++;
    return 'go on';
  }, from, position, work);
  return count;
}

/** Undefined if the thread does not come there any more. What is left out by itself keeps what it wrote corrupt. */
async function foundAgain({ execution }: BlamedRun, { leftOut }: SuppressedRun, { point, arrivals }: LaterPoint, from: Position, work: Work | undefined): Promise<SuppressionPoint | undefined> {
  const { address, thread } = point;
  if (address === undefined) return undefined;
  const avoided = leftOut.find((one) => one.address === address && one.why !== 'data' && one.why !== 'point');
  if (avoided !== undefined) return point.memory === undefined ? undefined : { ...point, position: at(avoided.time) };
  let left = arrivals;
  await execution.seek(from, work);
  const hit = await execution.forward([{ kind: 'address', addresses: [guestAddr(address)] }], work, { accepts: ({ task }) => task === thread && left-- <= 0 });
  return hit === undefined ? undefined : { ...point, position: at(hit.position.time) };
}
