/** The part of a graph that is broken, before and after the operation that broke it. */
import { MemoryGraph } from '../checking/memoryGraph.js';
import type { BoundSpecification } from '../checking/terms.js';
import { changesBetween, type Picture, pictureAround, pictureOf } from '../explain/picture.js';
import type { NodeLife } from '../history/nodes.js';
import type { History, NodeId } from '../model.js';
import type { BrokenShape } from './examine.js';

/** Nodes of a picture that people can still read. */
const LIMIT = 10;

/** Undefined if no operation made it so: a variable may be broken from the beginning. */
export function brokenPicture({ rules }: BoundSpecification, history: History, { contributions, inconsistencies }: BrokenShape, lives: readonly NodeLife[]): Picture | undefined {
  const main = contributions.find(({ introduced }) => introduced.length > 0) ?? contributions[0];
  if (main === undefined) return undefined;
  const graph = new MemoryGraph(rules);
  for (let i = 0; i < main.index; i++) graph.apply(history.at(i));
  const nameOf = (node: NodeId): string => `0x${(lives[node]?.address ?? 0).toString(16)}`;
  const marked = new Set([...(main.introduced[0] ?? inconsistencies[0])?.nodes ?? [], main.operation.node]);
  const before = pictureAround(graph, [...marked], { limit: LIMIT, nameOf });
  graph.apply(main.operation);
  const nodes = new Set([...before.nodes.map(({ node }) => node), ...marked]);
  return changesBetween(before, pictureOf(graph, [...nodes].sort((a, b) => a - b), marked, before.leftOut, nameOf));
}
