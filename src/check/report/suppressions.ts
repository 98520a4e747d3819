/**
 * What not to report. A file of paragraphs, as Valgrind has them in braces: the name of a rule, perhaps a function by
 * whose calls the block was allocated that it is about, then frames as reports show them, innermost first. More frames
 * may follow in the report.
 *
 *     # A comment.
 *     heap.buffer.overflow
 *     fun:mem*
 *     ...
 *     src:parser.c:120
 *
 *     uninitialized.*
 *     alloc:make_sparse_set
 */
import { UserError } from '../../base/errors.js';
import { frameName, type ReportedFrame, shownFrames } from './frames.js';
import { globMatcher } from './glob.js';

type FramePattern = { readonly kind: 'any number' } | { readonly kind: 'frame'; readonly matches: (frame: ReportedFrame) => boolean };

export interface Suppression {
  readonly matchesRule: (rule: string) => boolean;
  /** A function. */
  readonly allocatedIn: string | undefined;
  readonly frames: readonly FramePattern[];
  /** Where it begins: `file:line`. */
  readonly place: string;
}

/** `file` is for messages. */
export function parseSuppressions(text: string, file: string): Suppression[] {
  return paragraphs(text).map((lines) => {
    const [head, ...frames] = lines as [Line, ...Line[]];
    const place = `${file}:${head.number}`;
    if (!/^[\w.*?-]+$/.test(head.text)) throw new UserError(`${place}: a suppression begins with the name of a rule, or *, not with "${head.text}"`);
    const allocatedIn = frames[0] && allocatingFunction(frames[0], file);
    return { matchesRule: globMatcher(head.text), allocatedIn, frames: frames.slice(allocatedIn === undefined ? 0 : 1).map((line) => framePattern(line, file)), place };
  });
}

/** Calls of it have to be seen while the program runs, so it has to have a name and not a pattern. */
function allocatingFunction({ number, text }: Line, file: string): string | undefined {
  const [, name] = /^alloc:(.*)$/.exec(text) ?? [];
  if (name !== undefined && !/^[\w:~]+$/.test(name)) throw new UserError(`${file}:${number}: alloc: wants the name of a function, not "${name}"`);
  return name;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

function paragraphs(text: string): Line[][] {
  const result: Line[][] = [];
  let isOpen = false;
  for (const [i, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line.startsWith('#')) continue;
    if (line !== '' && !isOpen) result.push([]);
    isOpen = line !== '';
    if (isOpen) result.at(-1)?.push({ number: i + 1, text: line });
  }
  return result;
}

function framePattern({ number, text }: Line, file: string): FramePattern {
  if (text === '...') return { kind: 'any number' };
  const [, kind, pattern = ''] = /^(fun|src|obj):(\S.*)$/.exec(text) ?? [];
  if (kind === 'fun') return frame(globMatcher(pattern), frameName);
  if (kind === 'obj') return frame(globMatcher(pattern), ({ object }) => object);
  if (kind === 'src') return sourcePattern(pattern);
  throw new UserError(`${file}:${number}: a frame is fun:NAME, src:FILE:LINE, obj:FILE or "...", not "${text}"${text.startsWith('alloc:') ? '; alloc: comes before the frames' : ''}`);
}

function frame(matches: (text: string) => boolean, what: (frame: ReportedFrame) => string | undefined): FramePattern {
  return { kind: 'frame', matches: (candidate) => matches(what(candidate) ?? '') };
}

/** A path fits by its end; without a line, all lines do. */
function sourcePattern(pattern: string): FramePattern {
  const [, path = '', line] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  const matches = globMatcher(path.startsWith('/') ? path : `*/${path}`);
  return { kind: 'frame', matches: (candidate) => candidate.file !== undefined && matches(`/${candidate.file.replace(/^\//, '')}`) && (line === undefined || candidate.line === Number(line)) };
}

/** What might be reported. */
export interface Suppressible {
  readonly rule: string;
  /** By whose calls its block was allocated. */
  readonly allocatedIn: readonly string[];
  /** All frames, as a report has them. They take time to find: suppressions that name none do without. */
  readonly stack: readonly ReportedFrame[];
}

/** The first that applies. */
export function suppressionOf(suppressions: readonly Suppression[], { rule, allocatedIn, stack }: Suppressible): Suppression | undefined {
  return suppressions.find((one) => one.matchesRule(rule) && (one.allocatedIn === undefined || allocatedIn.includes(one.allocatedIn)) && (one.frames.length === 0 || fits(one.frames, shownFrames(stack))));
}

function fits([pattern, ...rest]: readonly FramePattern[], frames: readonly ReportedFrame[]): boolean {
  if (pattern === undefined) return true;
  if (pattern.kind === 'any number') return frames.some((_, i) => fits(rest, frames.slice(i))) || rest.length === 0;
  const [first, ...others] = frames;
  return first !== undefined && pattern.matches(first) && fits(rest, others);
}

const MOST_WRITTEN = 8;

/** One that fits this report. */
export function suppressionFor(rule: string, stack: readonly ReportedFrame[]): string {
  const frames = shownFrames(stack).slice(0, MOST_WRITTEN);
  return [rule, ...frames.map(patternFor)].join('\n');
}

function patternFor(frame: ReportedFrame): string {
  if (frame.calledAs === undefined && frame.function === undefined) return frame.object === undefined ? '...' : `obj:*/${frame.object.replace(/.*\//, '')}`;
  return `fun:${frameName(frame)}`;
}
