/** What brute force knows of every instance: what it used, and what had defined that. */
import type { InstructionDependences } from '../../src/ir/dependences/instructionDependences.js';
import type { KnownInstruction } from './bruteInstructions.js';

/** An output of an instance: what it left in a cell, or in a byte of memory. */
export type Output = number;
export const OUTPUTS = 0x80_0000;
export const STORED = 1024;
export const PER_ACCESS = 0x8_0000;
/** Bytes that a system call has sent or received, by their places in `carried`. */
export const CARRIED = 0x40_0000;
/** What the kernel did for it. */
export const BY_KERNEL = OUTPUTS - 1;
export const NOTHING = -1;

/** An instruction as it was executed. */
export interface Instance {
  readonly known: KnownInstruction;
  readonly dependences: InstructionDependences;
  readonly thread: number;
  /** Of every access: where its first byte is. Of repeated ones: of the lowest element. */
  readonly addresses: readonly number[];
  readonly sizes: readonly number[];
  /** Of its uses: what had defined them. */
  readonly definers: ReadonlyMap<number, Output>;
  /** Of a system call: the cells with its arguments. */
  readonly asks: readonly number[];
  /** Of loads of repeated string instructions, byte by byte. */
  readonly loaded: readonly (readonly Output[])[];
  /** Of bytes that `rep movs` leaves: which of the loaded bytes it is. */
  readonly source: ((byte: number) => number) | undefined;
  readonly parent: number;
  /** Of memory that a system call has looked at to know what to do. */
  readonly looked: Output[];
  /** Of bytes that a system call sends or receives: what had defined them where they came from. */
  readonly carried: Output[];
}

export interface BruteSlice {
  readonly members: ReadonlySet<number>;
  /** "from>to data" and "from>to control", by times. */
  readonly edges: ReadonlySet<string>;
}

/** The node in edges of what was asked for. */
export const ASKED = 0x3f_fff0;

/** What is asked for, at a time: cells, bytes of memory, or the instance of that time with all that it uses. */
export interface Asked {
  readonly time: number;
  readonly thread: number;
  readonly space: number;
  readonly cells: readonly number[];
  readonly bytes: readonly number[];
  readonly isSeed: boolean;
}

/** The same with what had defined it then. */
export interface Sample {
  readonly asked: Asked;
  readonly definers: readonly Output[];
}

export interface BruteOptions {
  readonly frames: boolean;
  /** Where it begins to step: what functions were under way then is not known, and makes no difference. */
  readonly begin: number;
  /** Instances before are not looked at. */
  readonly from: number;
  readonly to: number;
  /** Something is asked for at these times; `random` gives numbers below a limit. */
  readonly samples: ReadonlySet<number>;
  readonly random: (below: number) => number;
}
