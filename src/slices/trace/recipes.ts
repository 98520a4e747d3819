/**
 * What is wanted before an instruction, if some of its outputs are wanted after it: made once for each combination of
 * outputs that was met, so that the walk does not put sets together for every instance.
 */
import type { InstructionDependences } from '../../ir/dependences/instructionDependences.js';
import { isCell, loadOf, type Refs } from '../../ir/dependences/refs.js';
import { RSP } from '../../layout/cpuState.js';

export interface Recipe {
  readonly cells: Int32Array;
  /** Three numbers each: which access, its first byte that is wanted, how many. */
  readonly loads: Int32Array;
}

const NOTHING: Recipe = { cells: new Int32Array(0), loads: new Int32Array(0) };
/** Outputs that fit in a number with a bit for each. */
const MOST_BITS = 30;

/** Of one instruction. */
export class Recipes {
  /** Words of 32 cells that it writes, and which of them: for a quick look. */
  readonly words: Int32Array;
  readonly bits: Int32Array;
  readonly cells: Int32Array;
  /** If there are few: each has a bit in the key of a recipe. */
  readonly isSmall: boolean;
  private lastKey = -1;
  private lastRecipe = NOTHING;
  private readonly known = new Map<number, Recipe>();
  private readonly stores: Map<number, Recipe>[];
  private own: Recipe | undefined;
  private deciding: Recipe | undefined;

  constructor(
    readonly dependences: InstructionDependences,
    private readonly withFrames: boolean,
  ) {
    const { cells, accesses } = dependences;
    this.cells = Int32Array.from(cells);
    this.isSmall = cells.length <= MOST_BITS;
    const written = new Map<number, number>();
    for (const cell of cells) written.set(cell >> 5, (written.get(cell >> 5) ?? 0) | (1 << (cell & 31)));
    this.words = Int32Array.from(written.keys());
    this.bits = Int32Array.from(written.values());
    this.stores = accesses.map(() => new Map<number, Recipe>());
  }

  /** Of cells whose bits, by their place in `cells`, are set in a key. */
  forCells(key: number): Recipe {
    if (key === this.lastKey) return this.lastRecipe;
    let recipe = this.known.get(key);
    if (recipe === undefined) {
      recipe = this.make(this.dependences.inputs.filter((_, i) => (key & (1 << i)) !== 0));
      this.known.set(key, recipe);
    }
    this.lastKey = key;
    this.lastRecipe = recipe;
    return recipe;
  }

  /** Of single cells, where there are too many for a key. */
  forCell(index: number): Recipe {
    return this.make([this.dependences.inputs[index] as Refs]);
  }

  /** Of stored bytes whose bits are set in a key. */
  forStored(access: number, key: number): Recipe {
    const known = this.stores[access] as Map<number, Recipe>;
    let recipe = known.get(key);
    if (recipe === undefined) {
      const { stored } = this.dependences.accesses[access] as InstructionDependences['accesses'][number];
      recipe = this.make(stored.filter((_, i) => (key & (1 << i)) !== 0));
      known.set(key, recipe);
    }
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
    return { cells: Int32Array.from(cells), loads: Int32Array.from(loads) };
  }
}
