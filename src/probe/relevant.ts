/**
 * Errors of omission: conditions on which something did not depend, but would have, had they gone the other way, as the
 * assignment that did not happen. What the other side may write makes a candidate (otherSide.ts); that the value is
 * another one when it is tried makes it relevant.
 */
import { UserError } from '../base/errors.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { type Arrival, InstanceCounter } from '../debugger/control/instanceCounter.js';
import { observeAll } from '../debugger/control/instances.js';
import { LineUnits, StatementUnits } from '../debugger/arrivals/units.js';
import type { Statement } from '../debugger/program/statements.js';
import { at } from '../replay/log/position.js';
import { breathe, partOf, quietly, type Work } from '../replay/timeline/work.js';
import type { MemberInstances, SliceOptions, Slices } from '../slices/slices.js';
import { applyAlterations, type WhatIf } from '../whatIf/apply.js';
import { type Candidate, inOrder, number } from './candidates.js';
import { eachCase } from './cases.js';
import { type WatchedCriterion, watchedCriterion } from './criterionValue.js';
import { type Decision, gather, mayDecide, placed } from './named.js';
import { OtherSides } from './otherSide.js';
import { DEFAULT_MOST, LEAST_LIMIT, whatIfOf } from './probe.js';

export interface RelevantQuestion {
  /** As slices are asked for. */
  readonly statement: string | undefined;
  readonly things: readonly string[];
  readonly options?: SliceOptions;
  /** Attempts at most. */
  readonly most?: number | undefined;
}

export interface RelevantCondition extends Candidate {
  /** What comes of it: another value, or the place is not reached so. */
  readonly effect: 'changed' | 'missing';
}

export interface RelevantResult {
  /** Newest first. */
  readonly conditions: readonly RelevantCondition[];
  readonly tried: number;
  /** That could not be altered, and those that are more than were to be tried. */
  readonly refused: number;
  readonly untried: number;
}

/** Of the recording. The debugger stays where it is. */
export async function relevantConditions(debug: Debugger, slices: Slices, { statement, things, options = {}, most = DEFAULT_MOST }: RelevantQuestion, work?: Work): Promise<RelevantResult> {
  if (debug.branch !== undefined) throw new UserError('a branch is debugged: "branch drop" returns to the recording, of which relevant conditions are tried');
  return debug.aside(async () => {
    const watched = await watchedCriterion(debug, statement, things, options.inOwnFrame === true, quietly(work));
    const members = await slices.instances(watched.question, options, partOf(work, 0, 1, 4));
    const found = await candidatesBeside(debug, members, watched.question.to.time, most, partOf(work, 1, 1, 4));
    const tried = found.all.slice(0, most);
    const { recording } = debug;
    const { modules, statements } = whatIfOf(debug);
    const before = await watched.value({ execution: recording, modules, statements }, quietly(work));
    const conditions: RelevantCondition[] = [];
    let [refused, done] = [found.refused, 0];
    const known = new Set<string>();
    for (const candidate of tried) {
      // One way of a switch statement that makes a difference is enough.
      const key = `${candidate.alteration.place}#${candidate.alteration.which}`;
      const effect = known.has(key) ? 'none' : await effectOf(whatIfOf(debug), candidate, watched, before, quietly(work));
      if (effect === 'refused') refused++;
      else if (effect !== 'none') {
        conditions.push({ ...candidate, effect });
        known.add(key);
      }
      await breathe(partOf(work, 2, 2, 4), ++done, tried.length);
    }
    return { conditions: conditions.sort((a, b) => b.arrival.time - a.arrival.time), tried: tried.length, refused, untried: found.all.length - tried.length + found.untried };
  });
}

