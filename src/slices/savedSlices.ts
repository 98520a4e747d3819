/** Slices in files, beside their recordings. */
import { UserError } from '../base/errors.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { EdgeKind } from './graph.js';
import { MemberTimes } from './memberTimes.js';
import type { MemberEdge, Slice, SliceMember, SlicePlace } from './slice.js';
import type { TimedSlice } from './slices.js';

const VERSION = 1;
const FORMAT = 'culprit slice';

interface SavedEdge {
  readonly kind: EdgeKind;
  /** The place of a member in the list. */
  readonly to: number;
  readonly place: number;
  readonly time: number;
}

interface SavedSlice {
  readonly format: string;
  readonly version: number;
  /** Of which recording. */
  readonly recording: string;
  readonly title: string;
  readonly instances: number;
  readonly instructions: number;
  readonly distance: number;
  readonly isForward: boolean;
  readonly members: readonly (SlicePlace & Pick<SliceMember, 'count' | 'first' | 'last' | 'addresses'> & { readonly edges: readonly SavedEdge[] })[];
  readonly criterion: readonly SavedEdge[];
  readonly inputs: Slice['inputs'];
  /** Members and times by turns, newest first; negative: of what was called there. */
  readonly times: readonly number[];
  readonly isComplete: boolean;
}

/** What tells a recording from others: what happened in it, and when. */
export function recordingMark({ log, endTime }: Execution): string {
  let mark = 0x811c_9dc5;
  const mix = (value: number): void => void (mark = Math.imul(mark ^ value, 0x0100_0193));
  for (const [i, { firstTime, lastTime, count }] of log.chunks.entries()) {
    for (const value of [firstTime, lastTime, count]) mix(value | 0);
    if (i === 0) for (const byte of log.payload(0).subarray(0, 1 << 16)) mix(byte);
  }
  return `${endTime}-${(mark >>> 0).toString(16).padStart(8, '0')}`;
}

export function savedText({ slice, times }: TimedSlice, recording: string): string {
  const { title, instances, instructions, distance, isForward, members, criterion, inputs } = slice;
  const places = new Map(members.map((member, i) => [member, i]));
  const edge = ({ kind, to, place, time }: MemberEdge): SavedEdge => ({ kind, to: places.get(to) ?? 0, place, time });
  const list: number[] = [];
  for (const { of, time, isOwn } of times) list.push(isOwn ? of : -1 - of, time);
  const saved: SavedSlice = {
    format: FORMAT, version: VERSION, recording, title, instances, instructions, distance, isForward,
    members: members.map(({ edges, ...own }) => ({ ...own, edges: edges.map(edge) })), criterion: criterion.map(edge), inputs,
    times: list, isComplete: times.isComplete,
  };
  return `${JSON.stringify(saved)}\n`;
}

/** A UserError for what is no slice, or of another recording. */
export function loadedSlice(text: string, name: string, recording: string): TimedSlice {
  const saved = parsed(text);
  if (saved?.format !== FORMAT) throw new UserError(`${name} is no slice that "slice save" has written`);
  if (saved.version !== VERSION) throw new UserError(`${name} is of version ${saved.version} of slices; this Culprit reads version ${VERSION}: make the slice again`);
  if (saved.recording !== recording) throw new UserError(`${name} is a slice of another recording`);
  const { title, instances, instructions, distance, isForward, inputs, isComplete } = saved;
  const members = saved.members.map(({ edges: _, ...own }) => ({ ...own, path: own.path ?? undefined, functionName: own.functionName ?? undefined, edges: [] as MemberEdge[] }));
  const edge = ({ kind, to, place, time }: SavedEdge): MemberEdge => ({ kind, to: members[to] as SliceMember, place, time });
  saved.members.forEach(({ edges }, i) => void members[i]?.edges.push(...edges.map(edge)));
  const times = new MemberTimes();
  for (let i = 0; i < saved.times.length; i += 2) {
    const of = saved.times[i] as number;
    times.add(of < 0 ? -1 - of : of, saved.times[i + 1] as number, of >= 0);
  }
  times.isComplete &&= isComplete;
  return { slice: { title, members, criterion: saved.criterion.map(edge), inputs, instances, instructions, distance, isForward }, times };
}

function parsed(text: string): Partial<SavedSlice> & SavedSlice | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as SavedSlice) : undefined;
  } catch {
    return undefined;
  }
}
