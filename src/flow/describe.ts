/**
 * Chains as people read them. Links of instructions become links of source lines: an assignment is one, however many
 * registers the value went through; passing an argument is one, at the line of the call; so is what a library function
 * does.
 */
import type { SourceText } from '../debugger/program/sourceText.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import { Expressions } from '../debugger/values/expressions.js';
import { ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import { COMPUTED, toBytes, Value } from '../debugger/values/value.js';
import { at } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { Chain, Link, LinkKind, ValueFlow } from './chain.js';
import type { Place } from './copies/place.js';
import { type NamedPlace, Naming } from './naming.js';
import { contextOf, viewOf } from './ownCode.js';

/** One line of source that handed the value on. */
export interface SourceLink {
  /** How the value got there in the end. */
  readonly kind: LinkKind;
  /** Right before the last instruction that had to do with it. */
  readonly time: number;
  readonly thread: number;
  readonly address: number;
  readonly functionName: string | undefined;
  readonly fileName: string | undefined;
  readonly path: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  /** The line itself, if its file can be found. */
  readonly text: string | undefined;
  /** What the value was put into and taken from, as the source calls it. */
  readonly target: string | undefined;
  readonly source: string | undefined;
  /** As gdb prints it. */
  readonly value: string;
  readonly offset: bigint | undefined;
  readonly called: string | undefined;
  readonly syscall: number | undefined;
  /** Of the same value: what the links of the machine were, newest first. */
  readonly links: readonly Link[];
}

export interface DescribedChain {
  readonly links: readonly SourceLink[];
  readonly isComplete: boolean;
  /** Source lines to read, as the paper counts. */
  readonly steps: number;
}

/** A link of instructions with where it is in the source. */
interface Located {
  readonly link: Link;
  readonly frame: { readonly key: string; readonly activation: string; readonly functionName: string | undefined; readonly fileName: string | undefined; readonly path: string | undefined; readonly line: number };
  readonly text: string | undefined;
  readonly target: string | undefined;
  readonly source: string | undefined;
  readonly value: string;
  /** Stores what came in a register at the beginning of a function. */
  readonly isParameter: boolean;
}

export async function describeChain(flow: ValueFlow, chain: Chain, sources: SourceText, work?: Work): Promise<DescribedChain> {
  const located: Located[] = [];
  for (const link of chain.links) located.push(await locate(flow, link, sources, work));
  const links = folded(located);
  return { links, isComplete: chain.isComplete, steps: links.length };
}

const NOWHERE: Located['frame'] = { key: '', activation: '', functionName: undefined, fileName: undefined, path: undefined, line: 0 };

async function locate(flow: ValueFlow, link: Link, sources: SourceText, work: Work | undefined): Promise<Located> {
  await flow.execution.seek(link.position, work);
  const view = link.rip === 0 ? undefined : viewOf(flow.execution.state, link.thread, flow.modules);
  const frame = view === undefined ? undefined : contextOf(view).frame;
  const shown = hexOrNumber(link);
  if (view === undefined || frame === undefined) return { link, frame: NOWHERE, text: undefined, target: undefined, source: undefined, value: shown, isParameter: false };
  const text = unlessMissing(sources, frame);
  const expressions = new Expressions(new ProgramSurroundings(view, frame));
  const naming = new Naming(expressions, text ?? '');
  const { place, from, kind, value, offset = 0n } = link;
  // Registers of callers are not what they were.
  const isNamed = (candidate: Place | undefined): candidate is Place => candidate !== undefined && (frame.level === 0 || candidate.kind === 'memory');
  const source = isNamed(from) ? naming.nameOf(from, value - offset) : undefined;
  const own = place.kind === 'memory' ? naming.nameOf(place, value) : undefined;
  const located = {
    link, frame: placeOf(frame), text, source: source?.name, isParameter: frame.level === 0 && from?.kind === 'register' && isFirstLine(frame),
    target: own?.name, value: typed(expressions, own ?? (kind === 'copy' ? source : undefined), link) ?? shown,
  };
  if (place.kind === 'memory' || frame.level > 0) return located;
  const after = await registerAfter(flow, link, work);
  return after === undefined ? located : { ...located, ...after };
}

/** The variable that lives in the register once the instruction is done. */
async function registerAfter(flow: ValueFlow, link: Link, work: Work | undefined): Promise<{ readonly target: string; readonly value: string } | undefined> {
  const { time } = link.position;
  if (time >= flow.execution.endTime) return undefined;
  await flow.execution.seek(at(time + 1), work);
  const view = viewOf(flow.execution.state, link.thread, flow.modules);
  const frame = view === undefined ? undefined : contextOf(view).frame;
  if (view === undefined || frame === undefined || frame.level > 0) return undefined;
  const expressions = new Expressions(new ProgramSurroundings(view, frame));
  const named = new Naming(expressions, '').nameOf(link.place, link.value);
  return named === undefined ? undefined : { target: named.name, value: typed(expressions, named, link) ?? hexOrNumber(link) };
}

function placeOf(frame: VisibleFrame): Located['frame'] {
  const { functionName, fileName, path, line, id } = frame;
  const activation = `${id.stack} ${id.code} ${id.depth}`;
  return { key: `${activation} ${path}:${line}`, activation, functionName, fileName, path, line };
}

function unlessMissing(sources: SourceText, { path, line }: VisibleFrame): string | undefined {
  return path === undefined ? undefined : sources.lines(path)?.[line - 1];
}

/** Whether it stands on the line that the function begins with. */
function isFirstLine(frame: VisibleFrame): boolean {
  const { module } = frame;
  if (frame.scope?.function.declaration?.line === frame.line) return true;
  if (module === undefined || frame.functionStart === 0n) return false;
  return module.file.lineRangeAt(Number(frame.functionStart - module.bias))?.line === frame.line;
}

/** The value as one of the type that the place has. */
function typed(expressions: Expressions, named: NamedPlace | undefined, { value }: Link): string | undefined {
  if (named === undefined) return undefined;
  const { plain } = named.value;
  if (plain.kind === 'struct' || plain.kind === 'array' || plain.size > 16) return undefined;
  return unlessFailed(() => expressions.text(new Value(named.value.around, named.value.type, COMPUTED, { bytes: toBytes(value, plain.size) })), () => undefined);
}

function hexOrNumber({ value }: Link): string {
  return value < 4096n ? String(value) : `0x${value.toString(16)}`;
}

/** Links of instructions that are one in the source. */
function folded(located: readonly Located[]): SourceLink[] {
  const groups: Located[][] = [];
  for (const item of located) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && belongs(last, item, group)) group.push(item);
    else groups.push([item]);
  }
  return withoutEmpty(groups).map(sourceLink);
}

