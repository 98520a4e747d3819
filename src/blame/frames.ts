/** Places in the program, as reports name them. */
import { hex } from '../base/types.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { statementName } from '../debugger/program/statements.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { isOwnCode } from '../flow/ownCode.js';
import { whereabouts } from '../slices/whereabouts.js';
import type { BlamedFrame } from './blameReport.js';

/** Frames of a stack that are told. */
const DEEPEST = 64;
/** Functions of the C library that have to do with memory and text, by whatever name. */
const LIBRARY = /^_|^(mem|str|stp|wcs|wmem)[a-z]+(_\w+)?$|^(malloc|calloc|realloc|reallocarray|free|cfree|v?f?s?n?printf\w*|f?gets|fread|fwrite|getline|getdelim|s?scanf|abort|raise|gsignal|read|recv\w*|qsort\w*|bsearch|int_\w+|sysmalloc|malloc_\w+|tcache_\w+|unlink_chunk\w*)(@.*)?$/;

/** Where a thread is in the eyes of the user: the innermost line of its own code, or else where it really is. */
export function placeOf(view: ProgramView): BlamedFrame {
  const { frame } = whereabouts(view);
  if (frame === undefined) return bareFrame(view);
  return frameOf(frame.line > 0 ? frame : (beyondLibrary(view, frame) ?? frame));
}

/** Of a program without lines: whether a thread stands in a function of its own, as far as names tell. */
export function isOwnFunction(view: ProgramView): boolean {
  const [frame] = new Backtrace(view).frames(1);
  return frame !== undefined && frame.line === 0 && frame.module === view.modules.main && (frame.functionName === undefined || !LIBRARY.test(frame.functionName));
}

/** In static programs the C library is part of the program: without lines, names tell what is its. */
function beyondLibrary(view: ProgramView, inner: VisibleFrame): VisibleFrame | undefined {
  const frames = new Backtrace(view).frames(DEEPEST).filter(({ level }) => level >= inner.level);
  return frames.find(({ functionName }) => functionName === undefined || !LIBRARY.test(functionName));
}

/** The user's own frames, innermost first. */
export function stackOf(view: ProgramView): readonly BlamedFrame[] {
  return new Backtrace(view).frames(DEEPEST).map(frameOf);
}

function frameOf(frame: VisibleFrame): BlamedFrame {
  const { functionName, path, line, module, pc } = frame;
  return { function: functionName, file: line > 0 ? path : undefined, line: line > 0 ? line : undefined, module: module?.path, address: hex(Number(pc)) };
}

/** The line of the user's own code that an address belongs to. */
export function lineAt(view: ProgramView, address: number): BlamedFrame | undefined {
  const module = isOwnCode(view, address) ? view.moduleAt(BigInt(address)) : undefined;
  const range = module?.file.lineRangeAt(address - Number(module.bias));
  return range === undefined ? undefined : { function: undefined, file: range.file?.path, line: range.line, module: module?.path, address: hex(address) };
}

function bareFrame(view: ProgramView): BlamedFrame {
  return { function: undefined, file: undefined, line: undefined, module: view.moduleAt(view.pc)?.path, address: hex(Number(view.pc)) };
}

/** As lists name it: FILE:LINE, or without lines FUNCTION, or the module and address. */
export function frameName({ file, line, function: name, module, address }: BlamedFrame): string {
  if (file !== undefined && line !== undefined) return statementName({ path: file, line, part: undefined });
  const base = module?.replace(/^.*\//, '');
  return name ?? (base === undefined ? address : `${base}:${address}`);
}

/** Whether both are the same line; without lines, the same function and address. */
export function isSamePlace(a: BlamedFrame, b: BlamedFrame): boolean {
  if (a.line !== undefined || b.line !== undefined) return a.file === b.file && a.line === b.line;
  return a.address === b.address;
}
