/**
 * What an answer puts the blame on: the key by which failures are grouped. For corrupted memory that is the statement
 * that corrupted it first, whichever rule it broke and wherever the program crashed later. For other failures it is
 * what they are, and where.
 */
import type { BlamedFailure, BlamedFrame } from '../blame/blameReport.js';
import type { Answer } from './inputResult.js';

type CulpritKind =
  | 'corruption' | 'nullPointer' | 'division' | 'assertion' | 'abort' | 'stackExhausted' | 'outOfMemory' | 'leak' | 'hang'
  /** It fails in a way of its own: an instruction that there is not, say. */
  | 'other'
  /** It fails, and blame does not know why. */
  | 'unknown';

export interface Culprit {
  readonly kind: CulpritKind;
  /** Where it is; undefined for what is at no place, as a hang. */
  readonly place: BlamedFrame | undefined;
  /** Equal for what is the same. */
  readonly key: string;
}

const NAMES: Readonly<Record<CulpritKind, string>> = {
  corruption: 'corrupted memory', nullPointer: 'null pointer', division: 'division', assertion: 'assertion failed', abort: 'abort', stackExhausted: 'stack exhausted',
  outOfMemory: 'out of memory', leak: 'leak', hang: 'hang', other: 'other failure', unknown: 'unexplained failure',
};

/** In the words of tables. */
export function kindName(kind: CulpritKind): string {
  return NAMES[kind];
}

/** Undefined if nothing is wrong. */
export function culpritOf({ verdict, places, failure, why }: Answer): Culprit | undefined {
  const [first] = places;
  if (verdict === 'corruption' && first !== undefined) return culprit('corruption', first);
  if (verdict === 'clean') return undefined;
  if (failure?.kind === 'hang') return culprit('hang', undefined);
  // The run ended well, and no method came to an end: there is no failure to be grouped.
  if (failure === undefined && verdict === 'unknown') return undefined;
  return culprit(verdict === 'otherFailure' ? kindOf(failure, why) : 'unknown', first ?? failure?.place);
}

function culprit(kind: CulpritKind, place: BlamedFrame | undefined): Culprit {
  return { kind, place, key: `${kind} ${place === undefined ? '' : placeKey(place)}` };
}

/** What is said of a failure that is no corruption tells what it is. The order matters: a failed assertion aborts. */
const SIGNS: readonly (readonly [RegExp, CulpritKind])[] = [
  [/\bassert/i, 'assertion'],
  [/out of memory|memory limit|cannot allocate|bad_alloc/i, 'outOfMemory'],
  [/stack is full|stack (is )?exhausted|stack overflow/i, 'stackExhausted'],
  [/\bSIGFPE\b|\bdivi(sion|ded|sor)\b/i, 'division'],
  [/\bnull\b/i, 'nullPointer'],
  [/\bleak/i, 'leak'],
  [/\bSIGABRT\b|\babort/i, 'abort'],
];

function kindOf(failure: BlamedFailure | undefined, why: string): CulpritKind {
  const said = [failure?.name ?? '', failure?.message ?? '', why].join('\n');
  return SIGNS.find(([sign]) => sign.test(said))?.[1] ?? 'other';
}

/** Lines are the same wherever a program was built; addresses are the same as long as its file is. */
function placeKey(frame: BlamedFrame): string {
  const { file, line, module, address } = frame;
  if (file !== undefined && line !== undefined && line > 0) return `${file}:${line} ${frame.function ?? ''}`;
  return `${module ?? ''} ${frame.function ?? ''} ${address}`;
}

/** `parse.c:12 in copy`, or what there is to say without lines. `directory`: files below it are named from there. */
export function placeText(frame: BlamedFrame, directory = ''): string {
  const { file, line, module, address } = frame;
  const where = frame.function === undefined ? '' : ` in ${frame.function}`;
  if (file !== undefined && line !== undefined && line > 0) return `${fileText(file, directory)}:${line}${where}`;
  return `${address}${where}${module === undefined ? '' : ` of ${baseName(module)}`}`;
}

/** Debug information may begin names with `./`. */
export function fileText(path: string, directory: string): string {
  const file = path.replace(/^(\.\/)+/, '');
  return directory !== '' && file.startsWith(`${directory}/`) ? file.slice(directory.length + 1) : file;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
