/**
 * A run in which some instances of instructions, and all that depends on them, are left out: the contract between those
 * who choose what to leave out and those who do it.
 */
import { UserError } from '../../base/errors.js';
import type { BranchEnd, BranchExecution } from '../../replay/branch/branchExecution.js';
import type { Position } from '../../replay/log/position.js';

/** An instance of an instruction: what it writes counts as corrupt from there on. */
export interface SuppressionPoint {
  /** Where the thread stands right before it. */
  readonly position: Position;
  readonly thread: number;
}

/** An instruction of which instances were left out, because they used what is corrupt. */
export interface LeftOut {
  readonly address: number;
  readonly count: number;
  /** Of the first instance. */
  readonly time: number;
  readonly thread: number;
  readonly why: 'point' | 'data' | 'address' | 'condition' | 'target' | 'return' | 'call' | 'systemCall';
}

export interface SuppressedRun {
  /** It begins before the first point and stands at its end. The caller drops it. */
  readonly branch: BranchExecution;
  readonly end: BranchEnd | { readonly kind: 'limit' };
  readonly leftOut: readonly LeftOut[];
}

/** Stand-in until it can be done. */
export async function suppressedRun(_debug: unknown, _points: readonly SuppressionPoint[], _options: unknown): Promise<SuppressedRun> {
  throw new UserError('not yet');
}