/**
 * Registers without a name, moved about on a line of their own, tell nothing: they go with what comes
 * before in the same function.
 */
function withoutEmpty(groups: readonly Located[][]): Located[][] {
  const result: Located[][] = [];
  let empty: Located[] = [];
  for (const [i, group] of groups.entries()) {
    const next = groups[i + 1]?.[0];
    if (next !== undefined && group.every(isEmpty) && group[0]?.frame.activation === next.frame.activation) empty.push(...group);
    else {
      result.push([...empty, ...group]);
      empty = [];
    }
  }
  return result;
}

function isEmpty({ link, target, source }: Located): boolean {
  return link.kind === 'copy' && link.called === undefined && target === undefined && source === undefined;
}

function belongs(newer: Located, item: Located, group: readonly Located[]): boolean {
  // The argument that the parameter got at the call.
  if (newer.isParameter && newer.frame.key !== item.frame.key) return group.every(({ isParameter }) => isParameter) && item.link.place.kind === 'register';
  // What a library does for no caller, such as starting a thread, goes with what comes before it.
  if (newer.frame === NOWHERE && newer.link.called !== undefined && group.length > 1) return true;
  if (item.frame.key !== newer.frame.key) return false;
  if (item.link.kind === 'library' && item.link.called === newer.link.called) return true;
  // Another variable in between: another step.
  return item.target === undefined || item.link.place.kind === 'register' || group.every(({ target, source }) => target === undefined && source === undefined);
}

function sourceLink(group: readonly Located[]): SourceLink {
  const [newest, oldest] = [group[0] as Located, group.at(-1) as Located];
  const { link } = newest;
  const kind = oldest.link.kind === 'copy' && group.some((item) => item.link.kind === 'offset') ? 'offset' : oldest.link.kind;
  const offset = group.reduce((sum, item) => sum + (item.link.offset ?? 0n), 0n);
  const { frame, text } = oldest;
  return {
    kind, time: link.position.time, thread: link.thread, address: link.rip,
    functionName: frame.functionName, fileName: frame.fileName, path: frame.path, line: frame.line, text,
    target: group.find((item) => item.target !== undefined)?.target, source: group.findLast((item) => item.link.from !== undefined)?.source,
    value: group.find((item) => item.target !== undefined)?.value ?? newest.value,
    offset: offset === 0n ? undefined : offset, called: group.findLast((item) => item.link.called !== undefined)?.link.called,
    syscall: oldest.link.syscall, links: group.map((item) => item.link),
  };
}
