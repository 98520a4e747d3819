/**
 * Where a thread stands in the eyes of the user. Programs without debug information have no lines of their own: then it
 * is the innermost frame of the program itself, whose functions may have names.
 */
import { Backtrace } from '../debugger/program/backtrace.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { type Context, calledName, contextOf } from '../flow/ownCode.js';

/** Frames of libraries that are looked through. */
const DEEPEST = 64;

export function whereabouts(view: ProgramView): Context {
  const context = contextOf(view);
  if (context.frame !== undefined) return context;
  const frames = new Backtrace(view).frames(DEEPEST);
  const index = frames.findIndex(({ module, kind }) => kind === 'normal' && module !== undefined && module === view.modules.main);
  const [frame, inner] = [frames[index], frames[index - 1]];
  if (frame === undefined) return context;
  return { ...context, frame, called: inner === undefined ? undefined : calledName(view, frame, inner) };
}
