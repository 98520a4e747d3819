/**
 * Programs of these tests. Conditions are written COND(...), what selects a case SELECT(...), calls that are statements
 * CALL(...): as they are for the program that is probed, and counted for the judge, which is the same program with one
 * of them altered by hand.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { probe, type ProbeOptions, type ProbeResult } from '../../src/probe/probe.js';
import { Slices } from '../../src/slices/slices.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { recordedEnd } from '../../src/whatIf/recordedOutput.js';
import { placeSource } from '../programs/placeSource.js';
import { record } from '../replay/recorded.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/probe/', import.meta.url));

/** Made once: V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);

/** A value that no case is of. */
const NO_CASE = 12_345;
const APART = '-DAPART=static __attribute__((noipa))';
const JUDGE = `
#include <stdlib.h>
static int met;
static int altered(const char *name) { return atoi(getenv(name)); }
static int arrives(int line) { return line == altered("LINE") && ++met == altered("INSTANCE"); }
#define COND(x) (arrives(__LINE__) ? !(x) : !!(x))
#define SELECT(x) (arrives(__LINE__) ? altered("CASE") : (x))
#define CALL(x) do { if (!arrives(__LINE__)) x; } while (0)
#line 1
`;

function sourceOf(program: string): string {
  return readFileSync(`${SOURCES}${program}.c`, 'utf8');
}

/** The line with a mark. */
export function lineOf(program: string, mark: string): number {
  const line = sourceOf(program).split('\n').findIndex((text) => text.endsWith(`// @${mark}`)) + 1;
  if (line === 0) throw new Error(`no mark ${mark} in ${program}.c`);
  return line;
}

/** `switch @mark#2`, with the mark's line in its place. */
export function named(program: string, texts: readonly string[]): string[] {
  return texts.map((text) => text.replace(/@(\w+)/, (_, mark: string) => `${program}.c:${lineOf(program, mark)}`));
}

/** The path of the program, as it is. */
export function compiled(program: string, level: string, flags: readonly string[] = ['-static']): string {
  return compile(program, sourceOf(program).replace(/\b(?:COND|SELECT)\(/g, '(').replace(/\bCALL\((.*)\);/g, '$1;'), ['-g', `-${level}`, APART, ...flags]);
}

function compile(program: string, source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).digest('hex').slice(0, 16);
  const folder = `${BUILD_FOLDER}${hash}/`;
  const path = `${folder}${program}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  placeSource(`${path}.c`, source);
  const made = `${path}.${process.pid}`;
  execFileSync('gcc', ['-w', ...flags, '-o', made, `${path}.c`]);
  renameSync(made, path);
  return path;
}

/** The program with one instance of a line altered by hand, on this machine: `to` is what a `switch` goes by. */
export function judge(program: string, line: number, instance: number, to = NO_CASE): { readonly end: number | string; readonly output: string } {
  const path = compile(program, JUDGE + sourceOf(program), ['-g', '-O0', APART]);
  const env = { ...process.env, LINE: String(line), INSTANCE: String(instance), CASE: String(to) };
  const { status, signal, stdout } = spawnSync(path, { env, encoding: 'utf8', timeout: 20_000 });
  return { end: status ?? signal ?? '', output: stdout };
}

/** How the program ends if one instance of a line is altered by hand: a status, or `SIGSEGV`. */
export function judged(program: string, line: number, instance: number, to?: bigint | 'default'): number | string {
  return judge(program, line, instance, to === undefined || to === 'default' ? NO_CASE : Number(to)).end;
}

export const SIGNALS = constants.signals;

/** A debugger at the end of a recording. */
async function debugged(path: string): Promise<Debugger> {
  const { options } = await record([path], { engine: { coreModule } });
  const timeline = new Timeline(options);
  const end = recordedEnd(timeline);
  const ending = end?.kind === 'exited' ? { how: 'exited' as const, code: end.code } : { how: 'signaled' as const, code: end?.signal ?? 0 };
  return Debugger.open(timeline, { files: NODE_FILES, evaluator: new ValueEvaluator(), branches: branchesOf(new Timeline(options), options), ending });
}

export interface Known {
  readonly debug: Debugger;
  readonly slices: Slices;
}

const known = new Map<string, Promise<Known>>();
const results = new Map<string, Promise<ProbeResult>>();

/** Recorded once. */
export async function opened(program: string, level: string): Promise<Known> {
  const path = compiled(program, level);
  let found = known.get(path);
  if (found === undefined) known.set(path, (found = debugged(path).then((debug) => ({ debug, slices: new Slices(debug) }))));
  return found;
}

/** Probed once for each failure. */
export async function probed(program: string, level: string, options: ProbeOptions = {}): Promise<ProbeResult> {
  const key = JSON.stringify([program, level, options]);
  let result = results.get(key);
  if (result === undefined) results.set(key, (result = opened(program, level).then(({ debug, slices }) => probe(debug, { slices, ...options }))));
  return result;
}
