/**
 * An inconsistency that the search carries backward: its arguments as they are now, and what an operation must touch to
 * change one of them (the paper's dependency list, from which modification is predicted).
 */
import type { ConstraintCheck, Inconsistency } from '../checking/checks.js';
import type { ArgumentValue, Evaluator } from '../checking/evaluator.js';
import type { NodeId } from '../model.js';
import { CycleWatch, PathWatch, type PointerWatch, type SharedWatches } from './pathWatch.js';

/** A field of a node, or what else an operation can touch of it, as one number. */
export type Cell = number;

const FIELDS = 4096;
/** Fields with higher numbers are not told apart. */
const MANY = FIELDS - 2;
const ANY = FIELDS - 1;

export function fieldCell(node: NodeId, field: number): Cell {
  return node * FIELDS + Math.min(field, MANY);
}

/** Its edges, and whether it is there. */
export function nodeCell(node: NodeId): Cell {
  return node * FIELDS;
}

/** Touched with every field. */
export function wholeCell(node: NodeId): Cell {
  return node * FIELDS + ANY;
}

export interface Arguments {
  readonly holds: boolean;
  readonly values: ReadonlyMap<string, ArgumentValue>;
  readonly cells: ReadonlySet<Cell>;
  readonly paths: readonly PointerWatch[];
  /** It depends on more than what it has read: on what attributes are made of, or on all nodes if it seeks some. */
  readonly demands: 'nothing' | 'attributes' | 'everything';
}

/** Evaluates a check of nodes in the graph of now, and notes what it read. */
export function argumentsOf(evaluator: Evaluator, check: ConstraintCheck, { nodes, index }: Inconsistency, shared: SharedWatches = new Map()): Arguments {
  const { graph } = evaluator;
  const values = new Map<string, ArgumentValue>();
  const cells = new Set<Cell>();
  const paths: PointerWatch[] = [];
  let demands: Arguments['demands'] = nodes.length < check.constraint.variables.length ? 'everything' : 'nothing';
  evaluator.record = (key, value, node, path) => {
    if (path !== undefined && !values.has(key)) {
      paths.push(path.isCycle === true && value === true ? CycleWatch.of(evaluator.paths, graph, node, path.through, shared) : new PathWatch(graph, node, path.to, path.through, value === true));
    }
    values.set(key, value);
    const [kind, , field] = key.split(' ', 3);
    if (kind === 'field' || kind === 'to') cells.add(fieldCell(node, Number(field)));
    else if (kind === 'text' || kind === 'edge' || kind === 'out') cells.add(wholeCell(node)).add(nodeCell(node));
    else cells.add(nodeCell(node));
    if (kind === 'at') demands = 'everything';
    else if (kind === 'attribute' && demands === 'nothing') demands = 'attributes';
  };
  const holds = check.holds(nodes, index);
  evaluator.record = undefined;
  return { holds, values, cells, paths, demands };
}

/** Whether an operation between the two changed an argument of the check. */
export function differ(a: Arguments, b: Arguments): boolean {
  if (a.holds !== b.holds || a.values.size !== b.values.size) return true;
  for (const [key, value] of a.values) if (!Object.is(b.values.get(key), value)) return true;
  return false;
}
