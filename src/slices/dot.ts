/** A slice as a graph for Graphviz. */
import { dueTo, type NameOf } from './edgeText.js';
import { place } from './listing.js';
import type { Slice, SliceMember } from './slice.js';

export function* dotLines({ title, members, criterion }: Slice, nameOf: NameOf): Generator<string> {
  const names = new Map(members.map((member, i) => [member, `n${i}`]));
  const edge = (from: string, { to, kind, place: at, time }: Slice['criterion'][number]): string => {
    const due = dueTo({ kind, place: at, time }, nameOf);
    return `  ${from} -> ${names.get(to) ?? '?'}${kind === 'control' ? ' [style=dashed]' : ` [label=${quoted(due ?? '')}]`};`;
  };
  yield 'digraph slice {';
  yield '  node [shape=box];';
  yield `  criterion [label=${quoted(title)}, shape=ellipse];`;
  for (const [member, name] of names) yield `  ${name} [label=${quoted(`${place(member, undefined)}${times(member)}`)}];`;
  for (const one of criterion) yield edge('criterion', one);
  for (const [member, name] of names) for (const one of member.edges) yield edge(name, one);
  yield '}';
}

function times({ count }: SliceMember): string {
  return count === 1 ? '' : `\\n${count} times`;
}

function quoted(text: string): string {
  return `"${text.replace(/"/g, '\\"')}"`;
}
