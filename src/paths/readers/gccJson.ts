/**
 * Diagnostics of GCC as JSON (`-fdiagnostics-format=json`, GCC 9 to 14): a list for each file that was compiled, one
 * after the other. With `-fanalyzer` a diagnostic has a path, whose events have a function and a depth.
 */
import type { FlatPath, FlatReport, FlatStep } from '../model/flat.js';
import type { PathReport, Step } from '../model/path.js';
import { type Fields, fieldsOf, indexIn, objectsOf, textIn } from './json/fields.js';
import { scanJson } from './json/jsonScanner.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader } from './reading.js';

export const GCC_READER: ReportReader = {
  name: 'gcc-json',
  what: "GCC's JSON diagnostics, with the paths of -fanalyzer",
  accepts: (beginning) => /^\s*\[\s*(?:\]|\{[\s\S]*"(?:kind|column-origin|caret|locations)"\s*:)/.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  for (const { value } of scanJson(input.chunks(), { name: input.name, isSequence: true, plan: ({ length }) => (length < 2 ? 'enter' : 'take') })) {
    yield limited(reportOf(fieldsOf(value)), input.name);
  }
}

function reportOf(diagnostic: Fields): FlatReport {
  const kind = textIn(diagnostic['kind']);
  const flow = objectsOf(diagnostic['path']).map(eventStep);
  const paths: FlatPath[] = flow.length > 0 ? [{ role: 'flow', flow }] : placesOf(diagnostic).map((step) => ({ role: 'location', flow: [{ step }] }));
  const related = relatedSteps(diagnostic);
  return defined<FlatReport>({
    rule: textIn(diagnostic['option']),
    level: kind === 'error' || kind === 'fatal error' ? 'error' : kind === 'note' ? 'note' : ('warning' satisfies PathReport['level']),
    message: textIn(diagnostic['message']) ?? '',
    tool: 'gcc',
    paths: related.length === 0 ? paths : [...paths, { role: 'related', flow: related }],
    suppressions: undefined,
    text: undefined,
  });
}

function eventStep(event: Fields): FlatStep {
  const why = textIn(event['description']);
  return defined<FlatStep>({ step: defined<Step>({ ...placeOf(fieldsOf(event['location'])), why }), function: textIn(event['function']), level: indexIn(event['depth']) });
}

function placesOf(diagnostic: Fields): Step[] {
  return objectsOf(diagnostic['locations']).map((location) => placeOf(fieldsOf(location['caret'])));
}

/** Notes that belong to a diagnostic. */
function relatedSteps(diagnostic: Fields): FlatStep[] {
  return objectsOf(diagnostic['children']).flatMap((child) => placesOf(child).map((place) => ({ step: defined<Step>({ ...place, why: textIn(child['message']) }) })));
}

function placeOf(place: Fields): Step {
  return defined<Step>({ file: textIn(place['file']), line: positive(place['line']), column: positive(place['column']) ?? positive(place['display-column']) });
}
