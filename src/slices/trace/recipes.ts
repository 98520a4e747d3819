/**
 * What is wanted before an instruction, if some of its outputs are wanted after it: made once for each combination of
 * outputs that was met, so that the walk does not put sets together for every instance.
 */
import type { InstructionDependences } from '../../ir/dependences/instructionDependences.js';
import { isCell, loadOf, type Refs } from '../../ir/dependences/refs.js';
import { RSP } from '../../layout/cpuState.js';
import type { SliceGraph } from '../graph.js';
import type { WanterSet } from '../wants/wanters.js';
import type { CodeInstruction } from './codeTable.js';
import { CELLS_OF, FIRST_CELL, UNIT_OF, unitBits } from './units.js';

export interface Recipe {
  /** Whole units (units.ts), and cells of which the rest of the unit is not wanted. */
  readonly units: Int32Array;
  readonly cells: Int32Array;
  /** Three numbers each: which access, its first byte that is wanted, how many. */
  readonly loads: Int32Array;
}

/** A combination of units that are wanted whole, and its recipe. */
export interface Combination extends Recipe {
  readonly wanted: Int32Array;
  /** The edge that was made with it last. */
  lastFound: WanterSet;
  lastNode: number;
  lastGraph: SliceGraph | undefined;
}

export const FRAME = { none: 0, point: 1, save: 2, restore: 3 } as const;
const NOTHING: Recipe = { units: new Int32Array(0), cells: new Int32Array(0), loads: new Int32Array(0) };
/** Outputs that fit in a number with a bit for each. */
const MOST_BITS = 30;
const TWO_32 = 0x1_0000_0000;

/** Of one instruction. */
export class Recipes {
  /** Units that it writes, in the only words with any, if there are no more than two. */
  readonly wordA: number;
  readonly maskA: number;
  readonly wordB: number;
  readonly maskB: number;
  readonly masks: Int32Array;
  /** What it writes are whole units in two words of them at most. */
  readonly isPlain: boolean;
  readonly cells: Int32Array;
  /** If there are few: each has a bit in the key of a recipe. */
  readonly isSmall: boolean;
  readonly hasStores: boolean;
  readonly dependences: InstructionDependences;
  /** One of FRAME, and the first cell of the register. */
  readonly frame: number;
  readonly register: number;
  private lastA = 0;
  private lastB = 0;
  private last: Combination | undefined;
  private readonly combinations = new Map<number, Combination>();
  private readonly known = new Map<number, Recipe>();
  private readonly stores: { readonly known: Map<number, Recipe>; lastKey: number; last: Recipe }[];
  private own: Recipe | undefined;
  private deciding: Recipe | undefined;

  constructor(
    readonly instruction: CodeInstruction,
    dependences: InstructionDependences,
    private readonly withFrames: boolean,
  ) {
    const { cells, accesses } = dependences;
    this.dependences = dependences;
    this.cells = Int32Array.from(cells);
    this.isSmall = cells.length <= MOST_BITS;
    this.masks = unitBits(cells);
    const words = [...this.masks.keys()].filter((word) => this.masks[word] !== 0);
    [this.wordA, this.wordB] = [words[0] ?? 0, words[1] ?? 0];
    this.maskA = this.masks[this.wordA] as number;
    this.maskB = words.length < 2 ? 0 : (this.masks[this.wordB] as number);
    this.isPlain = words.length <= 2 && grouped(cells).cells.length === 0;
    this.hasStores = accesses.some(({ isWrite }) => isWrite);
    const { frame } = instruction;
    this.frame = withFrames ? FRAME.none : FRAME[frame.kind];
    this.register = frame.kind === 'save' || frame.kind === 'restore' ? frame.register : -1;
    this.stores = accesses.map(() => ({ known: new Map<number, Recipe>(), lastKey: 0, last: NOTHING }));
  }

