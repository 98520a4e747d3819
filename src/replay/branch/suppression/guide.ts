/**
 * Where control goes when what decides it is corrupt, and what counts as written on the way that is not gone. That
 * needs control-flow graphs and unwinding tables, which are above us: who wants a suppressed run hands a guide over.
 */
import type { MemoryRange } from '../../../ir/meaning/strings.js';
import type { SlotRange } from '../../../ir/meaning/stateBytes.js';
import type { State } from '../../timeline/state.js';
import type { Type } from '../../../ir/opDef.js';

/** The thread that stands before such an instruction. */
export interface GuidedMachine {
  readonly rip: number;
  /** The same for all threads of a program, and another after it has executed another one. */
  readonly program: object;
  slot(offset: number, type: Type): bigint;
  isSlotCorrupt(offset: number): boolean;
  /** Null if a byte is not there. */
  read(address: number, length: number): Uint8Array | null;
  isMemoryCorrupt(address: number, bytes: number): boolean;
  /** Eight bytes of the stack as they were before corrupt data overwrote them, if that is known. */
  before(address: number): bigint | undefined;
}

export interface Detour {
  /** What slots hold afterwards, by offset; rip is one of them. They are clean. */
  readonly registers: ReadonlyMap<number, bigint>;
  /** What becomes corrupt. */
  readonly slots: readonly SlotRange[];
  readonly memory: readonly MemoryRange[];
}

export interface SuppressionGuide {
  /** Told once before the branch runs: what is loaded. */
  begin(state: State): void;
  /** Around all that the jump at rip decides; undefined if that is not known. */
  around(machine: GuidedMachine): Detour | undefined;
  /** The call at rip is not made: where control goes if it would never have come back; undefined: behind the call. */
  afterCall(machine: GuidedMachine): Detour | undefined;
}
