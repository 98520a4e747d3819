/**
 * How the blocks that observation tells of lie in a function's graph. A block of the translator may run through several
 * nodes, and begin in the middle of one.
 */
import type { CodeNode, FunctionGraph } from '../../graphs/functionGraph.js';
import type { CodeBlock } from '../trace/codeTable.js';
import type { Layout } from '../trace/stretch.js';

export interface BlockLayout extends Layout {
  /** In the list of all layouts. */
  readonly number: number;
  /** Of each part of the block: the node that it is in. */
  readonly nodes: readonly number[];
  /** The branch that the block ends with, if it does. */
  readonly branch: CodeNode | undefined;
  /** The first instruction that the function does not know of, and the one before it. */
  readonly beyond?: { readonly from: number; readonly address: number };
}

/** All there are, by function and block. */
export class Layouts {
  readonly all: BlockLayout[] = [];
  /** Of code that is in no graph. */
  readonly unknown: BlockLayout;
  private readonly byGraph = new Map<FunctionGraph, (BlockLayout | null | undefined)[]>();

  constructor() {
    this.unknown = this.add({ starts: [0], nodes: [-2], branch: undefined });
  }

  add(layout: Omit<BlockLayout, 'number'>): BlockLayout {
    const made = { ...layout, number: this.all.length };
    this.all.push(made);
    return made;
  }

  of(graph: FunctionGraph): (BlockLayout | null | undefined)[] {
    let known = this.byGraph.get(graph);
    if (known === undefined) this.byGraph.set(graph, (known = []));
    return known;
  }
}

/** Undefined if the function does not have the block. */
export function layoutOf(graph: FunctionGraph, code: CodeBlock & { readonly index: number }, layouts: Layouts): BlockLayout | undefined {
  const known = layouts.of(graph);
  const own = known[code.index];
  if (own !== undefined) return own ?? undefined;
  const made = lay(graph, code);
  const layout = made === undefined ? null : layouts.add(made);
  known[code.index] = layout;
  return layout ?? undefined;
}

function lay(graph: FunctionGraph, { instructions }: CodeBlock): Omit<BlockLayout, 'number'> | undefined {
  const [starts, nodes]: [number[], number[]] = [[], []];
  let [last, node]: [number, CodeNode | undefined] = [-1, undefined];
  for (let i = 0; i < instructions.length; i++) {
    const { address } = instructions[i] as { address: number };
    node = graph.nodeAt(address);
    if (node === undefined) return i === 0 ? undefined : { starts, nodes, branch: undefined, beyond: { from: instructions[i - 1]?.address ?? 0, address } };
    if (node.index === last && address !== node.start) continue;
    last = node.index;
    starts.push(i);
    nodes.push(last);
  }
  const isWhole = node !== undefined && node.last === instructions.at(-1)?.address;
  return { starts, nodes, branch: isWhole && node?.isBranch === true ? node : undefined };
}
