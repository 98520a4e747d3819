/** What the rules of stepping look at where a thread stands: its frame, who called it, its line. */
import { Backtrace } from '../program/backtrace.js';
import { inlinedCallsBeginningAt } from '../program/inlinedStart.js';
import type { LineRange } from '../program/lineRanges.js';
import type { LoadedModule } from '../program/modules.js';
import { prologueEnd } from '../program/prologueEnd.js';
import type { ProgramView } from '../program/programView.js';
import { type FrameId, isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';

/** A range of lines as addresses in memory: [start, end). */
export interface CodeRange {
  readonly start: bigint;
  readonly end: bigint;
}

interface SourceLine extends CodeRange {
  readonly line: number;
  /** Of the file. */
  readonly path: string | undefined;
  readonly isStatement: boolean;
}

/** How far gdb goes through inlined frames above. */
const MOST_INLINED = 256;

export class StepFacts {
  readonly pc: bigint;
  readonly frames: Backtrace;
  readonly module: LoadedModule | undefined;

  constructor(
    readonly view: ProgramView,
    /** Inlined calls that begin here and have not been entered. */
    readonly hidden: number = inlinedCallsBeginningAt(view, view.pc),
  ) {
    this.pc = view.pc;
    this.frames = new Backtrace(view, { hidden, pastMain: true });
    this.module = view.moduleAt(this.pc);
  }

  get top(): VisibleFrame {
    return this.frames.frame(0) as VisibleFrame;
  }

  get stackId(): FrameId {
    return this.top.stackId;
  }

  /** The frame on the stack that called this one. */
  get caller(): VisibleFrame | undefined {
    for (let level = 0; level < MOST_INLINED; level++) {
      const frame = this.frames.frame(level);
      if (frame === undefined) return undefined;
      if (frame.stack !== this.top.stack) return frame;
    }
    return undefined;
  }

  get functionStart(): bigint {
    return this.top.functionStart;
  }

  /** The line of the code itself, whatever frame is shown. Undefined where there is none. */
  get line(): SourceLine | undefined {
    return lineAt(this.module, this.pc);
  }

  /** The same from its first row on: a line may have several, of which only the first is where it begins. */
  get wholeLine(): SourceLine | undefined {
    const { line } = this;
    if (line === undefined) return undefined;
    let { start } = line;
    for (let before = this.lineOf(start - 1n); before !== undefined && before.line === line.line && before.path === line.path; before = this.lineOf(start - 1n)) start = before.start;
    return { ...line, start };
  }

  /** Whether an inlined call of `outer` is under way. */
  isInlinedIn(outer: FrameId): boolean {
    for (let level = 1; level < MOST_INLINED; level++) {
      const frame = this.frames.frame(level);
      if (frame === undefined) return false;
      if (isSameFrame(frame.id, outer)) return true;
      if (frame.kind !== 'inlined') return false;
    }
    return false;
  }

  /** Where a function's own work begins, as far as a step into it goes. */
  afterPrologue(start: bigint): bigint {
    return prologueEnd(this.view, start);
  }

  lineOf(address: bigint): SourceLine | undefined {
    return lineAt(this.view.moduleAt(address), address);
  }
}

function lineAt(module: LoadedModule | undefined, address: bigint): SourceLine | undefined {
  const range: LineRange | undefined = module?.file.lineRangeAt(Number(address - module.bias));
  if (module === undefined || range === undefined) return undefined;
  return { start: BigInt(range.start) + module.bias, end: BigInt(range.end) + module.bias, line: range.line, path: range.file?.path, isStatement: range.isStatement };
}
