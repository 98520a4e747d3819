/**
 * What may be to blame for a failure: the conditions in its slice, each with its instances, and the calls that are on
 * the stack where it is. When each instance begins is found for all of them at once, in two passes over the recording.
 */
import { guestAddr } from '../base/types.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { instanceNumbers, standingInstances } from '../debugger/control/instances.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { isOwnCode } from '../flow/ownCode.js';
import { at } from '../replay/log/position.js';
import { partOf, quietly, type Work } from '../replay/timeline/work.js';
import { arrivalsOf, type LineInstance } from '../slices/memberArrivals.js';
import type { Slices } from '../slices/slices.js';
import type { Alteration } from '../whatIf/alteration.js';
import type { WhatIf } from '../whatIf/apply.js';
import type { KnownArrival } from '../whatIf/arrivals.js';
import { eachCase } from './cases.js';
import { type Asked, type Decision, gather, placed, type RefusedPlace } from './named.js';
import type { Scene } from './scene.js';

/** A condition or call of which one instance can be altered. */
export interface Candidate {
  readonly alteration: Alteration;
  readonly arrival: KnownArrival;
  readonly path: string | undefined;
  /** 0 without debug information. */
  readonly line: number;
  readonly part: number | undefined;
  readonly functionName: string | undefined;
}

interface Candidates {
  /** In the order in which they are tried. */
  readonly all: readonly Candidate[];
  readonly refused: readonly RefusedPlace[];
  /** Conditions that are in the slice, by place. */
  readonly places: number;
  /** Decisions, and calls, that are beyond `most`. */
  readonly untried: number;
}

const MOST_FRAMES = 64;

/** `most`: of which so many are wanted. The debugger stands at the scene. */
export async function candidatesOf(debug: Debugger, whatIf: WhatIf, slices: Slices, { position, thread, questions }: Scene, most: number, work?: Work): Promise<Candidates> {
  const calls = await callsOnStack(debug, thread, partOf(work, 0, 1, 5));
  const decisions = new Map<number, Decision>();
  for (const question of questions) {
    const members = await slices.instances(question, {}, partOf(work, 1, 2, 5));
    gather(members, whatIf, most, decisions);
  }
  const { asked, refused } = placed([...decisions.values()], debug, whatIf);
  await number(asked, debug, partOf(work, 3, 1, 5));
  const arrivals = await arrived([...calls, ...asked], debug, position.time, partOf(work, 4, 1, 5));
  const byCases = new Set(asked.filter(({ goesByCases }) => goesByCases).map(({ place }) => place));
  const known = await eachCase(arrivals, byCases, whatIf, most, quietly(work));
  const all = inOrder(known.all).slice(0, most);
  const older = [...decisions.values()].reduce((sum, { instances, times }) => sum + Math.max(0, instances - times.length), known.untried);
  return { all, refused, places: new Set([...asked, ...refused].map(({ place }) => place)).size, untried: known.all.length - all.length + older };
}

/** Calls of the user's own code that have not returned, with the instances of the lines that make them. */
async function callsOnStack(debug: Debugger, thread: number, work: Work | undefined): Promise<Asked[]> {
  const { position, modules } = debug;
  const frames = (debug.backtraceOf(thread)?.frames(MOST_FRAMES) ?? []).filter(({ kind }) => kind === 'normal');
  const program = debug.program(thread);
  const callers = frames.slice(1).flatMap((frame, i) => {
    const module = program?.moduleAt(frame.pc - 1n);
    const statement = module === undefined ? undefined : debug.named.statements.at(module, frame.pc - 1n);
    if (program === undefined || statement === undefined || !isOwnCode(program, Number(frame.pc) - 1)) return [];
    const line = debug.named.statements.wholeLine(statement.path, statement.line);
    const caller = frames.slice(1, i + 1).filter(({ pc }: VisibleFrame) => pc === frame.pc).length;
    return [{ line, functionName: frame.functionName, standing: { position, thread, pc: frame.pc, caller } }];
  });
  const numbers = await standingInstances({ ...debug.instanceRun, modules }, callers, work);
  return callers.flatMap(({ line, functionName }, i) => {
    const number = numbers[i] ?? 0;
    return number === 0 ? [] : [{ what: 'suppress' as const, place: `${line.path}:${line.line}`, statement: line, functionName, time: position.time, number }];
  });
}

