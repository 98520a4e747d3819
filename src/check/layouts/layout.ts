/**
 * Where variables are to lie in a run, other than the compiler has put them: values that JSON can carry, so that runs
 * can be made elsewhere. Addresses are those of the program's file, without load bias.
 */

/** A variable that code and data have to be patched for if it is to lie elsewhere. */
export interface MovableGlobal {
  readonly name: string;
  readonly address: number;
  readonly size: number;
  readonly alignment: number;
  readonly isBuffer: boolean;
  readonly isAddress: boolean;
}

/** A place in a frame, by its offset from rbp. */
export interface MovableSlot {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly alignment: number;
  readonly isBuffer: boolean;
  readonly isAddress: boolean;
  /** The lowest offset that all instructions which name it have room for. */
  readonly lowest: number;
}

export interface MovableFrame {
  readonly function: string;
  /** Where the function begins. */
  readonly address: number;
  /** Below it are no variables. */
  readonly lowest: number;
  /** What has to stay: saved registers, the stack protector's word, what has no name. */
  readonly fixed: readonly { readonly offset: number; readonly size: number }[];
  readonly slots: readonly MovableSlot[];
}

export interface Unmovable {
  readonly name: string;
  readonly why: string;
}

export interface MovableProgram {
  readonly globals: readonly MovableGlobal[];
  readonly frames: readonly MovableFrame[];
  readonly unmovable: readonly Unmovable[];
}

/** A global and where it goes, counted from where room is made for all of them. */
export interface PlacedGlobal {
  readonly address: number;
  readonly offset: number;
}

export interface PlacedFrame {
  readonly address: number;
  /** Offsets from rbp: as they were, and as they are to be. */
  readonly slots: readonly { readonly from: number; readonly to: number }[];
}

/**
 * `apart`: every global has memory of its own with nothing mapped behind it; `pairs`: a variable is right behind a
 * buffer; the heap's blocks lie in the order of their allocation, or the other way round.
 */
export interface Layout {
  readonly number: number;
  readonly kind: 'apart' | 'pairs';
  readonly globals: readonly PlacedGlobal[];
  /** Bytes that the globals need. */
  readonly bytes: number;
  /** Offsets of pages that are not to be mapped. */
  readonly gaps: readonly number[];
  readonly frames: readonly PlacedFrame[];
  readonly heap: 'up' | 'down';
  /** Which buffers it has before which variables: `name, level`, `main: line, return address`. */
  readonly serves: readonly string[];
}
