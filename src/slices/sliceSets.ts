/** Slices of slices: union, intersection and difference by lines, and the part of a graph that leads to something. */
import type { SliceEdge } from './graph.js';
import { type MemberTime, MemberTimes } from './memberTimes.js';
import { comparePlaces, type FoundGraph, type MemberEdge, placeKey, type Slice, type SliceMember } from './slice.js';
import type { TimedSlice } from './slices.js';

export type SetOperation = 'union' | 'intersect' | 'minus';

/** What is left of edges are those between what is left of members. */
export function combined(operation: SetOperation, title: string, a: TimedSlice, b: TimedSlice): TimedSlice {
  const [inA, inB] = [byKey(a.slice), byKey(b.slice)];
  const all = [...a.slice.members, ...b.slice.members.filter((member) => !inA.has(placeKey(member)))];
  const kept = all.filter((member) => {
    const key = placeKey(member);
    return operation === 'union' || (inA.has(key) && inB.has(key) === (operation === 'intersect'));
  }).sort(comparePlaces);
  const made = new Map<string, SliceMember & { readonly edges: MemberEdge[] }>();
  for (const member of kept) {
    const key = placeKey(member);
    made.set(key, { ...merged(operation, inA.get(key), inB.get(key)), edges: [] });
  }
  const sources = operation === 'union' ? [inA, inB] : [inA];
  for (const [key, member] of made) member.edges.push(...edgesTo(made, sources.flatMap((source) => source.get(key)?.edges ?? [])));
  const criterion = edgesTo(made, operation === 'union' ? [...a.slice.criterion, ...b.slice.criterion] : a.slice.criterion);
  const members = [...made.values()];
  const places = new Map(members.map((member, i) => [placeKey(member), i]));
  const times = mergedTimes(operation, placesOf(a, places), placesOf(b, places));
  times.isComplete &&= a.times.isComplete && b.times.isComplete;
  let instances = 0;
  for (const { isOwn } of times) if (isOwn) instances++;
  const instructions = Math.max(a.slice.instructions, b.slice.instructions);
  const first = Math.min(...members.map((member) => member.first));
  const inputs = operation === 'union' ? unionOf(a.slice.inputs, b.slice.inputs) : operation === 'minus' ? [] : a.slice.inputs.filter((one) => b.slice.inputs.includes(one));
  return { slice: { title, members, criterion, inputs, instances, instructions, isForward: operation !== 'union' && a.slice.isForward, distance: members.length === 0 ? 0 : instructions - first }, times };
}

function byKey({ members }: Slice): ReadonlyMap<string, SliceMember> {
  return new Map(members.map((member) => [placeKey(member), member]));
}

function unionOf<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  return [...new Set([...a, ...b])];
}

function merged(operation: SetOperation, a: SliceMember | undefined, b: SliceMember | undefined): SliceMember {
  const one = (a ?? b) as SliceMember;
  if (a === undefined || b === undefined || operation === 'minus') return one;
  const [count, first, last] = operation === 'union' ? [Math.max, Math.min, Math.max] : [Math.min, Math.max, Math.min];
  const addresses = operation === 'union' ? unionOf(a.addresses, b.addresses) : a.addresses.filter((address) => b.addresses.includes(address));
  return { ...one, count: count(a.count, b.count), first: first(a.first, b.first), last: last(a.last, b.last), addresses: [...addresses].sort((x, y) => x - y) };
}

/** One of each kind to each member, the latest. */
function edgesTo(made: ReadonlyMap<string, SliceMember>, edges: readonly MemberEdge[]): MemberEdge[] {
  const found = new Map<string, MemberEdge>();
  for (const edge of edges) {
    const to = made.get(placeKey(edge.to));
    const key = `${edge.kind} ${placeKey(edge.to)}`;
    if (to !== undefined && (found.get(key)?.time ?? -1) < edge.time) found.set(key, { ...edge, to });
  }
  return [...found.values()];
}

function* placesOf({ slice, times }: TimedSlice, places: ReadonlyMap<string, number>): Generator<MemberTime> {
  const own = slice.members.map((member) => places.get(placeKey(member)) ?? -1);
  for (const { of, time, isOwn } of times) if ((own[of] as number) >= 0) yield { of: own[of] as number, time, isOwn };
}

/** Newest first, from two lists that are. An instance of both is one. */
function mergedTimes(operation: SetOperation, a: Iterator<MemberTime>, b: Iterator<MemberTime>): MemberTimes {
  const made = new MemberTimes();
  let [x, y] = [a.next(), b.next()];
  while (x.done !== true || y.done !== true) {
    const later = x.done === true ? -1 : y.done === true ? 1 : x.value.time - y.value.time;
    const isBoth = later === 0;
    const { of, time, isOwn } = (later >= 0 ? x.value : y.value) as MemberTime;
    if (operation === 'union' || (operation === 'minus' ? later > 0 : isBoth)) made.add(of, time, isOwn);
    if (later >= 0) x = a.next();
    if (later <= 0) y = b.next();
  }
  return made;
}

/** What of a graph depends on some of its nodes, those included. */
export function leadingTo({ graph, instructions }: FoundGraph, isTarget: (node: number) => boolean): FoundGraph {
  const into = new Map<number, SliceEdge[]>();
  for (const edge of graph.edges) into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
  const reached = new Set(graph.nodes.map(({ node }) => node).filter(isTarget));
  for (const node of reached) for (const { from } of into.get(node) ?? []) reached.add(from);
  const nodes = graph.nodes.filter(({ node }) => reached.has(node));
  return { graph: { nodes, edges: graph.edges.filter(({ from, to }) => reached.has(from) && reached.has(to)) }, inputs: [], instructions };
}
