/**
 * The eight bugs of Table 2 of "Generating Sound and Effective Memory Debuggers" (seed 000), each rebuilt with the
 * mechanism that the paper tells. Marks in the sources: BUG where it has to be reported, ALLOC where its block comes
 * from, ROOT the cause, which a chain has to show. With FIXED defined they are clean.
 */
import { readFileSync } from 'node:fs';
import type { BugCase } from '../bugCase.js';

export interface PaperBug {
  readonly file: string;
  readonly rule: string;
  /** Rules that may be first to see it: fclose reads a freed FILE before it frees it. */
  readonly also?: readonly string[];
  /** Table 3: source steps of all chains together. */
  readonly mostSteps: number;
  readonly program: string;
}

export const PAPER_BUGS: readonly PaperBug[] = [
  { file: 'tidyDoubleFree.c', rule: 'double.free', mostSteps: 16, program: 'Tidy-34132-double-free' },
  { file: 'tidyNullDeref.c', rule: 'null.pointer.deref', mostSteps: 4, program: 'Tidy-34132-null-deref' },
  { file: 'bcHeapOverflow.c', rule: 'heap.buffer.overflow', mostSteps: 1, program: 'Bc-1.06' },
  { file: 'tarNullDeref.c', rule: 'null.pointer.deref', also: ['libc.null.string'], mostSteps: 4, program: 'Tar-1.13.25' },
  { file: 'pythonUnmatchedFree.c', rule: 'unmatched.free', mostSteps: 2, program: 'Cpython-870c0ef7e8a2' },
  { file: 'pythonDoubleClose.c', rule: 'double.free', also: ['dangling.pointer.deref'], mostSteps: 10, program: 'Cpython-2.6.8' },
  { file: 'pythonImageOverflow.c', rule: 'heap.buffer.overflow', mostSteps: 1, program: 'Cpython-08135a1f3f5d' },
  { file: 'pythonNullWriteBuffer.c', rule: 'null.pointer.deref', mostSteps: 2, program: 'Cpython-83d0945eea42' },
];

export function paperCase({ file, rule }: PaperBug, buggy: boolean): BugCase {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return { name: `paper/${file.replace('.c', '')}/${buggy ? 'buggy' : 'clean'}`, rule, buggy, sources: [{ name: file, text }], flags: buggy ? [] : ['-DFIXED'] };
}

export function paperCases(): BugCase[] {
  return PAPER_BUGS.flatMap((bug) => [paperCase(bug, true), paperCase(bug, false)]);
}
