/**
 * Stacks as reports show them. What matters is the user's code: what libraries do below a call of his is one frame, by
 * the name that he called, and what is above his code (the beginning of a thread) is left out.
 */
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import type { SourceText } from '../../debugger/program/sourceText.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { calledName, isUsers } from '../../flow/ownCode.js';

export interface ReportedFrame {
  /** As debuggers number it. */
  readonly level: number;
  readonly function: string | undefined;
  readonly file: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  /** From 1; 0 if not known. */
  readonly column: number;
  /** The line itself, if its file can be found. */
  readonly text: string | undefined;
  readonly address: bigint;
  /** The program or library that it is in. */
  readonly object: string | undefined;
  /** Neither libc's nor another library's of the system. */
  readonly isUsers: boolean;
  /** Of a library's frame that the user's code has called: by what name. */
  readonly calledAs?: string;
}

/** Frames that are looked at. */
const MOST_FRAMES = 100;

export function framesOf(view: ProgramView, sources?: SourceText): ReportedFrame[] {
  const frames = new Backtrace(view).frames(MOST_FRAMES);
  const own = frames.map((frame) => frame.kind !== 'signal' && frame.module !== undefined && isUsers(view, frame.module, frame.path));
  return frames.map((frame, i) => ({
    ...reportedFrame(frame, own[i] === true, sources),
    ...(own[i] !== true && own[i + 1] === true ? { calledAs: calledName(view, frames[i + 1], frame) } : {}),
  }));
}

function reportedFrame(frame: VisibleFrame, isOwn: boolean, sources: SourceText | undefined): ReportedFrame {
  const { level, line, column, path } = frame;
  const text = path === undefined || line === 0 ? undefined : sources?.lines(path)?.[line - 1];
  return { level, function: frame.functionName, file: (path ?? frame.fileName)?.replace(/^(\.\/)+/, ''), line, column, text, address: frame.pc, object: frame.module?.path, isUsers: isOwn };
}

/** What calls main, in programs that do not tell where main is. */
const START = /^_*libc_start_(main|call_main)/;

/** Those worth showing. */
export function shownFrames(stack: readonly ReportedFrame[]): readonly ReportedFrame[] {
  const start = stack.findIndex((frame) => START.test(frame.function ?? ''));
  const last = stack.slice(0, start < 0 ? undefined : start).findLastIndex((frame) => frame.isUsers);
  if (last < 0) return stack;
  return stack.slice(0, last + 1).filter((frame) => frame.isUsers || frame.calledAs !== undefined);
}

/** What to call the function. */
export function frameName({ calledAs, function: name }: ReportedFrame): string {
  return calledAs ?? name ?? '??';
}

/** Where the user's code is to blame. */
export function userFrame(stack: readonly ReportedFrame[]): ReportedFrame | undefined {
  return stack.find((frame) => frame.isUsers && frame.line > 0) ?? stack.find((frame) => frame.isUsers);
}
