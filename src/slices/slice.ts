/**
 * A slice as people see it: lines of source with the members among their instructions, and what the lines depend on.
 * Libraries are their call sites, unless they are asked for; code without debug information is known by its functions.
 */
import type { Happening } from '../replay/timeline/observing.js';
import { CRITERION } from './criteria.js';
import type { Programs } from './control/programs.js';
import type { EdgeKind, SliceEdge, SliceNode } from './graph.js';
import type { CodeInstruction } from './trace/codeTable.js';

/** A system call that has a part in a slice. */
export interface SliceInput extends Happening {
  /** What it brought from outside that the slice depends on: a file and its descriptor. */
  readonly source?: string;
}

/** A line of source, or a function that has none. */
export interface SlicePlace {
  /** Undefined without debug information. */
  readonly path: string | undefined;
  /** 0 without debug information. */
  readonly line: number;
  readonly functionName: string | undefined;
}

export interface SliceMember extends SlicePlace {
  /** How often it was a member: the most of any of its instructions. */
  readonly count: number;
  /** Of its first and last member instance. */
  readonly first: number;
  readonly last: number;
  /** Addresses of its instructions that are members, in order. */
  readonly addresses: readonly number[];
  /** What it depends on. */
  readonly edges: readonly MemberEdge[];
}

export interface MemberEdge {
  readonly kind: EdgeKind;
  readonly to: SliceMember;
  /** Of data: a cell, or MEMORY + an address (graph.ts). */
  readonly place: number;
  /** When that was defined, or decided, the last time. */
  readonly time: number;
}

export interface Slice {
  readonly title: string;
  /** By path and line. */
  readonly members: readonly SliceMember[];
  /** What the criterion itself depends on. */
  readonly criterion: readonly MemberEdge[];
  /** System calls whose answers are part of it. */
  readonly inputs: readonly SliceInput[];
  /** Instances of all members. */
  readonly instances: number;
  /** Instructions of the execution up to the criterion. */
  readonly instructions: number;
  /** From the criterion to the member that is farthest from it, in instructions. */
  readonly distance: number;
  /** What the criterion had an influence on, instead of what it depends on. */
  readonly isForward: boolean;
}

interface Making {
  readonly key: string;
  readonly place: SlicePlace;
  readonly nodes: SliceNode[];
  readonly edges: MemberEdge[];
}

/** What walks have found. */
export interface FoundGraph {
  readonly graph: { readonly nodes: readonly SliceNode[]; readonly edges: readonly SliceEdge[] };
  readonly inputs: readonly SliceInput[];
  readonly instructions: number;
}

/** Of the member that is farthest from the criterion. */
function distanceOf(graph: FoundGraph['graph'], end: number, isForward: boolean, first: number): number {
  if (!Number.isFinite(first)) return 0;
  return isForward ? Math.max(...graph.nodes.map(({ last }) => last)) - first : end - first;
}

interface SliceShape {
  /** Code of libraries by itself, too. */
  readonly intoLibraries?: boolean;
  readonly isForward?: boolean;
  /** When the execution begins: a branch does so later than the run. */
  readonly start?: number;
}

export function makeSlice(title: string, { graph, inputs, instructions }: FoundGraph, programs: Programs, { intoLibraries = false, isForward = false, start = 0 }: SliceShape = {}): Slice {
  const made = new Map<string, Making>();
  const ofNode = new Map<number, Making>();
  let [instances, first] = [0, Infinity];
  for (const node of graph.nodes) {
    const own = programs.table.instructions[node.node];
    if (own === undefined) continue;
    const program = programs.ownerOf(own);
    if (!intoLibraries && !program.isOwnAt(own.address)) continue;
    const place = program.placeAt(own.address);
    const key = placeKey(place);
    const making = made.get(key) ?? { key, place, nodes: [], edges: [] };
    made.set(key, making);
    making.nodes.push(node);
    ofNode.set(node.node, making);
    instances += node.count;
    first = Math.min(first, node.first);
  }
  const members = new Map([...made].map(([key, making]) => [key, memberOf(making, programs)]));
  const criterion: MemberEdge[] = [];
  addEdges(graph.edges, ofNode, members, criterion);
  const sorted = [...members.values()].sort(comparePlaces);
  return { title, members: sorted, criterion, inputs, instances, instructions, isForward, distance: distanceOf(graph, start + instructions, isForward, first) };
}

/** The same for the same line. */
export function placeKey({ path, line, functionName }: SlicePlace): string {
  return `${path ?? ''}:${line}:${line === 0 ? functionName : ''}`;
}

export function comparePlaces(a: SlicePlace, b: SlicePlace): number {
  return compare(a.path ?? '~', b.path ?? '~') || a.line - b.line || compare(a.functionName ?? '', b.functionName ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function memberOf({ place, nodes, edges }: Making, programs: Programs): SliceMember {
  return {
    ...place, edges,
    count: Math.max(1, ...nodes.map(({ count }) => count)),
    first: Math.min(...nodes.map((node) => node.first)),
    last: Math.max(...nodes.map((node) => node.last)),
    addresses: nodes.map(({ node }) => (programs.table.instructions[node] as CodeInstruction).address as number).sort((a, b) => a - b),
  };
}

/** Between lines: one of each kind, the nearest. Inside of libraries that are not shown there is nothing to tell. */
function addEdges(edges: readonly SliceEdge[], ofNode: ReadonlyMap<number, Making>, members: ReadonlyMap<string, SliceMember>, criterion: MemberEdge[]): void {
  const seen = new Map<string, number>();
  for (const { from, to, kind, place, time } of edges) {
    const [source, target] = [ofNode.get(from), ofNode.get(to)];
    if (target === undefined || (source === undefined && from !== CRITERION) || source === target) continue;
    const into = source === undefined ? criterion : source.edges;
    const key = `${source?.key ?? ''} ${target.key} ${kind}`;
    const edge = { kind, to: members.get(target.key) as SliceMember, place, time };
    const before = seen.get(key);
    if (before === undefined) seen.set(key, into.push(edge) - 1);
    else if ((into[before] as MemberEdge).time < time) into[before] = edge;
  }
}
