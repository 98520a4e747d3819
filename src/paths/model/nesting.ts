/**
 * Nested segments from a flat list of steps. Where a tool says how deep each step is, that decides. Where it does not,
 * calls and returns in the flow do: kinds of steps, what their messages say, whether the line before calls the
 * function, whether the function is one that is open already. What nothing speaks for is no call: it begins a segment
 * beside the others.
 */
import type { CodeLookup, FlatPath, FlatReport, FlatStep } from './flat.js';
import type { Path, PathReport, Segment, Step } from './path.js';

/** All paths of a report with their segments, as far as report and code know them. */
export function nested(report: FlatReport, code: CodeLookup): PathReport {
  return { ...report, paths: report.paths.map((path) => ('flow' in path ? nestedPath(path, code) : path)) };
}

function nestedPath({ flow, ...path }: FlatPath, code: CodeLookup): Path {
  return { ...path, segments: nestSteps(flow, code) };
}

interface OpenSegment {
  readonly number: number;
  readonly level: number | undefined;
  readonly function: string | undefined;
  readonly file: string | undefined;
}

interface Located extends FlatStep {
  readonly head: number | undefined;
}

function nestSteps(flow: readonly FlatStep[], code: CodeLookup): Segment[] {
  const nesting = new Nesting(code);
  for (const step of flow) nesting.add(step);
  return nesting.segments;
}

class Nesting {
  readonly segments: { function?: string; file?: string; steps: Step[] }[] = [];
  private readonly open: OpenSegment[] = [];
  private last: Located | undefined;

  constructor(private readonly code: CodeLookup) {}

  add(flat: FlatStep): void {
    const next = this.located(flat);
    const top = this.open.at(-1);
    if (top === undefined) this.enter(next, undefined);
    else this.go(top, next);
    this.last = next;
  }

  private located(flat: FlatStep): Located {
    const { file, line } = flat.step;
    // Where the report says both, no source has to be read.
    if (flat.function !== undefined && flat.level !== undefined) return { ...flat, head: undefined };
    const found = file === undefined || line === undefined ? undefined : this.code.functionAt(file, line);
    const name = flat.function ?? found?.name;
    return { ...flat, head: found?.line, ...(name === undefined ? {} : { function: name }) };
  }

  private go(top: OpenSegment, next: Located): void {
    if (next.level !== undefined && top.level !== undefined) this.byLevel(top.level, next, next.level);
    else this.byCalls(top, next);
  }

  private byLevel(from: number, next: Located, to: number): void {
    if (to > from) {
      this.call(next);
      return;
    }
    while ((this.open.at(-1)?.level ?? -1) > to) this.open.pop();
    const top = this.open.at(-1);
    if (top === undefined) this.enter(next, undefined);
    else if (top.level === to && isSame(top, next)) this.append(next);
    else if (top.level === to) {
      this.open.pop();
      this.beside(next);
    } else this.beside(next);
  }

  private byCalls(top: OpenSegment, next: Located): void {
    const { last } = this;
    const isCalled = last !== undefined && this.isCall(last, next);
    if (isSame(top, next)) {
      if (isCalled && next.step.line !== undefined && isEntry(next)) this.call(next);
      else if (last !== undefined && isReturn(next) && this.caller(next) !== undefined) this.backTo(next);
      else this.append(next);
    } else if (isCalled) this.call(next);
    else if (this.caller(next) !== undefined) this.backTo(next);
    else {
      this.open.length = 0;
      this.enter(next, undefined);
    }
  }

  /** Whether a step's function is called by the step before. */
  private isCall(last: Located, next: Located): boolean {
    if (has(last.step, 'return') || has(last.step, 'exit')) return false;
    if (has(last.step, 'call') || isEntry(next)) return true;
    const name = next.function === undefined ? '' : simpleName(next.function);
    if (name === '') return false;
    const { file, line, why = '', snippet } = last.step;
    const text = snippet ?? (file === undefined || line === undefined ? undefined : this.code.lineText(file, line));
    const calls = new RegExp(`(?<![\\w~])${escaped(name)}\\s*(?:<[^;(]*>)?\\s*\\(`);
    if (text !== undefined && calls.test(text) && !this.isOpen(next)) return true;
    return /\bcall(?:s|ing|ed)?\b/i.test(why) && new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`).test(why);
  }

  private isOpen(next: Located): boolean {
    return this.open.some((one) => isSame(one, next));
  }

  /** The innermost caller that a step goes back to. */
  private caller(next: Located): OpenSegment | undefined {
    return this.open.slice(0, -1).findLast((one) => isSame(one, next));
  }

  private backTo(next: Located): void {
    const caller = this.caller(next);
    while (this.open.at(-1) !== caller) this.open.pop();
    this.append(next);
  }

  private append({ step }: Located): void {
    const segment = this.segments[this.open.at(-1)!.number]!;
    segment.steps.push(inSegment(step, segment.file));
  }

  /** The last step of the segment that is open calls it. */
  private call(next: Located): void {
    const top = this.segments[this.open.at(-1)!.number]!;
    const call = top.steps.at(-1)!;
    const detour = this.segments.length;
    if (call.detour === undefined) top.steps[top.steps.length - 1] = { ...call, detour };
    else top.steps.push({ ...(call.line === undefined ? {} : { line: call.line }), ...(call.file === undefined ? {} : { file: call.file }), detour });
    this.enter(next, detour);
  }

  /** Called from the segment that is open, or from nowhere; by which line is not known. */
  private beside(next: Located): void {
    const parent = this.open.at(-1);
    if (parent === undefined) this.enter(next, undefined);
    else {
      const { steps } = this.segments[parent.number]!;
      const [last] = steps.slice(-1);
      if (last !== undefined && last.detour === undefined) this.call(next);
      else {
        steps.push({ detour: this.segments.length });
        this.enter(next, this.segments.length);
      }
    }
  }

  private enter(next: Located, detour: number | undefined): void {
    const { step, function: name, level } = next;
    const number = detour ?? this.segments.length;
    this.segments[number] = { ...(name === undefined ? {} : { function: name }), ...(step.file === undefined ? {} : { file: step.file }), steps: [inSegment(step, step.file)] };
    this.open.push({ number, level, function: name, file: step.file });
  }
}

function inSegment(step: Step, file: string | undefined): Step {
  if (step.file === undefined || step.file !== file) return step;
  const { file: _same, ...rest } = step;
  return rest;
}

/** A step that does not say its function is in the one before, if it is in the same file. */
function isSame(open: OpenSegment, next: Located): boolean {
  if (open.function === undefined || next.function === undefined) return next.step.file === undefined || open.file === undefined || open.file === next.step.file;
  return simpleName(open.function) === simpleName(next.function) && (open.function === next.function || open.file === next.step.file);
}

function has({ kinds }: Step, kind: string): boolean {
  return kinds?.includes(kind) ?? false;
}

function isEntry({ step, head }: Located): boolean {
  return has(step, 'enter') || /^(?:entry to|entered call from)\b/i.test(step.why ?? '') || (head !== undefined && step.line === head);
}

function isReturn({ step }: Located): boolean {
  return /^return(?:ing|ed)? (?:to|from)\b/i.test(step.why ?? '');
}

/** `ns::f<int>(char)` is `f`. */
export function simpleName(name: string): string {
  const bare = name.replace(/\(.*$/s, '').replace(/<[^<>]*>/g, '').replace(/<[^<>]*>/g, '');
  return /(operator\W+|~?[\w$.]+)$/.exec(bare.trim())?.[1] ?? bare.trim();
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
