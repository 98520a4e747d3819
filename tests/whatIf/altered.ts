/**
 * Programs of these tests: compiled as they are and as edited by hand, recorded, run natively, and altered in
 * branches.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { ProgramView } from '../../src/debugger/program/programView.js';
import { SourceText } from '../../src/debugger/program/sourceText.js';
import { Statements } from '../../src/debugger/program/statements.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { BranchExecution } from '../../src/replay/branch/branchExecution.js';
import type { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import type { Thread } from '../../src/replay/timeline/state.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { type Alteration, parseAlteration } from '../../src/whatIf/alteration.js';
import type { WhatIf } from '../../src/whatIf/apply.js';
import { recordedOutput } from '../../src/whatIf/recordedOutput.js';
import { placeSource } from '../programs/placeSource.js';
import { record } from '../replay/recorded.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/whatIf/', import.meta.url));

/** Instructions that an altered program may take. */
const LONGEST = 20_000_000;

export interface Ran {
  readonly output: string;
  /** As a shell has it. */
  readonly status: number;
}

/** Made once: V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);

export function sourceOf(program: string): string {
  return readFileSync(`${SOURCES}${program}.c`, 'utf8');
}

/** The line with a mark. */
export function lineOf(program: string, mark: string): number {
  const line = sourceOf(program).split('\n').findIndex((text) => text.endsWith(`// @${mark}`)) + 1;
  if (line === 0) throw new Error(`no mark ${mark} in ${program}.c`);
  return line;
}

/** The path of a program. */
export function compile(program: string, source: string, level: string, flags: readonly string[] = []): string {
  const hash = createHash('sha256').update(JSON.stringify([program, source, level, flags])).digest('hex').slice(0, 16);
  const folder = `${BUILD_FOLDER}${hash}/`;
  const path = `${folder}${program}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  placeSource(`${path}.c`, source);
  const made = `${path}.${process.pid}`;
  execFileSync('gcc', ['-w', '-g', `-${level}`, ...flags, '-o', made, `${path}.c`, '-lm', '-pthread']);
  renameSync(made, path);
  return path;
}

/** With the lines that have these marks replaced. */
export function editedSource(program: string, edit: Readonly<Record<string, string>>): string {
  for (const mark of Object.keys(edit)) lineOf(program, mark);
  return sourceOf(program).split('\n').map((line) => edit[/\/\/ @(\w+)$/.exec(line)?.[1] ?? ''] ?? line).join('\n');
}

/** What the source edited by hand does, on this machine. */
export function edited(program: string, edit: Readonly<Record<string, string>>, level: string): Ran {
  const { stdout, status, signal } = spawnSync(compile(program, editedSource(program, edit), level), { encoding: 'utf8', timeout: 20_000 });
  return { output: stdout, status: status ?? 128 + constants.signals[signal as NodeJS.Signals] };
}

export interface Recorded extends WhatIf {
  readonly recording: Timeline;
  readonly maker: TimelineBranches;
}

const known = new Map<string, Promise<Recorded>>();

/** Recorded once, and shared. */
export async function recorded(program: string, level: string, flags: readonly string[] = []): Promise<Recorded> {
  const key = [program, level, ...flags].join(' ');
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = recordNow(program, level, flags)));
  return found;
}

async function recordNow(program: string, level: string, flags: readonly string[]): Promise<Recorded> {
  const { options } = await record([compile(program, sourceOf(program), level, ['-static', ...flags])], { engine: { coreModule } });
  const recording = new Timeline(options);
  const modules = new Modules(NODE_FILES);
  await recording.seekEnd();
  const { state } = recording;
  const view = (): ProgramView => new ProgramView(recording.state, (state.current ?? state.threads[0]) as Thread, modules);
  const statements = new Statements(new SourceText(NODE_FILES));
  return { recording, maker: branchesOf(new Timeline(options), options), modules, statements, get program() { return view(); } };
}

/** `switch @mark#2`, with the mark's line in its place. */
export function alterationOf(program: string, text: string): Alteration {
  const [, what, rest] = /^(switch|suppress) (.*)$/.exec(text) ?? [];
  return parseAlteration(what as Alteration['what'], (rest as string).replace(/@([a-z]\w*)/i, (_, mark: string) => `${program}.c:${lineOf(program, mark)}`));
}

/** To its end, and what all of it printed. */
export async function finished(recording: Timeline, branch: BranchExecution): Promise<Ran> {
  await branch.forward([{ kind: 'time', time: (branch.start.time + LONGEST) as never }]);
  const { end } = branch;
  const bytes = [...recordedOutput(recording, branch.start), ...branch.output].filter(({ fd }) => fd === 1).map((one) => one.bytes);
  const output = Buffer.concat(bytes).toString();
  branch.drop();
  if (end?.kind !== 'ended') throw new Error(`it did not end: ${JSON.stringify(end)}, after ${output}`);
  return { output, status: end.status.kind === 'exited' ? end.status.code : 128 + end.status.signal };
}