  /** Of units that are wanted whole: their bits in the two words. */
  forUnits(a: number, b: number): Combination {
    if (a === this.lastA && b === this.lastB && this.last !== undefined) return this.last;
    const key = (a >>> 0) + (b >>> 0) * TWO_32;
    let made = this.combinations.get(key);
    if (made === undefined) {
      const isWanted = (cell: number): boolean => {
        const unit = UNIT_OF[cell] as number;
        return ((unit >> 5 === this.wordA ? a : b) & (1 << (unit & 31))) !== 0;
      };
      const { cells, inputs } = this.dependences;
      made = { ...this.make(inputs.filter((_, i) => isWanted(cells[i] as number))), wanted: grouped(cells.filter(isWanted)).units, lastFound: 0, lastNode: -1, lastGraph: undefined };
      this.combinations.set(key, made);
    }
    this.lastA = a;
    this.lastB = b;
    this.last = made;
    return made;
  }

  /** Of cells whose bits, by their place in `cells`, are set in a key. */
  forCells(key: number): Recipe {
    let recipe = this.known.get(key);
    if (recipe === undefined) {
      recipe = this.make(this.dependences.inputs.filter((_, i) => (key & (1 << i)) !== 0));
      this.known.set(key, recipe);
    }
    return recipe;
  }

  /** Of single cells, where there are too many for a key. */
  forCell(index: number): Recipe {
    return this.make([this.dependences.inputs[index] as Refs]);
  }

  /** Of stored bytes whose bits are set in a key. */
  forStored(access: number, key: number): Recipe {
    const of = this.stores[access] as (typeof this.stores)[number];
    if (of.lastKey === key) return of.last;
    let recipe = of.known.get(key);
    if (recipe === undefined) {
      const { stored } = this.dependences.accesses[access] as InstructionDependences['accesses'][number];
      recipe = this.make(stored.filter((_, i) => (key & (1 << i)) !== 0));
      of.known.set(key, recipe);
    }
    of.lastKey = key;
    of.last = recipe;
    return recipe;
  }

  /** Of one stored byte; of `rep movs` without what it was copied from. */
  forStoredByte(access: number, byte: number): Recipe {
    const { stored } = this.dependences.accesses[access] as InstructionDependences['accesses'][number];
    const refs = stored[byte % stored.length] as Refs;
    return this.make([this.dependences.repeats === 'rep.movs' ? refs.filter(isCell) : refs]);
  }

  /** Everything that the instruction uses. */
  get everything(): Recipe {
    const { inputs, accesses, decision } = this.dependences;
    return (this.own ??= this.make([...inputs, ...accesses.flatMap(({ address, stored }) => [address, ...stored]), decision]));
  }

  get decision(): Recipe {
    return (this.deciding ??= this.make([this.dependences.decision]));
  }

  private make(all: readonly Refs[]): Recipe {
    const refs = [...new Set(all.flat())].sort((a, b) => a - b);
    const cells = refs.filter((ref) => isCell(ref) && (this.withFrames || ref < RSP.offset || ref >= RSP.offset + 8));
    const loads: number[] = [];
    for (const ref of refs) {
      if (isCell(ref)) continue;
      const { access, byte } = loadOf(ref);
      const last = loads.length - 3;
      if (last >= 0 && loads[last] === access && (loads[last + 1] as number) + (loads[last + 2] as number) === byte) loads[last + 2] = (loads[last + 2] as number) + 1;
      else loads.push(access, byte, 1);
    }
    return { ...grouped(cells), loads: Int32Array.from(loads) };
  }
}

/** Cells, in order, as units where those are whole. */
function grouped(cells: readonly number[]): { readonly units: Int32Array; readonly cells: Int32Array } {
  const all = new Set(cells);
  const isWhole = (unit: number): boolean => {
    for (let i = 0; i < (CELLS_OF[unit] as number); i++) if (!all.has((FIRST_CELL[unit] as number) + i)) return false;
    return true;
  };
  const whole = new Set([...new Set(cells.map((cell) => UNIT_OF[cell] as number))].filter(isWhole));
  return { units: Int32Array.from(whole), cells: Int32Array.from(cells.filter((cell) => !whole.has(UNIT_OF[cell] as number))) };
}
