/**
 * What not to report. A file of paragraphs, as Valgrind has them in braces: the name of a rule, then frames as reports show them, innermost first. More frames
 * may follow in the report.
 *
 *     # A comment.
 *     heap.buffer.overflow
 *     fun:mem*
 *     ...
 *     src:parser.c:120
 */
import { UserError } from '../../base/errors.js';
import { frameName, type ReportedFrame, shownFrames } from './frames.js';
import { globMatcher } from './glob.js';

type FramePattern = { readonly kind: 'any number' } | { readonly kind: 'frame'; readonly matches: (frame: ReportedFrame) => boolean };

export interface Suppression {
  readonly matchesRule: (rule: string) => boolean;
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
    return { matchesRule: globMatcher(head.text), frames: frames.map((line) => framePattern(line, file)), place };
  });
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
  throw new UserError(`${file}:${number}: a frame is fun:NAME, src:FILE:LINE, obj:FILE or "...", not "${text}"`);
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

/** The first that applies. `stack`: all frames, as a report has them. */
export function suppressionOf(suppressions: readonly Suppression[], rule: string, stack: readonly ReportedFrame[]): Suppression | undefined {
  const shown = shownFrames(stack);
  return suppressions.find((one) => one.matchesRule(rule) && fits(one.frames, shown));
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