/** Which instance of its place each is. */
export async function number(asked: readonly Asked[], debug: Debugger, work: Work | undefined): Promise<void> {
  const lined = asked.flatMap((one) => (one.statement === undefined ? [] : [{ one, time: one.time, statement: one.statement }]));
  const numbers = lined.length === 0 ? [] : await instanceNumbers(debug.instanceRun, lined, work);
  lined.forEach(({ one }, i) => void (one.number = numbers[i] ?? 0));
  const bare = asked.filter(({ statement }) => statement === undefined);
  if (bare.length > 0) await numberBare(bare, debug, work);
}

/** Instructions that are known by their addresses: their instances are the times that they were reached. */
async function numberBare(bare: readonly Asked[], debug: Debugger, work: Work | undefined): Promise<void> {
  const addressOf = ({ place }: Asked): number => Number(place.slice(1));
  const wanted = new Map(bare.map((one) => [`${addressOf(one)} ${one.time}`, one]));
  const counts = new Map<number, number>();
  const addresses = [...new Set(bare.map(addressOf))].map((address) => guestAddr(address));
  const last = Math.max(...bare.map(({ time }) => time));
  await debug.recording.each([{ kind: 'address', addresses }], ({ rip, task, position: { time } }) => {
    const count = (counts.get(rip) ?? 0) + 1;
    counts.set(rip, count);
    const one = wanted.get(`${rip} ${time}`);
    if (one !== undefined) Object.assign(one, { number: count, thread: task });
    return 'go on';
  }, debug.recording.start, at(last + 1), work);
}

/** When the instances begin. Several instructions may decide one. */
async function arrived(asked: readonly Asked[], debug: Debugger, end: number, work: Work | undefined): Promise<Candidate[]> {
  const wanted = new Map(asked.filter((one) => one.number > 0).map((one) => [`${one.what} ${one.place}#${one.number}`, one]));
  const arrivals = new Map<string, KnownArrival>();
  for (const isWhole of [true, false]) {
    const instances = [...wanted.values()].flatMap(({ statement, number: n }): LineInstance[] => (statement !== undefined && (statement.part === undefined) === isWhole ? [{ statement, number: n }] : []));
    for (const { unit, number: n, time, thread } of await arrivalsOf(debug, instances, work)) arrivals.set(`${unit}#${n}`, { time, thread });
  }
  return [...wanted.values()].flatMap(({ what, place, statement, functionName, time, thread, number: n }) => {
    const arrival = statement === undefined ? thread === undefined ? undefined : { time, thread } : arrivals.get(`${statement.unit}#${n}`);
    if (arrival === undefined || arrival.time > end) return [];
    return [{ alteration: { what, place, which: n }, arrival, path: statement?.path, line: statement?.line ?? 0, part: statement?.part, functionName }];
  });
}

/**
 * The newest instance of each place first, then the one before it of each: a loop with many rounds does not keep others
 * from being tried.
 */
export function inOrder(candidates: readonly Candidate[]): Candidate[] {
  const rounds = new Map<string, number>();
  const newest = candidates.toSorted(compareCandidates);
  const ranked = newest.map((one) => {
    const key = `${one.alteration.what} ${one.alteration.place}`;
    const round = rounds.get(key) ?? 0;
    rounds.set(key, round + 1);
    return { one, round };
  });
  return ranked.toSorted((a, b) => a.round - b.round).map(({ one }) => one);
}

/** Newest first. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.arrival.time - a.arrival.time || (a.alteration.what < b.alteration.what ? -1 : a.alteration.what > b.alteration.what ? 1 : 0);
}
