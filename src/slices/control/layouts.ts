/**
 * How the blocks that observation tells of lie in a function's graph. A block of the translator may run through several
 * nodes, and begin in the middle of one.
 */
import type { CodeNode, FunctionGraph } from '../../graphs/functionGraph.js';
import type { Layout } from '../trace/stretch.js';
import type { FollowedBlock } from './programs.js';

/** In place of a node: code that is in no graph. */
const UNKNOWN = -2;
const NO_BRANCH = -1;

/** All there are, by function and block. */
export class Layouts {
  readonly all: Layout[] = [];
  private readonly byGraph = new Map<FunctionGraph, Map<number, Layout | null>>();
  private readonly unknown = new Map<number, Layout>();

  /** Undefined if the function does not have the block. */
  of(graph: FunctionGraph, code: FollowedBlock): Layout | undefined {
    let known = this.byGraph.get(graph);
    if (known === undefined) this.byGraph.set(graph, (known = new Map()));
    let own = known.get(code.index);
    if (own === undefined) known.set(code.index, (own = this.lay(graph, code)));
    return own ?? undefined;
  }

  /** Of code that is in no graph. */
  unknownOf(code: FollowedBlock): Layout {
    let known = this.unknown.get(code.index);
    if (known === undefined) this.unknown.set(code.index, (known = this.add(code, [0], [UNKNOWN], undefined)));
    return known;
  }

  private lay(graph: FunctionGraph, code: FollowedBlock): Layout | null {
    const { logged, last: { address: lastAddress } } = code;
    const [starts, nodes]: [number[], number[]] = [[], []];
    let [last, node, address, before]: [number, CodeNode | undefined, number, number] = [-1, undefined, logged.start, 0];
    for (let i = 0; i < logged.lengths.length; i++) {
      node = graph.nodeAt(address);
      if (node === undefined) return i === 0 ? null : this.add(code, starts, nodes, undefined, { from: before, address });
      if (node.index !== last || address === node.start) {
        last = node.index;
        starts.push(i);
        nodes.push(last);
      }
      before = address;
      address += logged.lengths[i] as number;
    }
    const isBranch = node !== undefined && node.last === lastAddress && node.isBranch;
    return this.add(code, starts, nodes, isBranch ? node : undefined);
  }

  private add(code: FollowedBlock, starts: readonly number[], nodes: readonly number[], branch: CodeNode | undefined, beyond?: Layout['beyond']): Layout {
    const made = {
      number: this.all.length, code, starts: Int32Array.from(starts), nodes: Int32Array.from(nodes), parts: nodes.length,
      branch: branch?.index ?? NO_BRANCH, branchEnd: branch?.postDominator ?? NO_BRANCH, beyond,
    };
    this.all.push(made);
    return made;
  }
}
