/** Reports of Infer (`infer-out/report.json`): a list of issues, each with a trace whose levels are depths of calls. */
import type { FlatReport, FlatStep } from '../model/flat.js';
import type { PathReport, Step } from '../model/path.js';
import { type Fields, fieldsOf, indexIn, objectsOf, textIn } from './json/fields.js';
import { scanJson } from './json/jsonScanner.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader } from './reading.js';

export const INFER_READER: ReportReader = {
  name: 'infer',
  what: "Infer's report.json",
  accepts: (beginning) => /^\s*\[\s*\{[\s\S]*"(?:bug_type|bug_trace)"\s*:/.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  for (const { value } of scanJson(input.chunks(), { name: input.name, plan: ({ length }) => (length === 0 ? 'enter' : 'take') })) yield limited(reportOf(fieldsOf(value)), input.name);
}

function reportOf(issue: Fields): FlatReport {
  const trace = objectsOf(issue['bug_trace']).map(traceStep);
  const place = defined<Step>({ file: textIn(issue['file']), line: positive(issue['line']), column: positive(issue['column']) });
  return defined<FlatReport>({
    rule: textIn(issue['bug_type']),
    level: levelOf(textIn(issue['severity'])),
    message: textIn(issue['qualifier']) ?? textIn(issue['bug_type_hum']) ?? '',
    tool: 'infer',
    paths: [trace.length > 0 ? { role: 'flow', flow: trace } : { role: 'location', flow: [defined<FlatStep>({ step: place, function: textIn(issue['procedure']), level: undefined })] }],
    suppressions: issue['suppressed'] === true ? [{ kind: 'inSource' }] : undefined,
    text: undefined,
  });
}

function traceStep(step: Fields): FlatStep {
  const why = textIn(step['description']);
  return defined<FlatStep>({
    step: defined<Step>({ file: textIn(step['filename']), line: positive(step['line_number']), column: positive(step['column_number']), why: why === '' ? undefined : why }),
    level: indexIn(step['level']),
    function: undefined,
  });
}

function levelOf(severity: string | undefined): PathReport['level'] {
  return severity === 'ERROR' ? 'error' : severity === 'WARNING' ? 'warning' : 'note';
}
