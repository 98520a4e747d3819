/** Asks `culprit blame` about a program, and says what it answers in lines of that program. */
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import type { BlamedFrame, BlamedPlace, BlameReport } from '../../src/blame/blameReport.js';
import { culprit } from '../cli/culprit.js';

export interface Answer {
  readonly status: number | null;
  readonly stderr: string;
  /** Undefined if it printed none. */
  readonly report: BlameReport | undefined;
}

export interface Question {
  readonly path: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly options?: readonly string[];
}

export function blame({ path, args = [], stdin = '', options = [] }: Question): Answer {
  const { status, stdout, stderr } = culprit(['blame', '--json', ...options, '--', path, ...args], { input: stdin });
  let report: BlameReport | undefined;
  try {
    report = JSON.parse(stdout) as BlameReport;
  } catch {
    report = undefined;
  }
  return { status, stderr, report };
}

/** `--list`: lines of the program's own file, as scripts see them. */
export function blameList({ path, args = [], stdin = '', options = [] }: Question): { readonly status: number | null; readonly list: readonly string[]; readonly stderr: string } {
  const { status, stdout, stderr } = culprit(['blame', '--list', ...options, '--', path, ...args], { input: stdin });
  return { status, list: stdout.split('\n').slice(0, -1), stderr };
}

/** Where gdb, and we, put programs that may be anywhere. */
const PIE_BASE = 0x5555_5555_4000;

/**
 * The line of a place in the program's own source: of the innermost frame that is the program's. `twin` is the same
 * program compiled with debug information, if the program has none.
 */
export function lineOfPlace(place: BlamedPlace, program: string, twin: string | undefined): number | undefined {
  const frames: readonly BlamedFrame[] = [place, ...place.stack];
  const file = `${basename(program)}.c`;
  if (twin === undefined) return frames.find((frame) => frame.file !== undefined && basename(frame.file) === file)?.line;
  const own = frames.findIndex((frame) => frame.module !== undefined && basename(frame.module) === basename(program));
  if (own < 0) return undefined;
  const address = Number((frames[own] as BlamedFrame).address);
  // A caller's address is behind its call; the first two frames are the same place.
  const isCaller = own > 1 || (own === 1 && frames[1]?.address !== place.address);
  const linear = address >= PIE_BASE ? address - PIE_BASE : address;
  const said = execFileSync('addr2line', ['-e', twin, `0x${(isCaller ? linear - 1 : linear).toString(16)}`], { encoding: 'utf8' });
  const [, line] = /:(\d+)/.exec(said) ?? [];
  return line === undefined ? undefined : Number(line);
}
