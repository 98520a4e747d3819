/** Our own JSON form (model/document.ts), report by report: it may be as long as what it was made of. */
import { UserError } from '../../base/errors.js';
import { checkedDocument, checkedReport, DOCUMENT_FORM } from '../model/document.js';
import type { FlatReport } from '../model/flat.js';
import { type JsonPlace, scanJson } from './json/jsonScanner.js';
import { type Reading, type ReportInput, type ReportReader } from './reading.js';

export const OWN_READER: ReportReader = {
  name: 'json',
  what: 'what culprit paths --json prints',
  accepts: (beginning) => new RegExp(`^\\s*\\{[\\s\\S]*"form"\\s*:\\s*"${DOCUMENT_FORM}"`).test(beginning),
  read: readOwn,
};

function readOwn(input: ReportInput): Reading {
  const head: Record<string, unknown> = {};
  const isReports = (place: JsonPlace): boolean => place[0] === 'reports';
  for (const { place, value } of scanJson(input.chunks(), { name: input.name, plan: (place) => (place.length === 0 ? 'enter' : isReports(place) ? 'skip' : 'take') })) head[String(place[0])] = value;
  const { files } = inFile(input, () => checkedDocument({ ...head, reports: [] }));
  return { files: new Map(files.map((file) => [file.name, file])), reports: reportsIn(input) };
}

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  for (const { place, value } of scanJson(input.chunks(), { name: input.name, plan: (place) => (place.length === 0 || (place.length === 1 && place[0] === 'reports') ? 'enter' : place.length === 2 ? 'take' : 'skip') })) {
    yield inFile(input, () => checkedReport(value, `reports[${String(place[1])}]`));
  }
}

function inFile<T>(input: ReportInput, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${input.name}: ${error.message}`) : error;
  }
}
