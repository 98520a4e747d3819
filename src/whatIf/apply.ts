/**
 * Makes a branch of alterations. It begins at the first instance that is altered, not at the program's start: what was
 * before is as it was recorded. Alterations of all instances change the program's code there; each of the others is
 * made where its instance is, in the order in which the run comes to them.
 */
import { UserError } from '../base/errors.js';
import { guestAddr, time } from '../base/types.js';
import type { LaterDeed } from '../debugger/control/branching.js';
import type { InstanceRun } from '../debugger/control/instances.js';
import type { Modules } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { Statements } from '../debugger/program/statements.js';
import type { BranchExecution, BranchMaker } from '../replay/branch/branchExecution.js';
import type { PlainAlteration } from '../replay/branch/recordedBranch.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { Alteration } from './alteration.js';
import { firstInstance, instanceAfter, type KnownArrival, knownInstance } from './arrivals.js';
import { withCase } from './caseTarget.js';
import type { Patch } from './codePatches.js';
import { type Plan, plansFor } from './plan.js';
import { SpareRooms } from './spareRoom.js';
import { patching, type Strike, strikeOf } from './strike.js';

/** What branches of alterations are made of. */
export interface WhatIf {
  readonly maker: BranchMaker;
  /** What is altered; searched for instances. It stands where it did afterwards. */
  readonly recording: Execution;
  /** If that is a branch: what it goes on from. */
  readonly before?: Execution | undefined;
  /** The program as it is where the recording stands. */
  readonly program: ProgramView;
  readonly modules: Modules;
  readonly statements: Statements;
  /** For a line without a file. */
  readonly currentPath?: string | undefined;
}

export interface ApplyRequest {
  /** `all` and `once` mean instances from here on; may be another place for each. Default: the start. */
  readonly from?: Position | ((alteration: Alteration) => Position | undefined);
  /** The branch begins here, or at the first instance if that is before. Default: at the first instance. */
  readonly notAfter?: Position;
  /** Where an instance begins, for who knows it: then it is not looked for. */
  readonly arrivals?: ((alteration: Alteration) => KnownArrival | undefined) | undefined;
  readonly work?: Work | undefined;
  /** Told of what is done at one time of the branch, in the order of time. */
  readonly onDeed?: (deed: LaterDeed) => void;
}

interface Planned {
  readonly plans: readonly Plan[];
  readonly alteration: Alteration;
  readonly from: Position | undefined;
}

/** What a branch begins with, and what is still to be done in it. */
export interface Beginning {
  readonly start: Position;
  /** The changed code, for all processes that have it. */
  readonly writes: readonly PlainAlteration[];
  readonly first: Strike | undefined;
  /** Whose that is. */
  readonly firstOf: Planned | undefined;
  /** Those whose instances come later, in the order of the recording. */
  readonly later: readonly Planned[];
}

/** A branch that stands where the last of the alterations that are made once takes effect, or at its start. */
export async function applyAlterations(whatIf: WhatIf, alterations: readonly Alteration[], request: ApplyRequest = {}): Promise<BranchExecution> {
  const beginning = await beginningOf(whatIf, alterations, request);
  const branch = await whatIf.maker.branchAt(beginning.start, request.work);
  try {
    await doAll(branch, beginning.writes);
    const { first, firstOf, later } = beginning;
    const done: LaterDeed[] = [];
    if (first !== undefined && firstOf !== undefined) done.push(deedOf(whatIf, firstOf, await strike(branch, first, request.work)));
    for (const one of later) done.push(await strikeLater(whatIf, branch, one, request.work));
    for (const deed of done) request.onDeed?.(deed);
    return branch;
  } catch (error) {
    branch.drop();
    throw error;
  }
}

/** Another branch where one is altered in turn: what was changed in it stays. */
export function forksOf(branch: BranchExecution): BranchMaker {
  return {
    async branchAt(position, work) {
      const fork = await branch.fork(work);
      await fork.seek(position, work);
      return fork;
    },
  };
}

/** The instance after a position, by its number: so it is the same one wherever the list is used again. */
export async function numbered(whatIf: WhatIf, alteration: Alteration, from: Position, work?: Work): Promise<Alteration> {
  if (alteration.which !== 'once') return alteration;
  const { recording, before, modules, statements } = whatIf;
  const home = recording.position;
  try {
    const run: InstanceRun = { execution: recording, recording: before, modules, statements };
    return { ...alteration, which: await instanceAfter(run, plansFor(alteration, whatIf, new SpareRooms()), from, work) };
  } finally {
    await recording.seek(home);
  }
}

/** Where an alteration first makes a difference, from a position on; undefined if it makes none there. */
export async function firstPosition(whatIf: WhatIf, alteration: Alteration, from: Position | undefined, work?: Work): Promise<Position | undefined> {
  const { recording, before, modules, statements } = whatIf;
  const plans = plansFor(alteration, whatIf, new SpareRooms());
  const home = recording.position;
  try {
    return (await firstInstance({ execution: recording, recording: before, modules, statements }, plans, alteration, from ?? recording.start, work)).hit.position;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  } finally {
    await recording.seek(home);
  }
}

