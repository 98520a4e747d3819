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

/** Where gdb, and we, put programs that may be anywhere; and how large programs of tests are. */
const PIE_BASE = 0x5555_5555_4000;
const LARGEST = 0x100_0000;

/**
 * The line of a place in the program's own source: of the innermost frame that is the program's, and no library's that
 * is a part of it. `twin` is the same program compiled with debug information, if the program has none.
 */
export function lineOfPlace(place: BlamedPlace, program: string, twin: string | undefined): number | undefined {
  const file = `${basename(program)}.c`;
  const frames = [place, ...place.stack];
  if (twin === undefined) return frames.find((frame) => frame.file !== undefined && basename(frame.file) === file)?.line;
  // The address of a caller is the one that the call returns to.
  const isCaller = ({ address }: BlamedFrame): boolean => place.stack.findIndex((other) => other.address === address) > 0;
  const addresses = frames.map((frame) => linearOf(frame.address) - (isCaller(frame) ? 1 : 0)).filter((address) => address < LARGEST);
  if (addresses.length === 0) return undefined;
  const said = execFileSync('addr2line', ['-e', twin, ...addresses.map((address) => `0x${address.toString(16)}`)], { encoding: 'utf8' });
  const own = said.split('\n').find((line) => line.includes(`/${file}:`));
  return own === undefined ? undefined : Number(/:(\d+)/.exec(own)?.[1]);
}

/** Within the program's file; libraries are far behind its end. */
function linearOf(address: string): number {
  const number = Number(address);
  return number >= PIE_BASE ? number - PIE_BASE : number;
}
