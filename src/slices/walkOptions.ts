/** What a walk is asked: what counts as a dependence, which node an instance belongs to, and where it begins. */
import type { CodeInstruction } from './trace/codeTable.js';

export interface WalkOptions {
  readonly data: boolean;
  readonly control: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames: boolean;
  /**
   * The node of an instance; calls of libraries are one node each unless this says otherwise. A function that looks at
   * the time must name it as its third parameter: where there are only two, walks do again what they have done before.
   */
  readonly nodeOf: (instruction: CodeInstruction, site: number, time: number) => number;
  /** Only instructions for which this holds are looked at; what others define is theirs alone. */
  readonly isWatched?: (instruction: CodeInstruction) => boolean;
}

/** Instances that are asked for: between two times, those for which `isSeed` holds. */
export interface Seeds {
  readonly from: number;
  readonly to: number;
  readonly isSeed: (time: number, instruction: CodeInstruction, thread: number) => boolean;
}
