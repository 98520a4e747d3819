/** Compiles a program, records it in memory, and opens a debugger on the recording. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { Debugger } from '../../src/debugger/control/debugger.js';
import type { FrameEvaluator } from '../../src/debugger/values/frameEvaluator.js';
import type { DebugFiles } from '../../src/debugger/program/debugFiles.js';
import type { VisibleFrame } from '../../src/debugger/program/visibleFrame.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { record } from '../replay/recorded.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/debugger/', import.meta.url));

export const HOST_FILES: DebugFiles = {
  read: (path) => (existsSync(path) ? readFileSync(path) : undefined),
  inflate: (bytes) => inflateSync(bytes),
};

/** Without debug information of libraries, which is not on every machine, and long. */
export const NEAR_FILES: DebugFiles = { ...HOST_FILES, read: (path) => (path.startsWith('/usr/lib/debug') ? undefined : HOST_FILES.read(path)) };

export const NO_EXPRESSIONS: FrameEvaluator = {
  evaluate: () => { throw new Error('no expressions here'); },
  returned: () => undefined,
};

/** The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(SOURCES + source)).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', temporary, SOURCES + source, '-lm', '-pthread']);
    renameSync(temporary, path);
  }
  return path;
}

/** Programs do the same every time. */
const RECORDED = new Map<string, ReturnType<typeof record>>();

async function recorded(words: readonly string[]): ReturnType<typeof record> {
  const known = RECORDED.get(words.join(' ')) ?? record(words);
  RECORDED.set(words.join(' '), known);
  return known;
}

export interface DebugRequest {
  readonly args?: readonly string[];
  readonly evaluator?: FrameEvaluator;
  readonly files?: DebugFiles;
}

export async function debug(path: string, { args = [], evaluator = NO_EXPRESSIONS, files = NEAR_FILES }: DebugRequest = {}): Promise<Debugger> {
  const { options, status } = await recorded([path, ...args]);
  const ending = status.kind === 'exited' ? ({ how: 'exited', code: status.code } as const) : ({ how: 'signaled', code: status.signal } as const);
  return Debugger.open(new Timeline(options), { files, evaluator, ending });
}

/** "function file.c:12", or as much of it as is known. */
export function shown(frame: VisibleFrame | undefined): string {
  if (frame === undefined) return 'nowhere';
  if (frame.kind === 'signal') return '<signal handler called>';
  const name = frame.functionName ?? '??';
  return frame.line === 0 ? name : `${name} ${frame.fileName?.replace(/.*\//, '')}:${frame.line}`;
}

export function shownStack(debug: Debugger): string[] {
  return debug.backtrace?.frames(100).map(shown) ?? [];
}
