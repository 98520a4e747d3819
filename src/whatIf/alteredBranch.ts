/**
 * A branch of a list of alterations in which the user's own changes (`set var`) are made, too. What is before the first
 * alteration is the same with and without it, so changes there are made at their times. A later change is made where
 * the same thread comes to the same instruction as often as it had: its time may be another one by then.
 */
import { UserError } from '../base/errors.js';
import { guestAddr } from '../base/types.js';
import { type BranchHistory, doneAgain, type LaterDeed, type OwnWrite, writeTo } from '../debugger/control/branching.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { Alteration } from './alteration.js';
import { applyAlterations, firstPosition, forksOf, type WhatIf } from './apply.js';

interface AlteredBranch {
  readonly branch: BranchExecution;
  readonly history: Pick<BranchHistory, 'own' | 'deeds'>;
}

/** An alteration, and from where on it is made: in all of the run, if nothing is said. */
export interface AlterationFrom {
  readonly alteration: Alteration;
  readonly from: Position | undefined;
}

interface AlteredRequest {
  readonly active: readonly AlterationFrom[];
  /** The branch begins here, or earlier. */
  readonly notAfter?: Position;
  /** What was debugged until now, if it has changes of the user's own. */
  readonly old?: OldBranch | undefined;
  readonly work?: Work | undefined;
}

interface OldBranch {
  readonly branch: BranchExecution;
  readonly own: readonly OwnWrite[];
  /** What was altered there. */
  readonly alterations: readonly AlterationFrom[];
}

/** Undefined: nothing is altered, which is the recording. `whatIf` is about the recording. Throws a UserError. */
export async function alteredBranch(whatIf: WhatIf, { active, notAfter, old, work }: AlteredRequest): Promise<AlteredBranch | undefined> {
  if (old === undefined || old.own.length === 0) return active.length === 0 ? undefined : applied(whatIf, undefined, active, notAfter, work);
  const common = await firstDifference(whatIf, [...old.alterations, ...active], work);
  const isEarly = ({ position }: OwnWrite): boolean => common === undefined || comparePositions(position, common) <= 0;
  const [early, late] = [old.own.filter(isEarly), old.own.filter((one) => !isEarly(one))];
  const anchors = common === undefined ? [] : await anchorsOf(whatIf.recording, old.branch, late, common, work);
  const base = await withWrites(whatIf, early, work);
  const start = common ?? (early[0] as OwnWrite).position;
  const made = active.length > 0 ? await applied(whatIf, base, active, start, work) : { branch: base ?? (await whatIf.maker.branchAt(start, work)), history: { own: [], deeds: [] } };
  if (base !== undefined && base !== made.branch) base.drop();
  try {
    return await withLate(made, early, anchors, start, work);
  } catch (error) {
    made.branch.drop();
    throw error;
  }
}

async function applied(whatIf: WhatIf, base: BranchExecution | undefined, active: readonly AlterationFrom[], notAfter: Position | undefined, work: Work | undefined): Promise<AlteredBranch> {
  const deeds: LaterDeed[] = [];
  const around = base === undefined ? whatIf : { ...whatIf, maker: forksOf(base), recording: base, before: whatIf.recording };
  const begin = base === undefined || notAfter === undefined || comparePositions(notAfter, base.start) > 0 ? notAfter : base.start;
  const from = (alteration: Alteration): Position | undefined => active.find((one) => one.alteration === alteration)?.from;
  const request = { work, from, onDeed: (deed: LaterDeed) => void deeds.push(deed), ...(begin === undefined ? {} : { notAfter: begin }) };
  return { branch: await applyAlterations(around, active.map(({ alteration }) => alteration), request), history: { own: [], deeds } };
}

/** From where the branch with the alterations and the one without may differ; undefined: not before the own changes. */
async function firstDifference(whatIf: WhatIf, alterations: readonly AlterationFrom[], work: Work | undefined): Promise<Position | undefined> {
  let first: Position | undefined;
  for (const { alteration, from } of alterations) {
    const found = await firstPosition(whatIf, alteration, from, work);
    if (found !== undefined && (first === undefined || comparePositions(found, first) < 0)) first = found;
  }
  return first;
}

async function withWrites({ maker }: WhatIf, writes: readonly OwnWrite[], work: Work | undefined): Promise<BranchExecution | undefined> {
  const [first] = writes;
  if (first === undefined) return undefined;
  const branch = await maker.branchAt(first.position, work);
  for (const { position, thread, write } of writes) {
    await branch.seek(position, work);
    await writeTo(branch, thread, write);
  }
  return branch;
}

/** A change, and where it was made: at the n-th time that the thread came to an instruction. */
interface Anchor {
  readonly own: OwnWrite;
  readonly address: number;
  readonly count: number;
}

async function anchorsOf(recording: Execution, old: BranchExecution, writes: readonly OwnWrite[], from: Position, work: Work | undefined): Promise<Anchor[]> {
  const here = old.position;
  const anchors: Anchor[] = [];
  try {
    for (const own of writes) {
      await old.seek(own.position, work);
      const address = Number(old.state.register(own.thread, 'rip') ?? 0n);
      const before = comparePositions(from, old.start) < 0 ? await arrivals(recording, address, own.thread, from, old.start, work) : 0;
      const begin = comparePositions(from, old.start) < 0 ? old.start : from;
      anchors.push({ own, address, count: before + (await arrivals(old, address, own.thread, begin, own.position, work)) });
    }
  } finally {
    await old.seek(here);
  }
  return anchors;
}

/** How often a thread executed an instruction in a stretch. */
async function arrivals(execution: Execution, address: number, thread: number, from: Position, to: Position, work: Work | undefined): Promise<number> {
  let count = 0;
  await execution.each([{ kind: 'address', addresses: [guestAddr(address)] }], ({ task }) => {
    if (task === thread) count++;
    return 'go on';
  }, from, to, work);
  return count;
}

async function withLate({ branch, history: { deeds } }: AlteredBranch, early: readonly OwnWrite[], anchors: readonly Anchor[], from: Position, work: Work | undefined): Promise<AlteredBranch> {
  const own: OwnWrite[] = [...early];
  let done = deeds;
  const begin = comparePositions(from, branch.start) < 0 ? branch.start : from;
  for (const anchor of anchors) {
    const { thread, write } = anchor.own;
    await branch.seek(begin, work);
    await goTo(branch, anchor, work);
    const { position } = branch;
    await writeTo(branch, thread, write);
    own.push({ position, thread, write });
    const isBefore = (deed: LaterDeed): boolean => comparePositions(deed.position, position) <= 0;
    done = [...done.filter(isBefore), ...(await doneAgain(branch, done.filter((deed) => !isBefore(deed)), position, work))];
  }
  return { branch, history: { own, deeds: done } };
}

async function goTo(branch: BranchExecution, { address, count, own: { thread } }: Anchor, work: Work | undefined): Promise<void> {
  const { state } = branch;
  const isHere = state.current?.id === thread && state.register(thread, 'rip') === BigInt(address);
  if (isHere && count === 0) return;
  let left = count + (isHere ? 0 : 1);
  const hit = await branch.forward([{ kind: 'address', addresses: [guestAddr(address)] }], work, { accepts: ({ task }) => task === thread && --left === 0 });
  if (hit === undefined) throw new UserError('a change of yours was made where the program does not come then: undo it first ("branch drop" undoes all)');
}
