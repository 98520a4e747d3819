/** Edges as a connection sees them: all of the structure's, or those through the fields that it names. */
import type { NodeId } from '../model.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { EdgeFilter } from './terms.js';

export function forEachSuccessor(graph: MemoryGraph, node: NodeId, through: EdgeFilter | undefined, visit: (target: NodeId) => void): void {
  if (through === undefined) return graph.forEachEdge(node, visit);
  const type = graph.typeName(node);
  if (!through.has(type)) return;
  const fields = through.get(type);
  if (fields === undefined) return graph.forEachEdge(node, visit);
  for (const field of fields) {
    const target = graph.has(node, field) ? graph.target(node, field) : -1;
    if (target >= 0) visit(target);
  }
}

export function forEachPredecessor(graph: MemoryGraph, node: NodeId, through: EdgeFilter | undefined, visit: (source: NodeId) => void): void {
  graph.forEachPointerTo(node, (source, field) => {
    if (counts(graph, source, field, through)) visit(source);
  });
}

/** Whether a pointer field is one of the edges that are meant. */
function counts(graph: MemoryGraph, source: NodeId, field: number, through: EdgeFilter | undefined): boolean {
  if (through === undefined) return graph.isEdge(source, field);
  const type = graph.typeName(source);
  if (!through.has(type)) return false;
  const fields = through.get(type);
  return fields === undefined ? graph.isEdge(source, field) : fields.has(field);
}

export function hasEdge(graph: MemoryGraph, from: NodeId, to: NodeId, through: EdgeFilter | undefined): boolean {
  let found = false;
  forEachSuccessor(graph, from, through, (target) => {
    found ||= target === to;
  });
  return found;
}

export function degree(graph: MemoryGraph, node: NodeId, incoming: boolean, through: EdgeFilter | undefined): number {
  if (through === undefined) return incoming ? graph.inDegree(node) : graph.outDegree(node);
  let count = 0;
  if (incoming) forEachPredecessor(graph, node, through, () => count++);
  else {
    // Of edges to the types that are meant; a field named with its type says nothing about where it leads.
    graph.forEachEdge(node, (target, field) => {
      const fields = through.get(graph.typeName(node));
      if (fields?.has(field) === true || (through.has(graph.typeName(target)) && through.get(graph.typeName(target)) === undefined)) count++;
    });
  }
  return count;
}
