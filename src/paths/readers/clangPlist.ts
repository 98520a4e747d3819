/**
 * Reports of clang's analyser as property lists (`--analyze -Xclang -analyzer-output=plist-multi-file`). Events are
 * steps with a depth of calls; control edges in between say which way was taken, and are steps of little importance.
 */
import type { FlatPath, FlatReport, FlatStep } from '../model/flat.js';
import type { Step } from '../model/path.js';
import { UserError } from '../../base/errors.js';
import { type Fields, fieldsOf, indexIn, listOf, objectsOf, textIn } from './json/fields.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader, textOf } from './reading.js';
import { plistValue } from './xml/plistReader.js';

export const PLIST_READER: ReportReader = {
  name: 'plist',
  what: "property lists of clang's analyser",
  accepts: (beginning) => /<plist\b/.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  const document = fieldsOf(plistValue(textOf(input), input.name));
  if (!Array.isArray(document['diagnostics'])) throw new UserError(`${input.name}: a property list without diagnostics`);
  const files = listOf(document['files']).map((file) => textIn(file) ?? '');
  const version = textIn(document['clang_version']);
  for (const diagnostic of objectsOf(document['diagnostics'])) yield limited(reportOf(diagnostic, files, version), input.name);
}

function reportOf(diagnostic: Fields, files: readonly string[], version: string | undefined): FlatReport {
  const place = placeOf(fieldsOf(diagnostic['location']), files);
  const flow = flowOf(objectsOf(diagnostic['path']), files);
  const notes = objectsOf(diagnostic['notes']).flatMap((piece) => stepsOf(piece, files));
  const main: FlatPath = { role: 'flow', flow: flow.length > 0 ? flow : [{ step: place }] };
  return defined<FlatReport>({
    rule: textIn(diagnostic['check_name']) ?? textIn(diagnostic['type']),
    level: 'warning',
    message: textIn(diagnostic['description']) ?? textIn(diagnostic['type']) ?? '',
    tool: version ?? 'clang',
    paths: notes.length === 0 ? [main] : [main, { role: 'related', flow: notes }],
    suppressions: undefined,
    text: undefined,
  });
}

/** Edges between two events are as deep as the deeper one: in the function that is called, or comes back from there. */
function flowOf(pieces: readonly Fields[], files: readonly string[]): FlatStep[] {
  const depths = pieces.map((piece) => indexIn(piece['depth']));
  const next: (number | undefined)[] = [];
  for (let i = depths.length - 1; i >= 0; i--) next[i] = depths[i] ?? next[i + 1];
  let before: number | undefined;
  return pieces.flatMap((piece, i) => {
    before = depths[i] ?? before;
    const level = depths[i] ?? (before === undefined || next[i] === undefined ? (before ?? next[i]) : Math.max(before, next[i]!));
    return stepsOf(piece, files).map((step) => (level === undefined ? step : { ...step, level }));
  });
}

function stepsOf(piece: Fields, files: readonly string[]): FlatStep[] {
  const kind = textIn(piece['kind']) ?? 'event';
  if (kind === 'control') return edgeSteps(piece, files);
  const why = textIn(piece['message']) ?? textIn(piece['extended_message']) ?? textIn(piece['expansion']);
  const step = defined<Step>({ ...placeOf(fieldsOf(piece['location']), files), why, kinds: kind === 'event' ? undefined : [kind] });
  return [{ step }];
}

/** Each edge says where the way goes on. An edge begins where the one before has ended. */
function edgeSteps(piece: Fields, files: readonly string[]): FlatStep[] {
  const ends = objectsOf(piece['edges']).flatMap((edge) => [listOf(edge['start'])[0], listOf(edge['end'])[0]]).map((place) => placeOf(fieldsOf(place), files));
  const different = ends.filter((place, i) => place.line !== undefined && (i === 0 || place.line !== ends[i - 1]?.line || place.file !== ends[i - 1]?.file));
  return different.map((place) => ({ step: { ...place, kinds: ['control'], importance: 'unimportant' } }));
}

function placeOf(location: Fields, files: readonly string[]): Step {
  const file = indexIn(location['file']);
  return defined<Step>({ file: file === undefined ? undefined : files[file], line: positive(location['line']), column: positive(location['col']) });
}
