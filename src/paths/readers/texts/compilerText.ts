/**
 * Diagnostics as compilers print them, `file:line:column: warning: message [option]`, with notes after each: gcc, clang
 * with its analyser, cppcheck, UBSan. Notes are the steps that lead there: cppcheck and clang write them in the order
 * of the path.
 */
import type { FlatReport, FlatStep } from '../../model/flat.js';
import type { PathReport, Step } from '../../model/path.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader, textOf } from '../reading.js';

const DIAGNOSTIC = /^((?:[^\s:]|[^\n:]:(?=\\))[^:\n]*):(\d+):(?:(\d+):)? ((?:fatal |runtime )?error|warning|note|style|performance|portability|information|debug): (.*)$/;
const RULE = /^(.*?)\s*\[([\w.,*+=-]+)\]$/;

export const COMPILER_READER: ReportReader = {
  name: 'compiler',
  what: 'text of gcc, clang, cppcheck and UBSan: file:line:column: warning: ...',
  accepts: (beginning) => beginning.split('\n').some((line) => DIAGNOSTIC.test(line)),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

interface Diagnostic {
  readonly step: Step;
  readonly severity: string;
  readonly message: string;
  readonly notes: FlatStep[];
  readonly lines: string[];
}

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  let open: Diagnostic | undefined;
  for (const line of textOf(input).split(/\r?\n/)) {
    const [, file, number, column, severity = '', message = ''] = DIAGNOSTIC.exec(line) ?? [];
    if (file === undefined) {
      open?.lines.push(line);
      continue;
    }
    const step = defined<Step>({ file, line: positive(number), column: positive(column) });
    if (severity === 'note' && open !== undefined) {
      open.notes.push({ step: { ...step, why: message } });
      open.lines.push(line);
      continue;
    }
    if (open !== undefined) yield limited(reportOf(open), input.name);
    open = { step, severity, message, notes: [], lines: [line] };
  }
  if (open !== undefined) yield limited(reportOf(open), input.name);
}

function reportOf({ step, severity, message, notes, lines }: Diagnostic): FlatReport {
  const [, words = message, rule] = RULE.exec(message) ?? [];
  const ends = notes.at(-1)?.step;
  // The last note may be about the place itself.
  const isThere = ends !== undefined && ends.file === step.file && ends.line === step.line;
  return defined<FlatReport>({
    rule,
    level: levelOf(severity),
    message: words,
    tool: undefined,
    paths: [{ role: 'flow', flow: isThere ? notes : [...notes, { step: { ...step, why: words } }] }],
    suppressions: undefined,
    text: { whole: lines.join('\n').trim() },
  });
}

function levelOf(severity: string): PathReport['level'] {
  return severity.endsWith('error') ? 'error' : severity === 'warning' ? 'warning' : 'note';
}
