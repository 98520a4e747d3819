/**
 * What is done about values that have shadow: where shadow begins, and what happens where it is used. The shadow of
 * registers and memory, and how instructions propagate it, are the same for all policies (instructionShadow.ts).
 */
import type { GuestAddr } from '../../base/types.js';
import type { Block } from '../../ir/ir.js';
import type { SlotRange } from '../../ir/meaning/stateBytes.js';
import type { MemoryRange } from '../../ir/meaning/strings.js';
import type { Stop, UndefinedSource } from '../stop.js';
import type { InstructionShadow, ShadowedMachine } from './instructionShadow.js';

/** An instruction that is about to be executed, and that shadow has something to do with. */
export interface ShadowedInstruction {
  readonly at: GuestAddr;
  readonly block: Block;
  readonly shadow: InstructionShadow;
  readonly machine: ShadowedMachine;
  /** The address of the byte that the shadow which it reads comes from. */
  origin(): number;
  /** What the value that it uses was made of. */
  source(): UndefinedSource | undefined;
}

export type Decision =
  /** `done` is called when it has been executed: not if it faults. */
  | { readonly kind: 'goOn'; readonly done?: () => void }
  /** The engine stops before the instruction. When it runs again it executes it, and what it read has no shadow. */
  | { readonly kind: 'stop'; readonly stop: Stop }
  /** It is not executed, control goes to the next one, and these get shadow. */
  | { readonly kind: 'leaveOut'; readonly slots: readonly SlotRange[]; readonly memory: readonly MemoryRange[] };

export interface ShadowPolicy {
  /** Whether frames of functions, and what grows on the stack, begin with shadow. */
  readonly startsInFrames: boolean;
  /**
   * Whether shadow may be given up that is hardly worth following: in registers that are dead by the calling
   * convention or that no instruction has touched for long, and behind loads that have led to no use many times.
   */
  readonly isForgetful: boolean;
  decide(instruction: ShadowedInstruction): Decision;
  /**
   * Given if generated code may propagate shadow by itself (ir/propagation/). Then the policy is asked only about
   * instructions that let shadow decide something, that overwrite nothing but registers and memory by no rule of
   * generated code, or that hand shadow on for the first time.
   */
  readonly propagation?: Propagation;
}

export interface Propagation {
  /** After so many instructions that were executed one by one (0: from the beginning on); there is a good number. */
  readonly after?: number;
  /** What has shadow has overwritten a word of the stack that had none, which is told with what it was. */
  overwritten(address: number, word: bigint): void;
}

export const GO_ON: Decision = { kind: 'goOn' };
