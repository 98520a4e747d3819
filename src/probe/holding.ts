/**
 * Failures that are expressions: true at a place, at any time that control comes there, or at one of its instances.
 * The same look for the recording and for branches of it.
 */
import { UserError } from '../base/errors.js';
import { guestAddr, time } from '../base/types.js';
import { findCall } from '../debugger/control/calls.js';
import { findArrival, type InstanceRun } from '../debugger/control/instances.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { findStatement } from '../debugger/program/findStatement.js';
import type { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { resolveLocation } from '../debugger/program/resolveLocation.js';
import { namesInstance, parseCall, parseStatement } from '../debugger/program/statementText.js';
import type { FrameEvaluator } from '../debugger/values/frameEvaluator.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import { at, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { Alteration } from '../whatIf/alteration.js';
import { applyAlterations, type WhatIf } from '../whatIf/apply.js';
import { trialEndOf, type TrialRequest } from '../whatIf/trial.js';
import { type AttemptRules, type Failure, type Outcome, outcomeOf } from './failure.js';

type Holds = Failure & { readonly kind: 'holds' };

interface Held {
  readonly position: Position;
  readonly thread: number;
}

interface Looker {
  readonly execution: Execution;
  readonly evaluator: FrameEvaluator;
  readonly modules: Modules;
}

/** Where it holds first in the recording, whose position changes. Throws a UserError if it never does. */
export async function firstHeld(whatIf: WhatIf, evaluator: FrameEvaluator, failure: Holds, work?: Work): Promise<Held> {
  const { recording: execution, modules } = whatIf;
  const looker = { execution, evaluator, modules };
  const { expression, place } = failure;
  const never = (): UserError => new UserError(`${expression} is never true at ${place}`);
  if (namesInstance(place)) {
    const found = await arrivalAt(whatIf, { execution, modules, statements: whatIf.statements }, place, work);
    await execution.seek(at(found.time), work);
    if (!isTrue(looker, expression, execution.state, found.thread, true)) throw never();
    return { position: execution.position, thread: found.thread };
  }
  const addresses = addressesOf(place, whatIf);
  await execution.seek(execution.start, work);
  const hit = await execution.forward([{ kind: 'address', addresses }], work, { accepts: ({ task }, state) => isTrue(looker, expression, state, task) });
  if (hit === undefined) throw never();
  return { position: hit.position, thread: hit.task };
}

/** Alters the recording in a branch, and looks whether the failure is there still. */
export async function stillHolds(whatIf: WhatIf, evaluator: FrameEvaluator, alteration: Alteration, rules: AttemptRules & { readonly failure: Holds }, request: TrialRequest): Promise<Outcome> {
  const branch = await applyAlterations(whatIf, [alteration], request);
  try {
    const limit = branch.start.time + request.limit;
    const looker = { execution: branch, evaluator, modules: whatIf.modules };
    if (await holdsIn(branch, looker, whatIf, rules.failure, limit, request.work)) return { verdict: 'fails', end: undefined };
    const hasEnded = branch.end !== undefined && branch.endTime < limit;
    return outcomeOf(rules, { end: hasEnded && branch.end !== undefined ? trialEndOf(branch.end) : { kind: 'limit' }, stdout: new Uint8Array(), stderr: new Uint8Array() });
  } finally {
    branch.drop();
  }
}

async function holdsIn(branch: BranchExecution, looker: Looker, whatIf: WhatIf, { expression, place }: Holds, limit: number, work: Work | undefined): Promise<boolean> {
  if (namesInstance(place)) {
    const { recording, modules, statements } = whatIf;
    const found = await unlessMissing(arrivalAt(whatIf, { execution: branch, recording, end: at(limit), modules, statements }, place, work));
    if (found === undefined || found.time < branch.start.time) return false;
    await branch.seek(at(found.time), work);
    return isTrue(looker, expression, branch.state, found.thread);
  }
  const addresses = addressesOf(place, whatIf);
  // A search begins after where it stands.
  const here = branch.state.current?.id;
  const pc = here === undefined ? undefined : branch.state.register(here, 'rip');
  if (here !== undefined && pc !== undefined && addresses.includes(guestAddr(Number(pc))) && isTrue(looker, expression, branch.state, here)) return true;
  const conditions = [{ kind: 'address', addresses }, { kind: 'time', time: time(limit) }] as const;
  const hit = await branch.forward(conditions, work, { accepts: ({ kind, task }, state) => kind === 'time' || isTrue(looker, expression, state, task) });
  return hit !== undefined && hit.kind === 'address';
}

/** Where control comes to the place, as a breakpoint there would stop. */
function addressesOf(place: string, { program }: WhatIf): ReturnType<typeof guestAddr>[] {
  return resolveLocation(place, { program }).map(({ address }) => guestAddr(Number(address)));
}

async function arrivalAt({ program, statements }: WhatIf, run: InstanceRun, place: string, work: Work | undefined): Promise<{ readonly time: number; readonly thread: number }> {
  const call = parseCall(place);
  if (call !== undefined) return findCall(run, call.function, call.instance, undefined, work);
  const text = parseStatement(place);
  if (text?.instance === undefined || text.instance < 1) throw new UserError(`${place}: write FILE:LINE#N, with N from 1 on`);
  return findArrival(run, findStatement(text, { modules: program.modules.all, statements }), text.instance, undefined, work);
}

/** What has no value there is not true; the first time it is said why, if asked. */
function isTrue({ evaluator, modules }: Looker, expression: string, state: State, id: number, isLoud = false): boolean {
  const thread = state.threads.find((one) => one.id === id);
  if (thread === undefined) return false;
  const view = new ProgramView(state, thread, modules);
  try {
    return evaluator.evaluate(expression, view, new Backtrace(view).frames(1)[0]).isTrue;
  } catch (error) {
    if (error instanceof UserError && !isLoud) return false;
    throw error;
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
