/** The control-flow graph of a function: nodes are stretches of instructions that are executed one after the other. */
import type { Exploration, Stretch } from './exploration.js';
import { postDominators } from './postDominators.js';

export interface CodeNode {
  readonly index: number;
  readonly start: number;
  /** The first address after it. */
  readonly end: number;
  /** The address of its last instruction. */
  readonly last: number;
  /** Indices, each once. */
  readonly successors: readonly number[];
  /** Whether control may leave the function at its end: it returns, jumps elsewhere, or calls what does not return. */
  readonly leaves: boolean;
  /** More than one way to go on: instructions after it may be control dependent on it. */
  readonly isBranch: boolean;
  /** Index of the immediate post-dominator; EXIT if it is the end of the function. */
  readonly postDominator: number;
}

export interface FunctionGraph {
  readonly entry: number;
  readonly name: string | undefined;
  /** The first is the entry's, the others are in the order of addresses. */
  readonly nodes: readonly CodeNode[];
  /** Whether some path returns: also in place of the function, by a jump to another. */
  readonly returns: boolean;
  /** The node that has an instruction at the address; undefined where none begins. */
  nodeAt(address: number): CodeNode | undefined;
}

/** Nodes further apart than this do not share a table of their instructions. */
const FAR = 4096;

export function makeGraph(entry: number, name: string | undefined, code: Exploration): FunctionGraph {
  const stretches = code.stretches(entry);
  const indexOf = new Map(stretches.map(({ start }, i) => [start, i]));
  const successors = stretches.map(({ ending }) => ending.targets.map((target) => indexOf.get(target)).filter((index) => index !== undefined));
  const leaves = stretches.map(({ ending }, i) => ending.leaves || (successors[i] as number[]).length === 0);
  const found = postDominators(successors, leaves);
  const nodes = stretches.map(({ start, end, last, ending }, index): CodeNode => {
    const next = successors[index] as number[];
    const ways = next.length + (ending.leaves ? 1 : 0);
    // Of an indirect jump that is not understood, not every way is known.
    const isBranch = ending.kind !== 'call' && (ways > 1 || (ending.kind === 'indirect' && next.length > 0));
    return { index, start, end, last, successors: next, leaves: leaves[index] as boolean, isBranch, postDominator: found[index] as number };
  });
  const places = new InstructionTable(stretches, code);
  const returns = stretches.some(({ ending: { kind, leaves: isLeft } }) => isLeft && kind !== 'stop' && kind !== 'call');
  return {
    entry, name, nodes, returns,
    nodeAt(address) {
      const index = places.at(address);
      return index < 0 ? undefined : nodes[index];
    },
  };
}

/** The node of every instruction, in arrays that are indexed by address. */
class InstructionTable {
  private readonly parts: { readonly start: number; readonly end: number; readonly nodes: Int32Array }[] = [];

  constructor(stretches: readonly Stretch[], code: Exploration) {
    const sorted = stretches.map((stretch, index) => ({ stretch, index })).sort((a, b) => a.stretch.start - b.stretch.start);
    for (let first = 0; first < sorted.length; ) {
      const start = (sorted[first] as (typeof sorted)[0]).stretch.start;
      let [end, beyond] = [start, first];
      for (; beyond < sorted.length; beyond++) {
        const { stretch } = sorted[beyond] as (typeof sorted)[0];
        if (stretch.start > end + FAR) break;
        end = Math.max(end, stretch.end);
      }
      const nodes = new Int32Array(end - start).fill(-1);
      for (const { stretch, index } of sorted.slice(first, beyond)) for (const at of code.instructionsOf(stretch)) nodes[at - start] = index;
      this.parts.push({ start, end, nodes });
      first = beyond;
    }
  }

  at(address: number): number {
    for (const { start, end, nodes } of this.parts) if (address >= start && address < end) return nodes[address - start] as number;
    return -1;
  }
}
