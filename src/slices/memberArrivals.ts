/**
 * Where members of a slice were reached: the very instances of their lines that are in the slice, each at the time of
 * its arrival, so that one can stop there.
 */
import { type Arrival, InstanceCounter } from '../debugger/control/instanceCounter.js';
import { instanceNumbers, observeAll } from '../debugger/control/instances.js';
import { LineUnits, StatementUnits } from '../debugger/arrivals/units.js';
import type { Statement } from '../debugger/program/statements.js';
import { at } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { MemberTimes } from './memberTimes.js';
import type { Slice, SliceMember } from './slice.js';
import type { SliceSubject } from './subject.js';

/** The N-th time of a line, or of one of its statements. */
export interface LineInstance {
  readonly statement: Statement;
  readonly number: number;
}

export interface MemberArrival {
  /** Its place in the slice. */
  readonly member: number;
  /** Which arrival at the line; undefined of code without lines. */
  readonly number: number | undefined;
  readonly time: number;
  /** Where it begins; several where that is not known. */
  readonly addresses: readonly number[];
}

export interface MemberArrivals {
  /** In the order of time. */
  readonly all: readonly MemberArrival[];
  /** Whether none is missing. */
  readonly isComplete: boolean;
}

/** Instances of instructions that are looked up, the newest. */
const MOST_INSTANCES = 1_000_000;

export async function memberArrivals(subject: SliceSubject, { members }: Slice, times: MemberTimes, work?: Work): Promise<MemberArrivals> {
  const hasOwn = new Set<number>();
  for (const { of, isOwn } of times) if (isOwn) hasOwn.add(of);
  const found: MemberArrival[] = [];
  const asked: { member: number; time: number; statement: Statement }[] = [];
  let isComplete = times.isComplete;
  for (const { of: member, time, isOwn } of times) {
    if (!isOwn && hasOwn.has(member)) continue;
    if (asked.length + found.length >= MOST_INSTANCES) {
      isComplete = false;
      break;
    }
    const { path, line, addresses } = members[member] as SliceMember;
    if (path === undefined) found.push({ member, number: undefined, time, addresses });
    else asked.push({ member, time, statement: subject.named.statements.wholeLine(path, line) });
  }
  const numbers = asked.length === 0 ? [] : await instanceNumbers(subject.instanceRun, asked, work);
  const memberOf = new Map(asked.map(({ statement, member }) => [statement.unit, member]));
  const arrivals = await arrivalsOf(subject, asked.map(({ statement }, i) => ({ statement, number: numbers[i] as number })), work);
  for (const { unit, number, time, address } of arrivals) found.push({ member: memberOf.get(unit) as number, number, time, addresses: [address] });
  return { all: found.sort((a, b) => a.time - b.time), isComplete };
}

/**
 * When instances begin, in the order of time; each once. All are of whole lines, or all are of statements of lines.
 */
export async function arrivalsOf({ instanceRun: run }: Pick<SliceSubject, 'instanceRun'>, instances: readonly LineInstance[], work?: Work): Promise<Arrival[]> {
  const wanted = new Map<number, Set<number>>();
  let left = 0;
  for (const { statement: { unit }, number } of instances) {
    const numbers = wanted.get(unit) ?? new Set();
    wanted.set(unit, numbers);
    if (number > 0 && !numbers.has(number)) left++;
    numbers.add(number);
  }
  if (left === 0) return [];
  const found: Arrival[] = [];
  const onArrival = (one: Arrival): void => {
    if (wanted.get(one.unit)?.has(one.number) === true) found.push(one);
  };
  const units = instances[0]?.statement.part === undefined ? new LineUnits(run.statements) : new StatementUnits(run.statements);
  const counter = new InstanceCounter({ modules: run.modules, units, wanted: new Set(wanted.keys()), onArrival });
  await observeAll(run, counter, at(run.execution.endTime), () => found.length >= left, work);
  return found;
}
