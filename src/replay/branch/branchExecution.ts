/**
 * A what-if branch as debuggers see it: an execution like a recording's timeline, which can be gone through in both
 * directions, and which can be altered wherever it stands. It begins at `start`; what was before is the recording's
 * business.
 *
 * The branch runs as far as its reader wants to see it: `endTime` is what is known so far, and `forward`, `seek` and
 * `seekEnd` make it longer. It may run for ever, so hand a `Work` over that can be cancelled.
 */
import type { ExitStatus } from '../../linux/process.js';
import type { Position } from '../log/position.js';
import type { Execution } from '../timeline/execution.js';
import type { Work } from '../timeline/work.js';
import type { Alteration } from './alterations.js';
import type { BranchPoint } from './branch.js';
import type { Departure } from './follower.js';
import type { SuppressionGuide } from './suppression/guide.js';
import type { LeftOutInstruction } from './suppression/suppression.js';

/** Makes branches of a recording. */
export interface BranchMaker {
  /** A branch that starts there, and stands there. The recording's timeline stays where it is. */
  branchAt(position: Position, work?: Work): Promise<BranchExecution>;
  /** One that is altered, run and dropped, and of which only its end is of interest: it keeps no log. */
  trialAt?(position: Position): Promise<TrialBranch>;
  /**
   * One in which instances of instructions, and all that depends on them, are left out. It has run to its end, and
   * stands where it begins.
   */
  suppressedAt?(request: SuppressionRequest, work?: Work): Promise<SuppressedBranch>;
}

export interface SuppressionRequest {
  /** Before all points. */
  readonly start: Position;
  readonly points: readonly BranchPoint[];
  readonly guide: SuppressionGuide;
  /** It does not go beyond this time. */
  readonly limit: number;
}

export interface SuppressedBranch {
  /** `end` is undefined if it has come to its limit. */
  readonly branch: BranchExecution;
  readonly leftOut: readonly LeftOutInstruction[];
  /** What may make it different from what it should be. */
  readonly remarks: readonly string[];
}

/** A branch that is not looked into. */
export interface TrialBranch {
  readonly time: number;
  readonly output: readonly BranchOutput[];
  alter(alteration: Alteration): Promise<void>;
  run(instructions: number): Promise<BranchStop>;
  drop(): void;
}

/** Why a trial stands where it does. */
export type BranchStop = { readonly kind: 'reached' } | BranchEnd;

export interface BranchOutput {
  /** When it was written. */
  readonly time: number;
  readonly fd: number;
  readonly bytes: Uint8Array;
}

/** Why a branch does not go on. */
export type BranchEnd =
  /** The last process has ended; how the first one did. */
  | { readonly kind: 'ended'; readonly status: ExitStatus }
  /** All wait for each other; what each of them does. */
  | { readonly kind: 'deadlock'; readonly tasks: readonly string[] }
  /** The recording was cut off here, and the branch had nothing else to go by. */
  | { readonly kind: 'cutOff' }
  /** The recording does not know enough to go on. */
  | { readonly kind: 'unsupported'; readonly why: string };

export interface FunctionCall {
  readonly thread: number;
  /** Of the function. */
  readonly address: number;
  /** Integers and pointers; up to six. */
  readonly arguments: readonly bigint[];
  /** xmm0 to xmm7, 128 bits each. */
  readonly vectors?: readonly bigint[];
  /** What lies on the stack above the return address. */
  readonly stack?: Uint8Array;
}

/** Where functions leave their results. st0 and st1 have 80 bits, xmm0 and xmm1 128. */
export interface FunctionResult {
  readonly rax: bigint;
  readonly rdx: bigint;
  readonly xmm0: bigint;
  readonly xmm1: bigint;
  readonly st0: bigint;
  readonly st1: bigint;
}

export interface BranchExecution extends Execution {
  readonly start: Position;
  /** Undefined as long as it has not come to its end, which is not the same as that it has none. */
  readonly end: BranchEnd | undefined;
  /** Where the program first asked something that the recording has no answer to, in the part that is known. */
  readonly departure: Departure | undefined;
  /** What may make the branch different from what would have been. */
  readonly warnings: readonly string[];
  /** What was written to the streams that the user had given the run, since `start`, up to the position. */
  readonly output: readonly BranchOutput[];

  /**
   * Alterations are made where the execution stands, and everything known of the time after it is forgotten. Threads
   * are named as hits name them. They throw a UserError, and change nothing, if there is no such register or memory, or
   * if the branch has ended. If the execution stands where the kernel is at work between two instructions, they are
   * made after that.
   */
  setRegister(thread: number, name: string, value: bigint): Promise<void>;
  writeMemory(thread: number, address: number, bytes: Uint8Array): Promise<void>;
  /** The thread's next instruction is not executed. */
  skip(thread: number): Promise<void>;
  /** Runs up to the next conditional jump, which then goes the other way. */
  flip(work?: Work): Promise<void>;
  /**
   * Lets the thread call a function and come back: it stands where that has returned, with all registers (but not the
   * memory) as they were. The result is what was in rax; undefined if the function did not return, and then it stands
   * at the end.
   */
  callFunction(call: FunctionCall, work?: Work): Promise<bigint | undefined>;
  /** The same, with all registers in which there may be a result. */
  call(call: FunctionCall, work?: Work): Promise<FunctionResult | undefined>;

  /** Another branch that stands where this one does. */
  fork(work?: Work): Promise<BranchExecution>;
  /** It is not needed any more. */
  drop(): void;
}
