/**
 * A slice as a listing of source: members are marked and have their counts, what they depend on stands below them, and
 * the rest is folded away.
 */
import { dueTo, type NameOf } from './edgeText.js';
import type { MemberEdge, Slice, SliceMember } from './slice.js';

interface ListingOptions {
  /** The text of a line of a file; undefined if it is not at hand. */
  readonly textOf: (path: string, line: number) => string | undefined;
  readonly nameOf: NameOf;
  /** Leaves out what members depend on. */
  readonly withoutEdges?: boolean;
  /** Members have their numbers before them, for commands that take them. */
  readonly isNumbered?: boolean;
}

/** Files that are named. */
const MOST_SOURCES = 5;

const number = (value: number): string => value.toLocaleString('en');
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

export function* listing(slice: Slice, options: ListingOptions): Generator<string> {
  yield* summary(slice);
  if (!(options.withoutEdges ?? false)) yield* edgeLines(slice.criterion, undefined, options);
  let [path, line]: [string | undefined, number] = ['', 0];
  const width = Math.max(...slice.members.map((member) => String(member.line).length), 1);
  const digits = String(slice.members.length).length;
  const margin = options.isNumbered === true ? ' '.repeat(digits + 3) : '';
  for (const [i, member] of slice.members.entries()) {
    if (member.path !== path) {
      yield '';
      yield `${member.path ?? 'without debug information'}:`;
      line = 0;
    } else if (member.line > line + 1) yield `${margin}${' '.repeat(width)}   ...`;
    ({ path, line } = member);
    yield `${margin === '' ? '' : `[${String(i + 1).padStart(digits)}] `}${memberLine(member, width, options)}`;
    if (!(options.withoutEdges ?? false)) for (const text of edgeLines(member.edges, member, options)) yield `${margin}${text}`;
  }
}

function* summary({ title, members, instances, instructions, distance, inputs, isForward }: Slice): Generator<string> {
  const functions = new Set(members.map(({ path, functionName }) => `${path} ${functionName}`)).size;
  yield `Slice of ${title}:`;
  if (members.length === 0) {
    yield 'nothing of your own code: it depends on what was there at the start';
    return;
  }
  const share = instructions === 0 ? 0 : (instances / instructions) * 100;
  const all = members.flatMap(({ edges }) => edges);
  const control = all.filter(({ kind }) => kind === 'control').length;
  yield `${plural(members.length, 'line')} in ${plural(functions, 'function')}; ${plural(instances, 'instruction')} of ${number(instructions)} (${share.toPrecision(2)} %), the ${isForward ? 'last' : 'first'} ${number(distance)} ${isForward ? 'on' : 'back'}; `
    + `${plural(all.length - control, 'data edge')}, ${plural(control, 'control edge')}${inputs.length === 0 ? '' : `; ${plural(inputs.length, 'system call')} had a part in it`}`;
  const sources = [...new Set(inputs.flatMap(({ source }) => (source === undefined ? [] : [source])))];
  if (sources.length > 0) yield `input from ${sources.slice(0, MOST_SOURCES).join(', ')}${sources.length > MOST_SOURCES ? ` and ${sources.length - MOST_SOURCES} more` : ''}`;
}

function memberLine({ path, line, functionName, count }: SliceMember, width: number, { textOf }: ListingOptions): string {
  const times = count === 1 ? '' : `  (${number(count)} times)`;
  if (path === undefined) return `${' '.repeat(width)} > ${functionName ?? '??'}${times}`;
  return `${String(line).padStart(width)} > ${textOf(path, line) ?? ''}${times}`;
}

/** One line for each kind. */
function* edgeLines(edges: readonly MemberEdge[], member: SliceMember | undefined, { nameOf }: ListingOptions): Generator<string> {
  const indent = member === undefined ? '' : '          ';
  const data = edges.filter(({ kind }) => kind === 'data').map((edge) => `${place(edge.to, member)} (${dueTo(edge, nameOf)})`);
  const control = edges.filter(({ kind }) => kind === 'control').map((edge) => place(edge.to, member));
  if (data.length > 0) yield `${indent}data from ${data.join(', ')}`;
  if (control.length > 0) yield `${indent}control from ${control.join(', ')}`;
}

/** The line alone, in the same file. */
export function place({ path, line, functionName }: SliceMember, seen: SliceMember | undefined): string {
  if (path === undefined) return functionName ?? '??';
  return path === seen?.path ? String(line) : `${path.slice(path.lastIndexOf('/') + 1)}:${line}`;
}
