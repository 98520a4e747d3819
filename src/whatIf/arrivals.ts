/**
 * Instances of what is altered: the times that control arrives at a statement, as all of Culprit counts them, that a
 * function is called, or that an instruction which was named by its address is reached.
 */
import { UserError } from '../base/errors.js';
import { type GuestAddr, guestAddr } from '../base/types.js';
import { countInstances, findArrival, type InstanceRun } from '../debugger/control/instances.js';
import type { Statement } from '../debugger/program/statements.js';
import { at, comparePositions, type Position } from '../replay/log/position.js';
import type { Hit } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { type Alteration, alterationText } from './alteration.js';
import type { Plan } from './plan.js';

/** When a thread comes to an instance. */
export interface KnownArrival {
  readonly time: number;
  readonly thread: number;
}

export interface MetPlan {
  readonly hit: Hit;
  readonly plan: Plan;
}

/**
 * The first instance that is meant: of `all` and `once` from a position on. The position of the execution may change.
 * Throws a UserError if there is none.
 */
export async function firstInstance(run: InstanceRun, plans: readonly Plan[], alteration: Alteration, from: Position, work?: Work): Promise<MetPlan> {
  const { which } = alteration;
  const statement = plans[0]?.code?.statement;
  if (which === 'all') return met(alteration, plans, await reached(run.execution, plans.flatMap(({ addresses }) => addresses), from, 1, work));
  if (statement !== undefined) return met(alteration, plans, await arrival(run, statement, which === 'once' ? (await countBefore(run, statement, from, work)) + 1 : which, work));
  const entries = plans.flatMap((plan) => plan.entries);
  if (which === 'once') return met(alteration, plans, await reached(run.execution, entries, from, 1, work));
  const { recording, execution } = run;
  const passed = recording === undefined || recording === execution ? 0 : await countHits(recording, entries, recording.start, execution.start, work);
  return met(alteration, plans, await reached(execution, entries, execution.start, which - passed, work));
}

/** The same for an instance whose beginning is known. */
export async function knownInstance(execution: Execution, plans: readonly Plan[], alteration: Alteration, { time, thread }: KnownArrival, work?: Work): Promise<MetPlan> {
  return met(alteration, plans, await hitAt(execution, time, thread, work));
}

/** The number of the first instance that begins after a position. The position of the execution may change. */
export async function instanceAfter(run: InstanceRun, plans: readonly Plan[], position: Position, work?: Work): Promise<number> {
  const statement = plans[0]?.code?.statement;
  if (statement !== undefined) return (await countBefore(run, statement, position, work)) + 1;
  const { recording, execution } = run;
  const entries = plans.flatMap((plan) => plan.entries);
  const passed = recording === undefined || recording === execution ? 0 : await countHits(recording, entries, recording.start, execution.start, work);
  await execution.seek(position, work);
  const isHere = standsAt(execution, entries) !== undefined;
  return passed + (await countHits(execution, entries, execution.start, position, work)) + (isHere ? 1 : 0) + 1;
}

function met(alteration: Alteration, plans: readonly Plan[], found: Hit | number): MetPlan {
  if (typeof found === 'number') throw new UserError(`${alterationText(alteration)}: the run ${found === 0 ? 'never comes there' : `comes there only ${found === 1 ? 'once' : `${found} times`}`}`);
  const plan = plans.find(({ addresses }) => addresses.includes(found.rip));
  if (plan === undefined) throw new UserError(`${alterationText(alteration)}: that instance is in code that cannot be altered`);
  return { hit: found, plan };
}

async function arrival(run: InstanceRun, statement: Statement, number: number, work: Work | undefined): Promise<Hit> {
  const { execution } = run;
  const { time, thread } = await findArrival(run, statement, number, undefined, work);
  if (comparePositions(at(time), execution.start) < 0) throw new UserError('that instance is before the branch');
  return hitAt(execution, time, thread, work);
}

async function hitAt(execution: Execution, time: number, thread: number, work: Work | undefined): Promise<Hit> {
  await execution.seek(at(time), work);
  const rip = guestAddr(Number(execution.state.register(thread, 'rip') ?? 0n));
  return { kind: 'address', position: execution.position, conditions: [0], task: thread, rip };
}

/** Instances that have begun at a position. */
async function countBefore(run: InstanceRun, statement: Statement, position: Position, work: Work | undefined): Promise<number> {
  const { execution } = run;
  if (comparePositions(position, execution.start) <= 0 && run.recording === undefined) return 0;
  await execution.seek(position, work);
  const thread = execution.state.current;
  if (thread === undefined) return 0;
  const standing = { position: execution.position, thread: thread.id, pc: execution.state.register(thread.id, 'rip') ?? 0n };
  return (await countInstances(run, statement, standing, work)).count;
}

/** The n-th time that one of the addresses is reached; how often that happens, if it is less. */
async function reached(execution: Execution, addresses: readonly GuestAddr[], from: Position, wanted: number, work: Work | undefined): Promise<Hit | number> {
  await execution.seek(from, work);
  let count = 0;
  const here = standsAt(execution, addresses);
  if (here !== undefined && ++count === wanted) return here;
  return (await execution.forward([{ kind: 'address', addresses }], work, { accepts: () => ++count === wanted })) ?? count;
}

/** A search begins after where it stands: what is about to happen there counts, too. */
function standsAt({ state, position }: Execution, addresses: readonly GuestAddr[]): Hit | undefined {
  const task = state.current?.id;
  const rip = task === undefined ? undefined : guestAddr(Number(state.register(task, 'rip') ?? 0n));
  if (task === undefined || rip === undefined || !addresses.includes(rip)) return undefined;
  return { kind: 'address', position, conditions: [0], task, rip };
}

async function countHits(execution: Execution, addresses: readonly GuestAddr[], from: Position, to: Position, work: Work | undefined): Promise<number> {
  let count = 0;
  const listener = (): 'go on' => {
    count++;
    return 'go on';
  };
  await execution.each([{ kind: 'address', addresses }], listener, from, to, work);
  return count;
}
