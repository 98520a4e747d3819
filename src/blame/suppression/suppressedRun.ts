/**
 * A run in which some instances of instructions, and all that depends on them, are left out: the contract between those
 * who choose what to leave out and those who do it.
 *
 * What is left out takes no time: the instruction that is executed instead has the time that the other one would have
 * had. Runs are the same each time. So a point that was found in a run with some points has its time in that run; with
 * one point more, everything before the new point is the same, and the times of all points hold in the new run if the
 * new point is the last of them. If it is not, points after it are only where they were if nothing before them depends
 * on it: who adds a point before others should take those away that come after it.
 */
import { UserError } from '../../base/errors.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import type { BranchEnd, BranchExecution, BranchMaker } from '../../replay/branch/branchExecution.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import { CodeGuide } from './codeGuide.js';

/** An instance of an instruction: what it writes counts as corrupt from there on. */
export interface SuppressionPoint {
  /** Where the thread stands right before it. */
  readonly position: Position;
  readonly thread: number;
  /** The instruction, if it is known: where control has gone elsewhere by then, only `memory` is corrupt. */
  readonly address?: number;
  /** What it wrote in the run in which it was found: corrupt from there on, also if its address is corrupt by now. */
  readonly memory?: { readonly address: number; readonly bytes: number };
  /** Instances that go with it, so many instructions later in a run without those before them. */
  readonly alsoAfter?: readonly { readonly instructions: number; readonly address: number; readonly memory: { readonly address: number; readonly bytes: number } }[];
}

/** An instruction of which instances were left out, because they used what is corrupt. */
export interface LeftOut {
  readonly address: number;
  /** Of the first instance. */
  readonly time: number;
  readonly why: 'point' | 'data' | 'address' | 'condition' | 'target' | 'return' | 'call' | 'systemCall';
}

export interface SuppressedRun {
  /** It begins before the first point and stands at its end. The caller drops it. */
  readonly branch: BranchExecution;
  readonly end: BranchEnd | { readonly kind: 'limit' };
  readonly leftOut: readonly LeftOut[];
  /** What the run does not know, for users. */
  readonly remarks: readonly string[];
}

interface SuppressionOptions {
  /** Makes branches of the recording that the points are of; default: the debugger's. */
  readonly maker?: BranchMaker;
  /** Instructions after which it is given up, from the beginning of the recording on. */
  readonly limit?: number;
  readonly work?: Work | undefined;
}

/** Instructions that a suppressed run may take more than three times as many as the recorded one. */
const PATIENCE = 10_000_000;

export async function suppressedRun({ modules, recording, branchMaker }: Pick<Debugger, 'modules' | 'recording' | 'branchMaker'>, points: readonly SuppressionPoint[], { maker = branchMaker, limit, work }: SuppressionOptions): Promise<SuppressedRun> {
  const [first] = [...points].sort((a, b) => comparePositions(a.position, b.position));
  if (first === undefined) throw new UserError('nothing is to be left out');
  if (maker?.suppressedAt === undefined) throw new UserError('no instruction of this execution can be left out');
  const remarks = new Set<string>();
  const { branch, leftOut, remarks: others } = await maker.suppressedAt({
    start: first.position,
    points: points.flatMap(({ position: { time }, thread, address, memory, alsoAfter = [] }) => [
      { time, thread, ...(address === undefined ? {} : { address }), ...(memory === undefined ? {} : { memory }) },
      ...alsoAfter.map((one) => ({ time: time + one.instructions, thread, address: one.address, memory: one.memory })),
    ]),
    guide: new CodeGuide(modules, first.thread, (text) => void remarks.add(text)),
    limit: limit ?? recording.endTime * 3 + PATIENCE,
  }, work);
  return { branch, end: branch.end ?? { kind: 'limit' }, leftOut, remarks: [...remarks, ...others] };
}

/** The system call of a thread whose effect, at a position, was a write of the kernel's. The execution stays. */
export async function systemCallPoint(execution: Execution, position: Position, thread: number, work?: Work): Promise<SuppressionPoint> {
  const { position: before } = execution;
  await execution.seek(position, work);
  const made = await execution.backward([{ kind: 'syscall' }], work, { accepts: ({ task }) => task === thread });
  await execution.seek(before, work);
  return { position: at(made?.position.time ?? position.time - 1), thread };
}
