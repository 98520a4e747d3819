/**
 * The JSON form of reports with paths, which `culprit paths --json` prints and reads: a version, the reports, and what
 * is known of their files. The reader checks everything: what it gives back is a path by all rules of path.ts.
 */
import { UserError } from '../../base/errors.js';
import type { Path, PathReport, ReportedFile, Segment, Step } from './path.js';

export const DOCUMENT_FORM = 'culprit-paths';
export const DOCUMENT_VERSION = 1;

interface PathDocument {
  readonly reports: readonly PathReport[];
  readonly files: readonly ReportedFile[];
}

/** Throws a UserError that names what is wrong and where. */
export function checkedDocument(value: unknown): PathDocument {
  const { form, version, reports, files } = fieldsOf(value, 'the document');
  if (form !== DOCUMENT_FORM) throw wrong('form', `is not ${DOCUMENT_FORM}`);
  if (version !== DOCUMENT_VERSION) throw wrong('version', `is ${JSON.stringify(version)}; this culprit reads ${DOCUMENT_VERSION}`);
  return { reports: listOf(reports, 'reports', checkedReport), files: files === undefined ? [] : listOf(files, 'files', checkedFile) };
}

export function checkedReport(value: unknown, at: string): PathReport {
  REPORT(value, at);
  const report = value as PathReport;
  let nodes = 0;
  report.paths.forEach((path, i) => {
    checkTree(path, `${at}.paths[${i}]`);
    nodes += path.segments.reduce((sum, { steps }) => sum + 1 + steps.length, 0);
  });
  if (report.text?.ranges !== undefined && report.text.ranges.length !== nodes) throw wrong(`${at}.text.ranges`, `has ${report.text.ranges.length} entries for ${nodes} segments and steps`);
  return report;
}

function checkedFile(value: unknown, at: string): ReportedFile {
  FILE(value, at);
  return value as ReportedFile;
}

/** Each segment comes after its detour's, and has one detour at most: so it is a forest, without cycles. */
function checkTree({ segments }: Path, at: string): void {
  const called = new Set<number>();
  segments.forEach(({ steps }, number) => {
    steps.forEach(({ detour }, i) => {
      if (detour === undefined) return;
      const place = `${at}.segments[${number}].steps[${i}].detour`;
      if (detour >= segments.length) throw wrong(place, `there is no segment ${detour}`);
      if (detour <= number) throw wrong(place, `segment ${detour} does not come after segment ${number}`);
      if (called.has(detour)) throw wrong(place, `segment ${detour} has another detour already`);
      called.add(detour);
    });
  });
}

type Check = (value: unknown, at: string) => void;

function wrong(at: string, what: string): UserError {
  return new UserError(`${at}: ${what}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw wrong(at, 'is not an object');
  return value;
}

function listOf<T>(value: unknown, at: string, item: (value: unknown, at: string) => T): T[] {
  if (!Array.isArray(value)) throw wrong(at, 'is not a list');
  return value.map((one, i) => item(one, `${at}[${i}]`));
}

const text: Check = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, 'is not a string');
};

function whole(least: number): Check {
  return (value, at) => {
    if (!Number.isSafeInteger(value) || (value as number) < least) throw wrong(at, `is no whole number from ${least} on`);
  };
}

function oneOf(...values: readonly string[]): Check {
  return (value, at) => {
    if (typeof value !== 'string' || !values.includes(value)) throw wrong(at, `is none of ${values.join(', ')}`);
  };
}

function list(item: Check): Check {
  return (value, at) => void listOf(value, at, item);
}

const texts: Check = (value, at) => {
  for (const [name, one] of Object.entries(fieldsOf(value, at))) text(one, `${at}.${name}`);
};

const range: Check = (value, at) => {
  if (!Array.isArray(value) || value.length !== 2) throw wrong(at, 'is no range');
  for (const one of value) whole(0)(one, at);
};

/** All fields of T, and no others. */
function record<T>(required: readonly (keyof T & string)[], checks: Readonly<Record<keyof T & string, Check>>): Check {
  return (value, at) => {
    const fields = fieldsOf(value, at);
    for (const name of required) if (fields[name] === undefined) throw wrong(at, `has no ${name}`);
    for (const [name, one] of Object.entries(fields)) {
      const check = Object.hasOwn(checks, name) ? checks[name as keyof T & string] : undefined;
      if (check === undefined) throw wrong(at, `has a field ${name}, which is not known`);
      if (one !== undefined) check(one, `${at}.${name}`);
    }
  };
}

const STEP = record<Step>([], {
  file: text, line: whole(1), column: whole(1), endLine: whole(1), endColumn: whole(1), why: text, kinds: list(text), importance: oneOf('important', 'essential', 'unimportant'), state: texts,
  order: whole(0), snippet: text, module: text, detour: whole(1),
});
const SEGMENT = record<Segment>(['steps'], { function: text, file: text, steps: list(STEP) });
const PATH = record<Path>(['role', 'segments'], { role: text, title: text, group: whole(0), thread: text, segments: list(SEGMENT) });
const SUPPRESSION = record<NonNullable<PathReport['suppressions']>[number]>(['kind'], { kind: oneOf('inSource', 'external'), status: oneOf('accepted', 'underReview', 'rejected'), justification: text });
const REPORT = record<PathReport>(['message', 'paths'], {
  rule: text, level: oneOf('error', 'warning', 'note', 'none'), message: text, tool: text, paths: list(PATH), suppressions: list(SUPPRESSION),
  text: record<NonNullable<PathReport['text']>>(['whole'], { whole: text, ranges: list(range) }),
});
const FILE = record<ReportedFile>(['name'], { name: text, path: text, hashes: texts, text });
