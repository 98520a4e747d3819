/**
 * Makes a branch of alterations. It begins at the first instance that is altered, not at the program's start: what was
 * before is as it was recorded. Alterations of all instances change the program's code there; each of the others is
 * made where its instance is, in the order in which the run comes to them.
 */
import { UserError } from '../base/errors.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { BranchExecution, BranchMaker } from '../replay/branch/branchExecution.js';
import type { PlainAlteration } from '../replay/branch/recordedBranch.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import { time } from '../base/types.js';
import { type Alteration, alterationText } from './alteration.js';
import { arrivalsOf, firstArrival } from './arrivals.js';
import type { Patch } from './codePatches.js';
import { type Plan, plansFor } from './plan.js';
import { type Strike, strikeOf } from './strike.js';

/** What branches of alterations are made of. */
export interface WhatIf {
  readonly maker: BranchMaker;
  /** Searched for instances: it stands where it did afterwards. */
  readonly recording: Execution;
  /** The program as it is where the recording stands. */
  readonly program: ProgramView;
}

export interface ApplyRequest {
  /** `all` and `once` mean instances from here on. Default: the start. */
  readonly from?: Position;
  /** The branch begins here, or at the first instance if that is before. Default: at the first instance. */
  readonly notAfter?: Position;
  readonly work?: Work | undefined;
}

/** What a branch begins with, and what is still to be done in it. */
export interface Beginning {
  readonly start: Position;
  readonly deeds: readonly PlainAlteration[];
  readonly patches: readonly Patch[];
  readonly first: Strike | undefined;
  /** Those whose instances come later; with how many instances of each come before the start. */
  readonly later: readonly { readonly plans: readonly Plan[]; readonly alteration: Alteration; readonly passed: number }[];
}

/** A branch that stands where the last of the alterations that are made once takes effect, or at its start. */
export async function applyAlterations(whatIf: WhatIf, alterations: readonly Alteration[], request: ApplyRequest = {}): Promise<BranchExecution> {
  const beginning = await beginningOf(whatIf, alterations, request);
  const branch = await whatIf.maker.branchAt(beginning.start, request.work);
  try {
    await putPatches(branch, beginning.patches);
    if (beginning.first !== undefined) await strike(branch, beginning.first, request.work);
    for (const one of beginning.later) await strikeLater(branch, one, beginning.start, request.work);
    return branch;
  } catch (error) {
    branch.drop();
    throw error;
  }
}

/** Where the branch begins, and with what. Throws a UserError; nothing is changed by then. */
export async function beginningOf({ recording, program }: WhatIf, alterations: readonly Alteration[], { from, notAfter, work }: ApplyRequest): Promise<Beginning> {
  if (alterations.length === 0) throw new UserError('nothing is altered');
  const planned = alterations.map((alteration) => ({ alteration, plans: plansFor(alteration, program) }));
  const home = recording.position;
  try {
    const begins = from ?? recording.start;
    const found: { readonly position: Position; readonly strike?: Strike; readonly one: (typeof planned)[number] }[] = [];
    for (const one of planned) {
      const arrival = await firstArrival(recording, one.plans, one.alteration, begins, work);
      if (one.alteration.which === 'all') found.push({ position: arrival.hit.position, one });
      else {
        const made = await strikeOf(arrival.plan, recording, arrival.hit, work);
        found.push({ position: made.position, strike: made, one });
      }
    }
    found.sort((a, b) => comparePositions(a.position, b.position));
    const earliest = (found[0] as (typeof found)[number]).position;
    const start = notAfter !== undefined && comparePositions(notAfter, earliest) < 0 ? notAfter : earliest;
    const once = found.filter((one) => one.strike !== undefined);
    const isFirst = once[0] !== undefined && comparePositions(once[0].position, start) === 0;
    const later = [];
    for (const { one } of isFirst ? once.slice(1) : once) {
      const passed = one.alteration.which === 'once' ? 0 : await arrivalsOf(recording, one.plans, recording.start, start, work);
      later.push({ ...one, passed });
    }
    const patches = planned.filter(({ alteration }) => alteration.which === 'all').flatMap(({ plans }) => plans.flatMap((plan) => plan.patches));
    return { start, deeds: [], patches, first: isFirst ? once[0]?.strike : undefined, later };
  } finally {
    await recording.seek(home);
  }
}

/** In all processes that have the code. */
async function putPatches(branch: BranchExecution, patches: readonly Patch[]): Promise<void> {
  for (const { thread, patch } of wantedPatches(branch.state, patches)) await branch.writeMemory(thread, patch.address, patch.bytes);
}

/** What is to be written for whom, so that all processes have the changed code. */
export function wantedPatches(state: State, patches: readonly Patch[]): { readonly thread: number; readonly patch: Patch }[] {
  const processes = new Map(state.threads.map(({ pid, id }) => [pid, id]));
  return [...processes.values()].flatMap((thread) => {
    const has = (patch: Patch): boolean => state.read(thread, patch.address as never, patch.original.length)?.every((byte, i) => byte === patch.original[i]) === true;
    return patches.every(has) ? patches.map((patch) => ({ thread, patch })) : [];
  });
}

async function strike(branch: BranchExecution, { position, deeds, after, until, thread }: Strike, work: Work | undefined): Promise<void> {
  await branch.seek(position, work);
  await doAll(branch, deeds);
  if (after !== undefined) {
    await branch.forward([{ kind: 'time', time: time(branch.position.time + 1) }], work);
    await doAll(branch, after);
  }
  if (until !== undefined) {
    const hit = await branch.forward([{ kind: 'address', addresses: until.addresses as never }], work, { accepts: ({ task }) => task === thread });
    if (hit !== undefined) await doAll(branch, until.deeds);
  }
}

async function strikeLater(branch: BranchExecution, { plans, alteration, passed }: Beginning['later'][number], start: Position, work: Work | undefined): Promise<void> {
  const which = typeof alteration.which === 'number' ? alteration.which - passed : 1;
  const arrival = await firstArrival(branch, plans, { ...alteration, which }, start, work, alterationText(alteration));
  await strike(branch, await strikeOf(arrival.plan, branch, arrival.hit, work), work);
}

async function doAll(branch: BranchExecution, deeds: readonly PlainAlteration[]): Promise<void> {
  for (const deed of deeds) {
    if (deed.kind === 'memory') await branch.writeMemory(deed.thread as number, deed.address, deed.bytes);
    else if (deed.kind === 'register') await branch.setRegister(deed.thread as number, deed.name, deed.value);
  }
}