/** Where the branch begins, and with what. Throws a UserError; nothing is changed by then. */
export async function beginningOf(whatIf: WhatIf, alterations: readonly Alteration[], { from, notAfter, arrivals, work }: ApplyRequest): Promise<Beginning> {
  if (alterations.length === 0) throw new UserError('nothing is altered');
  const { recording, before, modules, statements } = whatIf;
  const run: InstanceRun = { execution: recording, recording: before, modules, statements };
  const rooms = new SpareRooms();
  const planned: Planned[] = alterations.map((alteration) => ({ alteration, plans: plansFor(alteration, whatIf, rooms), from: typeof from === 'function' ? from(alteration) : from }));
  const home = recording.position;
  try {
    const found: { readonly position: Position; readonly strike?: Strike; readonly one: Planned }[] = [];
    for (const { alteration, plans, from: own } of planned) {
      const known = arrivals?.(alteration);
      const first = known === undefined
        ? await firstInstance(run, plans, alteration, latest(recording.start, own), work)
        : await knownInstance(recording, plans, alteration, known, work);
      const { hit } = first;
      const plan = alteration.to === undefined ? first.plan : await withCase(whatIf, first, rooms, work);
      const one: Planned = { alteration, from: own, plans: plans.map((other) => (other === first.plan ? plan : other)) };
      const made = alteration.which === 'all' ? undefined : await strikeOf(plan, recording, hit, work);
      found.push({ position: made?.position ?? hit.position, ...(made === undefined ? {} : { strike: made }), one });
    }
    found.sort((a, b) => comparePositions(a.position, b.position));
    const earliest = (found[0] as (typeof found)[number]).position;
    const start = notAfter !== undefined && comparePositions(notAfter, earliest) < 0 ? notAfter : earliest;
    const once = found.filter((one) => one.strike !== undefined);
    const isFirst = once[0] !== undefined && comparePositions(once[0].position, start) === 0;
    await recording.seek(start, work);
    // Code that is not loaded yet is changed when it is reached; so is code that is to stay as it is for a while.
    const isNow = ({ from: own }: Planned): boolean => own === undefined || comparePositions(own, start) <= 0;
    const all = found.filter((each) => each.strike === undefined).map(({ one }) => ({ one, writes: isNow(one) ? writesOf(recording.state, one.plans.flatMap((plan) => plan.patches)) : [] }));
    const later = [...all.filter(({ writes }) => writes.length === 0), ...(isFirst ? once.slice(1) : once)].map(({ one }) => one);
    return { start, writes: all.flatMap(({ writes }) => writes), first: isFirst ? once[0]?.strike : undefined, firstOf: isFirst ? once[0]?.one : undefined, later };
  } finally {
    await recording.seek(home);
  }
}

function latest(start: Position, from: Position | undefined): Position {
  return from !== undefined && comparePositions(from, start) > 0 ? from : start;
}

/** In all processes that have the code. */
function writesOf(state: State, patches: readonly Patch[]): PlainAlteration[] {
  const processes = new Map(state.threads.map(({ pid, id }) => [pid, id]));
  return [...processes.values()].flatMap((thread) => {
    const has = ({ address, original }: Patch): boolean => state.read(thread, guestAddr(address), original.length)?.every((byte, i) => byte === original[i]) === true;
    return patches.every(has) ? patching(patches, thread) : [];
  });
}

/** What was done to an instance, and when the last of it was. */
interface Struck {
  readonly strike: Strike;
  readonly position: Position;
}

async function strike(branch: BranchExecution, made: Strike, work: Work | undefined): Promise<Struck> {
  const { position, deeds, after, until } = made;
  await branch.seek(position, work);
  await doAll(branch, deeds);
  if (after !== undefined) {
    await branch.forward([{ kind: 'time', time: time(branch.position.time + 1) }], work);
    await doAll(branch, after);
  }
  if (until !== undefined) return undo(branch, made, work);
  return { strike: made, position };
}

/** The code is as it was when control comes to the statement the next time. */
async function undo(branch: BranchExecution, made: Strike, work: Work | undefined): Promise<Struck> {
  const { until, thread } = made;
  const hit = until === undefined ? undefined : await branch.forward([{ kind: 'address', addresses: until.addresses }], work, { accepts: ({ task }) => task === thread });
  if (until !== undefined && hit !== undefined) await doAll(branch, until.deeds);
  return { strike: made, position: branch.position };
}

async function strikeLater(whatIf: WhatIf, branch: BranchExecution, one: Planned, work: Work | undefined): Promise<LaterDeed> {
  const { recording, before, modules, statements } = whatIf;
  const { plans, alteration } = one;
  const { hit, plan } = await firstInstance({ execution: branch, recording: before ?? recording, modules, statements }, plans, alteration, latest(branch.start, one.from), work);
  if (alteration.which !== 'all') return deedOf(whatIf, one, await strike(branch, await strikeOf(plan, branch, hit, work), work));
  await branch.seek(hit.position, work);
  await doAll(branch, writesOf(branch.state, plans.flatMap(({ patches }) => patches)));
  return { position: hit.position, again: (other, _since, more) => strikeLater(whatIf, other, one, more) };
}

function deedOf(whatIf: WhatIf, one: Planned, { strike: made, position }: Struck): LaterDeed {
  return {
    position,
    async again(branch, since, work) {
      if (comparePositions(since, made.position) < 0) return strikeLater(whatIf, branch, one, work);
      await branch.seek(since, work);
      return deedOf(whatIf, one, await undo(branch, made, work));
    },
  };
}

async function doAll(branch: BranchExecution, deeds: readonly PlainAlteration[]): Promise<void> {
  for (const deed of deeds) {
    if (deed.kind === 'memory') await branch.writeMemory(deed.thread as number, deed.address, deed.bytes);
    else if (deed.kind === 'register') await branch.setRegister(deed.thread as number, deed.name, deed.value);
  }
}
