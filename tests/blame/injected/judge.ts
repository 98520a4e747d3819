/** One random program with one bug, compiled in one of twelve ways: what blame says of it, and whether that is right. */
import { spawnSync } from 'node:child_process';
import { blame, lineOfPlace } from '../blamed.js';
import { compiledText } from '../corpus.js';
import type { InjectedProgram } from './injectedProgram.js';

export type Found = 'first' | 'among' | 'missed';

export interface Judgement {
  readonly seed: number;
  readonly kind: string;
  readonly name: string;
  readonly way: string;
  readonly found: Found;
  /** The native run differs from that of the program without the bug: it crashes, or prints something else. */
  readonly hasEffect: boolean;
  readonly reason: string;
  readonly runs: number;
}

const LEVELS = ['-O0', '-O1', '-O2'] as const;
const NATIVE_LIMIT = 5_000;
/** Seconds that blame may take for one program. */
const TIMEOUT = '20';

export interface Way {
  readonly name: string;
  readonly flags: readonly string[];
  readonly hasDebugInformation: boolean;
}

export function wayOf(number: number): Way {
  const level = LEVELS[number % 3] as string;
  const isStatic = Math.floor(number / 3) % 2 === 1;
  const hasDebugInformation = Math.floor(number / 6) % 2 === 0;
  return { name: `${level} ${isStatic ? 'static' : 'dynamic'}${hasDebugInformation ? ' -g' : ''}`, flags: [level, ...(isStatic ? ['-static'] : [])], hasDebugInformation };
}

interface Outcome {
  readonly end: string;
  readonly stdout: string;
}

function native(path: string): Outcome {
  const { status, signal, stdout } = spawnSync('setarch', ['-R', path], { input: '', encoding: 'utf8', timeout: NATIVE_LIMIT, killSignal: 'SIGKILL' });
  return { end: `${status ?? signal}`, stdout };
}

/** Undefined if the program is of no use: it does not end by itself, even without its bug. */
export function judge(program: InjectedProgram, way: Way): Judgement | undefined {
  const name = `injected${program.seed}`;
  const build = (...flags: string[]): string => compiledText(name, program.source, [...way.flags, ...flags]);
  const without = native(build('-DFIXED'));
  if (!/^\d+$/.test(without.end)) return undefined;
  const twin = build('-g');
  const path = way.hasDebugInformation ? twin : build();
  const outcome = native(path);
  const hasEffect = outcome.end !== without.end || outcome.stdout !== without.stdout;
  const { status, stderr, report } = blame({ path, options: ['--timeout', TIMEOUT] });
  const lines = (report?.places ?? []).map((place) => lineOfPlace(place, path, way.hasDebugInformation ? undefined : twin));
  const isRight = (line: number | undefined): boolean => line !== undefined && (program.corrupt.includes(line) || program.also.includes(line));
  const found = isRight(lines[0]) ? 'first' : lines.some(isRight) ? 'among' : 'missed';
  const said = report === undefined ? `no report, status ${status}: ${stderr.trim().split('\n').at(-1)}` : `${report.verdict}: ${report.why}`;
  const reason = found === 'first' ? '' : `native ${outcome.end}; expected ${[...program.corrupt, ...program.also.map((line) => `(${line})`)].join(' ')}, got ${lines.map((line) => line ?? '?').join(' ') || 'none'}; ${said}; ${path}`;
  return { seed: program.seed, kind: program.kind, name: program.name, way: way.name, found, hasEffect, reason, runs: report?.runs ?? 0 };
}
