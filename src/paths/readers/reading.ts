/** What readers of reports are given, and what they give. */
import { UserError } from '../../base/errors.js';
import type { FlatReport } from '../model/flat.js';
import type { ReportedFile } from '../model/path.js';

/** A file with reports. It can be read from its start more than once. */
export interface ReportInput {
  /** As the user calls it. */
  readonly name: string;
  /** A piece is good until the next one is asked for. */
  chunks(): Iterable<Uint8Array>;
  /** A file in the folder of this one, or below; undefined if there is none. */
  beside(name: string): ReportInput | undefined;
}

export interface Reading {
  /** By name; known before the first report is. */
  readonly files: ReadonlyMap<string, ReportedFile>;
  /** One after the other, as they are read. */
  readonly reports: Iterable<FlatReport>;
}

export interface ReportReader {
  /** For --format. */
  readonly name: string;
  readonly what: string;
  /** Whether a file is such a report, by its beginning. */
  accepts(beginning: string): boolean;
  /** Throws a UserError if it is not what it seemed. */
  read(input: ReportInput): Reading;
}

export const NO_FILES: ReadonlyMap<string, ReportedFile> = new Map();

/** Texts are read whole; reports of that kind are for people, or of one program each. */
const LONGEST_TEXT = 256 * 1024 * 1024;
/** What steps a report may have at most: more is no report that is meant to be read. */
const MOST_STEPS = 1_000_000;

/** What is no UTF-8 becomes U+FFFD: it is shown, and does no harm. */
export function textOf(input: ReportInput): string {
  const pieces: string[] = [];
  const decoder = new TextDecoder('utf-8');
  let total = 0;
  for (const chunk of input.chunks()) {
    total += chunk.length;
    if (total > LONGEST_TEXT) throw new UserError(`${input.name}: longer than ${LONGEST_TEXT / 1024 / 1024} MiB`);
    pieces.push(decoder.decode(chunk, { stream: true }));
  }
  return pieces.join('') + decoder.decode();
}

/** Throws if a report has more steps than any that is meant seriously. */
export function limited(report: FlatReport, name: string): FlatReport {
  checkSteps(report.paths.reduce((sum, path) => sum + ('flow' in path ? path.flow.length : path.segments.length), 0), name);
  return report;
}

export function checkSteps(steps: number, name: string): void {
  if (steps > MOST_STEPS) throw new UserError(`${name}: a report has ${steps} steps, and more than ${MOST_STEPS} are not read`);
}

/** A whole number from 1 on, as lines and columns are; undefined for anything else. */
export function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

/** An object without the fields that are undefined. */
export function defined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  const result: Record<string, unknown> = {};
  // Every step goes through here: lists of entries would cost more than reading the report.
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name];
  return result as T;
}
