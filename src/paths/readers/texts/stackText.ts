/**
 * Texts with call stacks, as debuggers, sanitizers and kernels print them. They differ in what a frame looks like and
 * where a report begins; that is what a format says of each line. A stack is a run of frames, and what it is about is
 * the line before it.
 */
import { stackSegments, type FlatReport, type FlatStep } from '../../model/flat.js';
import type { Path, PathReport } from '../../model/path.js';
import { defined } from '../reading.js';

export type LineMeaning =
  | { readonly kind: 'begin'; readonly message: string; readonly rule?: string | undefined; readonly level?: PathReport['level'] }
  | { readonly kind: 'frame'; readonly frame: FlatStep; readonly isFirst: boolean }
  | { readonly kind: 'other'; readonly text: string }
  | { readonly kind: 'end' }
  /** Belongs to what is around it. */
  | { readonly kind: 'nothing' };

export interface StackFormat {
  readonly tool: string;
  meaningOf(line: string): LineMeaning;
  /** What a report is called that begins with a stack. */
  readonly untitled: string;
}

export function* stackReports(text: string, format: StackFormat): Generator<FlatReport> {
  const gathering = new Gathering(format);
  for (const line of text.split(/\r?\n/)) {
    const report = gathering.take(line);
    if (report !== undefined) yield report;
  }
  const last = gathering.ended();
  if (last !== undefined) yield last;
}

interface Begun {
  readonly message: string;
  readonly rule: string | undefined;
  readonly level: PathReport['level'];
}

class Gathering {
  private begun: Begun | undefined;
  private stacks: { readonly title: string | undefined; readonly frames: FlatStep[] }[] = [];
  private isInStack = false;
  private before: string | undefined;
  private lines: string[] = [];

  constructor(private readonly format: StackFormat) {}

  /** A report, if the line ends one. */
  take(line: string): FlatReport | undefined {
    const meaning = this.format.meaningOf(line);
    const report = meaning.kind === 'begin' || meaning.kind === 'end' ? this.ended() : undefined;
    if (meaning.kind !== 'end') this.lines.push(line);
    if (meaning.kind === 'begin') this.begun = { message: meaning.message, rule: meaning.rule, level: meaning.level ?? 'error' };
    else if (meaning.kind === 'frame') this.addFrame(meaning.frame, meaning.isFirst);
    else if (meaning.kind === 'other') {
      this.isInStack = false;
      if (meaning.text !== '') this.before = meaning.text;
    }
    return report;
  }

  ended(): FlatReport | undefined {
    const { begun, stacks, lines } = this;
    [this.begun, this.stacks, this.lines, this.isInStack, this.before] = [undefined, [], [], false, undefined];
    if (stacks.length === 0) return undefined;
    return defined<FlatReport>({
      rule: begun?.rule,
      level: begun === undefined ? 'error' : begun.level,
      message: begun?.message ?? stacks[0]?.title ?? this.format.untitled,
      tool: this.format.tool,
      paths: stacks.map(({ title, frames }): Path => defined<Path>({ role: 'stack', title, group: undefined, thread: undefined, segments: stackSegments(frames) })),
      suppressions: undefined,
      text: { whole: lines.join('\n').trim() },
    });
  }

  private addFrame(frame: FlatStep, isFirst: boolean): void {
    if (!this.isInStack || isFirst) {
      this.stacks.push({ title: this.before, frames: [] });
      this.isInStack = true;
      this.before = undefined;
    }
    this.stacks.at(-1)!.frames.push(frame);
  }
}
