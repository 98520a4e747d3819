/**
 * A trial: something is altered, the program runs on, and how it ended is all that is kept. There is no log and no
 * timeline of it, so that many trials are cheap; where an alteration cannot be made that way (what it changes depends
 * on the altered run), a branch that can be looked at is used instead.
 */
import type { BranchOutput, BranchStop, TrialBranch } from '../replay/branch/branchExecution.js';
import type { PlainAlteration } from '../replay/branch/recordedBranch.js';
import type { Work } from '../replay/timeline/work.js';
import { breathe } from '../replay/timeline/work.js';
import { time } from '../base/types.js';
import type { Alteration } from './alteration.js';
import { type ApplyRequest, applyAlterations, type Beginning, beginningOf, type WhatIf } from './apply.js';

export interface TrialRequest extends ApplyRequest {
  /** Instructions after the beginning of the branch. */
  readonly limit: number;
}

export type TrialEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  /** Killed by SIGABRT: by itself. */
  | { readonly kind: 'abort' }
  | { readonly kind: 'deadlock' }
  | { readonly kind: 'limit' }
  | { readonly kind: 'unsupported'; readonly why: string };

export interface TrialResult {
  readonly end: TrialEnd;
  /** When it began to differ, and when it ended. */
  readonly start: number;
  readonly time: number;
  /** Since it began to differ: by descriptor. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

const SIGABRT = 6;
/** Instructions between two looks at whether the user has had enough. */
const PART = 20_000_000;

/** Throws a UserError if the alterations cannot be made. */
export async function trial(whatIf: WhatIf, alterations: readonly Alteration[], request: TrialRequest): Promise<TrialResult> {
  const beginning = await beginningOf(whatIf, alterations, request);
  const { maker } = whatIf;
  if (maker.trialAt === undefined || beginning.later.length > 0 || beginning.first?.until !== undefined) return withBranch(whatIf, alterations, request);
  const branch = await maker.trialAt(beginning.start);
  try {
    await begin(branch, beginning);
    const stop = await runOn(branch, request.limit, request.work);
    return result(branch.output, stop, beginning.start.time, branch.time);
  } finally {
    branch.drop();
  }
}

async function begin(branch: TrialBranch, { writes, first }: Beginning): Promise<void> {
  const all = async (deeds: readonly PlainAlteration[]): Promise<void> => {
    for (const deed of deeds) await branch.alter(deed);
  };
  await all(writes);
  await all(first?.deeds ?? []);
  if (first?.after === undefined) return;
  await branch.run(1);
  await all(first.after);
}

async function runOn(branch: TrialBranch, limit: number, work: Work | undefined): Promise<BranchStop> {
  const end = branch.time + limit;
  for (;;) {
    const stop = await branch.run(Math.min(PART, end - branch.time));
    if (stop.kind !== 'reached' || branch.time >= end) return stop;
    await breathe(work);
  }
}

async function withBranch(whatIf: WhatIf, alterations: readonly Alteration[], request: TrialRequest): Promise<TrialResult> {
  const branch = await applyAlterations(whatIf, alterations, request);
  try {
    const limit = branch.start.time + request.limit;
    await branch.forward([{ kind: 'time', time: time(limit) }], request.work);
    const stop: BranchStop = branch.end !== undefined && branch.position.time < limit ? branch.end : { kind: 'reached' };
    return result(branch.output, stop, branch.start.time, branch.position.time);
  } finally {
    branch.drop();
  }
}

function result(output: readonly BranchOutput[], stop: BranchStop, start: number, ended: number): TrialResult {
  const of = (isWanted: (fd: number) => boolean): Uint8Array => joined(output.filter(({ fd }) => isWanted(fd)).map(({ bytes }) => bytes));
  return { end: trialEndOf(stop), start, time: ended, stdout: of((fd) => fd !== 2), stderr: of((fd) => fd === 2) };
}

export function trialEndOf(stop: BranchStop): TrialEnd {
  switch (stop.kind) {
    case 'reached': return { kind: 'limit' };
    case 'deadlock': return { kind: 'deadlock' };
    case 'cutOff': return { kind: 'unsupported', why: 'the recording is cut off there' };
    case 'unsupported': return stop;
    case 'ended':
      if (stop.status.kind === 'exited') return { kind: 'exited', code: stop.status.code };
      return stop.status.signal === SIGABRT ? { kind: 'abort' } : { kind: 'killed', signal: stop.status.signal };
  }
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
