/**
 * Immediate post-dominators: the next node that every way from a node to the end goes through. Nodes that never come to
 * an end have none; so one node of every endless loop is taken to lead to the end: the one that is met first when the
 * graph is walked from its entry, which is the loop's head.
 */
import { type Adjacency, immediateDominators, positionsIn, reversePostorder, turnedAround } from '../ir/dominators.js';

/** In place of a node: the end of the function. */
export const EXIT = -1;

/** `leaves`: nodes from which control may leave. The first node is the entry. */
export function postDominators(successors: Adjacency, leaves: readonly boolean[]): Int32Array {
  const exit = successors.length;
  const edges = [...successors.map((next, i) => (leaves[i] === true ? [...next, exit] : next)), []];
  for (const head of endlessLoops(edges, exit)) edges[head] = [...(edges[head] as readonly number[]), exit];
  const backward = turnedAround(edges);
  const order = reversePostorder(backward, exit);
  const found = immediateDominators(backward, order, positionsIn(order, exit + 1)).subarray(0, exit);
  return found.map((node) => (node === exit ? EXIT : node));
}

/** The heads of loops that cannot be left, and nodes that lead nowhere. */
function endlessLoops(edges: Adjacency, exit: number): number[] {
  const ending = new Uint8Array(edges.length);
  for (const node of reversePostorder(turnedAround(edges), exit)) ending[node] = 1;
  if (ending.every((ends) => ends === 1)) return [];
  return bottomComponents(edges, ending);
}

/**
 * Of strongly connected components that no edge leaves: the node that is met first. R. Tarjan, "Depth-first search and
 * linear graph algorithms". Nodes with a way to the exit (`ending`) are passed over.
 */
function bottomComponents(edges: Adjacency, ending: Uint8Array): number[] {
  const count = edges.length;
  const [number, low, next, component] = [new Int32Array(count).fill(-1), new Int32Array(count), new Int32Array(count), new Int32Array(count).fill(-1)];
  const [open, way, found]: [number[], number[], number[]] = [[], [], []];
  let [met, components] = [0, 0];
  const visit = (node: number): void => {
    number[node] = low[node] = met++;
    open.push(node);
    way.push(node);
  };
  /** Takes the component of which `head` was met first off the open nodes. */
  const close = (head: number): void => {
    const members = open.splice(open.lastIndexOf(head));
    for (const member of members) component[member] = components;
    const isBottom = members.every((member) => (edges[member] as readonly number[]).every((to) => component[to] === components));
    if (isBottom) found.push(head);
    components++;
  };
  for (let root = 0; root < count; root++) {
    if (ending[root] === 1 || number[root] !== -1) continue;
    visit(root);
    while (way.length > 0) {
      const node = way[way.length - 1] as number;
      const to = (edges[node] as readonly number[])[next[node] as number];
      next[node] = (next[node] as number) + 1;
      if (to === undefined) {
        way.pop();
        const parent = way[way.length - 1];
        if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number);
        if (low[node] === number[node]) close(node);
      } else if (number[to] === -1) visit(to);
      else if (component[to] === -1) low[node] = Math.min(low[node] as number, number[to] as number);
    }
  }
  return found;
}