async function effectOf(whatIf: WhatIf, { alteration, arrival }: Candidate, watched: WatchedCriterion, before: string | undefined, work: Work | undefined): Promise<RelevantCondition['effect'] | 'none' | 'refused'> {
  const { recording, modules, statements } = whatIf;
  const branch = await unlessRefused(applyAlterations(whatIf, [alteration], { arrivals: () => arrival, work }));
  if (branch === undefined) return 'refused';
  try {
    const end = at(branch.start.time + recording.endTime + LEAST_LIMIT);
    const value = await watched.value({ execution: branch, recording, end, modules, statements }, work);
    return value === before ? 'none' : value === undefined ? 'missing' : 'changed';
  } finally {
    branch.drop();
  }
}

async function unlessRefused<T>(made: Promise<T>): Promise<T | undefined> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Conditions that were decided before a time and are no members. */
async function candidatesBeside(debug: Debugger, members: MemberInstances, end: number, most: number, work: Work | undefined): Promise<{ readonly all: Candidate[]; readonly refused: number; readonly untried: number }> {
  const whatIf = whatIfOf(debug);
  const inSlice = new Map<number, Decision>();
  gather(members, whatIf, most, inSlice);
  const sides = new OtherSides(whatIf.program);
  const decisions = decisionsOf(members, whatIf).filter((address) => sides.mayWrite(address));
  const { asked, refused } = placed(decisions.map((address) => ({ address, times: [0], instances: 1 })), debug, whatIf);
  const { asked: depended } = placed([...inSlice.values()], debug, whatIf);
  await number(depended, debug, partOf(work, 0, 1, 2));
  const known = new Set(depended.map(({ place, number: n }) => `${place}#${n}`));
  const places = new Map(asked.flatMap(({ place, statement, functionName }) => (statement === undefined ? [] : [[place, { place, statement, functionName }] as const])));
  const all: Candidate[] = [];
  for (const isWhole of [true, false]) {
    const wanted = [...places.values()].filter(({ statement: { part } }) => (part === undefined) === isWhole);
    const arrivals = await newest(debug, wanted.map(({ statement }) => statement), isWhole, end, most, partOf(work, 1, 1, 2));
    for (const { place, statement, functionName } of wanted) {
      for (const { number: which, time, thread } of arrivals.get(statement.unit) ?? []) {
        if (!known.has(`${place}#${which}`)) all.push({ alteration: { what: 'switch', place, which }, arrival: { time, thread }, path: statement.path, line: statement.line, part: statement.part, functionName });
      }
    }
  }
  const byCases = new Set(asked.filter(({ goesByCases }) => goesByCases).map(({ place }) => place));
  const each = await eachCase(all, byCases, whatIf, most, quietly(work));
  return { all: inOrder(each.all), refused: refused.length, untried: each.untried };
}

/** Instructions of the user's own code that decided something. */
function decisionsOf({ programs }: MemberInstances, whatIf: WhatIf): number[] {
  const addresses = new Set<number>();
  for (const one of programs.table.instructions) if (programs.ownerOf(one).isOwnAt(one.address) && mayDecide(one.address, whatIf)) addresses.add(one.address);
  return [...addresses];
}

/** The last times that statements were reached, by unit. */
async function newest(debug: Debugger, statements: readonly Statement[], isWhole: boolean, end: number, most: number, work: Work | undefined): Promise<Map<number, Arrival[]>> {
  const arrivals = new Map<number, Arrival[]>(statements.map(({ unit }) => [unit, []]));
  if (statements.length === 0) return arrivals;
  const run = debug.instanceRun;
  const onArrival = (arrival: Arrival): void => {
    const kept = arrivals.get(arrival.unit);
    kept?.push(arrival);
    if (kept !== undefined && kept.length >= most * 2) kept.splice(0, most);
  };
  const units = isWhole ? new LineUnits(run.statements) : new StatementUnits(run.statements);
  await observeAll(run, new InstanceCounter({ modules: run.modules, units, wanted: new Set(arrivals.keys()), onArrival }), at(end), undefined, work);
  for (const [unit, all] of arrivals) arrivals.set(unit, all.slice(-most));
  return arrivals;
}
