/** Slices as the client gets them: members with what they depend on, so that it can mark lines and tell edges. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { dueTo, type NameOf } from '../slices/edgeText.js';
import type { MemberEdge, SliceMember } from '../slices/slice.js';
import type { NumberedSlice } from '../slices/sliceTable.js';
import type { Adapter } from './adapter.js';

/** A line of a file, or a function without debug information. */
interface ShownPlace {
  readonly source?: DebugProtocol.Source;
  readonly line?: number;
  readonly function?: string;
}

interface ShownEdge extends ShownPlace {
  readonly kind: 'data' | 'control';
  /** Of data: the variable, register or address. */
  readonly due?: string;
  /** When that was defined, or decided, the last time. */
  readonly time: number;
}

interface ShownMember extends ShownPlace {
  /** How often. */
  readonly count: number;
  /** Times of the first and last instance. */
  readonly first: number;
  readonly last: number;
  readonly edges: readonly ShownEdge[];
}

interface ShownSlice {
  readonly id: number;
  readonly title: string;
  readonly isForward: boolean;
  readonly members: readonly ShownMember[];
  /** What the criterion itself depends on. */
  readonly criterion: readonly ShownEdge[];
  /** Instances of all members, of so many instructions, and how far the farthest is. */
  readonly instances: number;
  readonly instructions: number;
  readonly distance: number;
}

export function sliceBody(adapter: Adapter, { number: id, slice }: NumberedSlice, nameOf: NameOf): ShownSlice {
  const { title, isForward, members, criterion, instances, instructions, distance } = slice;
  const edge = (one: MemberEdge): ShownEdge => {
    const due = dueTo(one, nameOf);
    return { kind: one.kind, ...(due === undefined ? {} : { due }), ...shownPlace(adapter, one.to), time: one.time };
  };
  const member = (one: SliceMember): ShownMember => ({ ...shownPlace(adapter, one), count: one.count, first: one.first, last: one.last, edges: one.edges.map(edge) });
  return { id, title, isForward, members: members.map(member), criterion: criterion.map(edge), instances, instructions, distance };
}

export function shownPlace({ sources, client }: Adapter, { path, line, functionName }: Pick<SliceMember, 'path' | 'line' | 'functionName'>): ShownPlace {
  return { ...(path === undefined ? {} : { source: sources.of(path), line: client.line(line) }), ...(functionName === undefined ? {} : { function: functionName }) };
}
