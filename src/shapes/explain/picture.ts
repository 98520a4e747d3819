/**
 * A part of a memory graph as a value that can be drawn: the nodes of an inconsistency and what is around them. Two
 * pictures of the same nodes, of before and after an operation, make one that says what came and went.
 */
import { DATA } from '../checking/graphRules.js';
import { NOWHERE, WILD, type MemoryGraph } from '../checking/memoryGraph.js';
import { textOfField } from '../checking/texts.js';
import type { FieldValue, NodeId, ShapeField } from '../model.js';

export interface PictureField {
  readonly name: string;
  readonly value: string;
  readonly isChanged: boolean;
}

export interface PictureEdge {
  readonly from: NodeId;
  readonly name: string;
  /** A node of the picture, or undefined: it leads to `where`. */
  readonly to: NodeId | undefined;
  readonly where: string;
  /** It leads to no node, and is not NULL. */
  readonly isWild: boolean;
  readonly change: 'same' | 'new' | 'gone';
}

export interface PictureNode {
  readonly node: NodeId;
  readonly title: string;
  readonly fields: readonly PictureField[];
  /** The inconsistency is about it. */
  readonly isMarked: boolean;
  readonly change: 'same' | 'new' | 'gone';
}

export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** So many nodes around were left out. */
  readonly leftOut: number;
}

interface PictureOptions {
  /** At most so many nodes. */
  readonly limit?: number;
  readonly nameOf?: (node: NodeId) => string;
}

/** The given nodes, and those next to them, nearest first. */
export function pictureAround(graph: MemoryGraph, marked: readonly NodeId[], { limit = 12, nameOf = (node) => `n${node}` }: PictureOptions = {}): Picture {
  const { found, leftOut } = neighbours(graph, marked.filter((node) => graph.isLive(node)), limit);
  return pictureOf(graph, [...found].sort((a, b) => a - b), new Set(marked), leftOut, nameOf);
}

/** Exactly these nodes, those that are not there left out. */
export function pictureOf(graph: MemoryGraph, nodes: readonly NodeId[], marked: ReadonlySet<NodeId>, leftOut: number, nameOf: (node: NodeId) => string): Picture {
  const live = nodes.filter((node) => graph.isLive(node));
  const shown = new Set(live);
  return {
    nodes: live.map((node) => ({ node, title: `${nameOf(node)} ${graph.typeName(node)}`, fields: dataFields(graph, node), isMarked: marked.has(node), change: 'same' })),
    edges: live.flatMap((node) => edgesOf(graph, node, shown, nameOf)),
    leftOut,
  };
}

function neighbours(graph: MemoryGraph, marked: readonly NodeId[], limit: number): { found: Set<NodeId>; leftOut: number } {
  const found = new Set<NodeId>(marked);
  let leftOut = 0;
  const seen = new Set<NodeId>(marked);
  const waiting = [...marked];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const take = (node: NodeId) => {
      if (seen.has(node)) return;
      seen.add(node);
      if (found.size >= limit) {
        leftOut++;
        return;
      }
      found.add(node);
      waiting.push(node);
    };
    graph.forEachEdge(next, take);
    graph.forEachPointerTo(next, take);
  }
  return { found, leftOut };
}

/** Long nodes are shown with their first fields. */
const MOST_FIELDS = 8;

function dataFields(graph: MemoryGraph, node: NodeId): PictureField[] {
  const layout = graph.layout(node);
  const fields: PictureField[] = [];
  for (let field = 1; field <= graph.fieldCount(node) && fields.length < MOST_FIELDS; field++) {
    if (layout.roleOf(field) !== DATA) continue;
    const shape = layout.fieldOf(field);
    fields.push({ name: nameOfField(shape, field), value: valueText(graph.value(node, field), shape), isChanged: false });
  }
  return fields;
}

function edgesOf(graph: MemoryGraph, node: NodeId, shown: ReadonlySet<NodeId>, nameOf: (node: NodeId) => string): PictureEdge[] {
  const layout = graph.layout(node);
  const edges: PictureEdge[] = [];
  for (let field = 1; field <= graph.fieldCount(node); field++) {
    if (layout.roleOf(field) === DATA) continue;
    const target = graph.target(node, field);
    if (target === NOWHERE && layout.type.element !== undefined) continue;
    const where = target === NOWHERE ? 'NULL' : target === WILD ? `0x${BigInt(graph.value(node, field)).toString(16)}` : nameOf(target);
    edges.push({ from: node, name: nameOfField(layout.fieldOf(field), field), to: shown.has(target) ? target : undefined, where, isWild: target === WILD, change: 'same' });
  }
  return edges;
}

function nameOfField(shape: ShapeField | undefined, field: number): string {
  return shape === undefined || shape.name === '' || shape.index !== field ? `[${field}]` : shape.name;
}

function valueText(value: FieldValue, shape: ShapeField | undefined): string {
  if (shape?.kind === 'text') return JSON.stringify(textOfField(value, shape.bytes));
  return shape?.kind === 'boolean' ? String(value !== 0) : String(value);
}

/** What changed from one picture to another of the same part of a graph. */
export function changesBetween(before: Picture, after: Picture): Picture {
  const beforeNodes = new Map(before.nodes.map((node) => [node.node, node]));
  const afterNodes = new Set(after.nodes.map(({ node }) => node));
  const key = (edge: PictureEdge) => `${edge.from} ${edge.name} ${edge.where}`;
  const beforeEdges = new Set(before.edges.map(key));
  const afterEdges = new Set(after.edges.map(key));
  return {
    nodes: [
      ...after.nodes.map((node) => ({ ...node, change: beforeNodes.has(node.node) ? 'same' as const : 'new' as const, fields: changedFields(beforeNodes.get(node.node), node) })),
      ...before.nodes.filter(({ node }) => !afterNodes.has(node)).map((node) => ({ ...node, change: 'gone' as const })),
    ],
    edges: [
      ...after.edges.map((edge) => ({ ...edge, change: beforeEdges.has(key(edge)) ? 'same' as const : 'new' as const })),
      ...before.edges.filter((edge) => !afterEdges.has(key(edge))).map((edge) => ({ ...edge, change: 'gone' as const })),
    ],
    leftOut: after.leftOut,
  };
}

function changedFields(before: PictureNode | undefined, after: PictureNode): PictureField[] {
  return after.fields.map((field) => {
    const was = before?.fields.find(({ name }) => name === field.name);
    return was === undefined || was.value === field.value ? field : { ...field, value: `${field.value} (was ${was.value})`, isChanged: true };
  });
}
