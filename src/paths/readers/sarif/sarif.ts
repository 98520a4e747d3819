/**
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), read in two passes over the bytes: what runs say for
 * all their results may come after these, so it is gathered first, and of results only where they are; then they are
 * read one by one. Memory is bounded by the tables and the largest result, however long the file is. Tables and results
 * may lie in files beside the log (section 3.15.2), which are read the same way.
 */
import { UserError } from '../../../base/errors.js';
import type { FlatReport } from '../../model/flat.js';
import { type Fields, fieldsOf, listOf, objectsOf, textIn } from '../json/fields.js';
import { type JsonAction, type JsonPlace, scanJson, valuesAt } from '../json/jsonScanner.js';
import { checkSteps, limited, type Reading, type ReportInput, type ReportReader } from '../reading.js';
import { pathOfUri } from '../../model/uri.js';
import { SarifFiles } from './sarifFiles.js';
import { reportOfResult } from './sarifResult.js';
import { SarifRun, tablesOf } from './sarifRun.js';

export const SARIF_READER: ReportReader = {
  name: 'sarif',
  what: 'SARIF 2.1.0, of any tool',
  accepts: (beginning) => /^\s*\{/.test(beginning) && /"runs"\s*:|"\$schema"\s*:\s*"[^"]*sarif/i.test(beginning),
  read: readSarif,
};

/** Of a run, what is gathered in the first pass. */
const TABLES: ReadonlySet<string> = new Set(['tool', 'originalUriBaseIds', 'logicalLocations', 'threadFlowLocations', 'graphs', 'externalPropertyFileReferences']);
/** Files beside the log that it may have. */
const MOST_FILES = 10_000;
/** Results of a log: where each is takes 16 bytes. */
const MOST_RESULTS = 10_000_000;
/** Bytes of a result. */
const LARGEST_RESULT = 64 * 1024 * 1024;
/** Characters of embedded files that are kept, over all runs; those of later ones are not. */
const MOST_EMBEDDED = 128 * 1024 * 1024;

interface GatheredRun {
  readonly tables: Map<string, unknown>;
  /** Without embedded contents that are too much to keep. */
  readonly artifacts: Fields[];
  /** Where each result begins and ends. */
  readonly results: number[];
  /** Files with more of the run's results. */
  readonly resultFiles: ReportInput[];
}

function readSarif(input: ReportInput): Reading {
  const runs = gather(input);
  const files = new SarifFiles();
  const readable = runs.map(({ tables, artifacts }) => {
    const ofRun = files.ofRun(fieldsOf(tables.get('originalUriBaseIds')));
    artifacts.forEach((artifact, i) => ofRun.addArtifact(i, artifact));
    return new SarifRun(tablesOf(tables), ofRun);
  });
  return { files: files.known, reports: reportsOf(input, runs, readable) };
}

function* reportsOf(input: ReportInput, runs: readonly GatheredRun[], readable: readonly SarifRun[]): Generator<FlatReport> {
  for (const [i, { results, resultFiles }] of runs.entries()) {
    for (const value of valuesAt(input.chunks(), pairsOf(results), input.name)) yield reportOf(fieldsOf(value), readable[i]!, input.name);
    for (const file of resultFiles) {
      for (const { value } of scanJson(file.chunks(), { name: file.name, plan: externalResultPlan })) yield reportOf(fieldsOf(value), readable[i]!, file.name);
    }
  }
}

/** What is far too much is refused before anything is made of it. */
function reportOf(result: Fields, run: SarifRun, name: string): FlatReport {
  const threads = objectsOf(result['codeFlows']).flatMap((flow) => objectsOf(flow['threadFlows']));
  checkSteps(threads.reduce((sum, thread) => sum + listOf(thread['locations']).length, 0), name);
  return limited(reportOfResult(result, run), name);
}

function* pairsOf(numbers: readonly number[]): Generator<[number, number]> {
  for (let i = 0; i < numbers.length; i += 2) yield [numbers[i]!, numbers[i + 1]!];
}

function externalResultPlan(place: JsonPlace): JsonAction {
  return place.length === 0 || (place.length === 1 && place[0] === 'results') ? 'enter' : place.length === 2 ? 'take' : 'skip';
}

function tablePlan(place: JsonPlace): JsonAction {
  switch (place.length) {
    case 0: case 2: return 'enter';
    case 1: return place[0] === 'runs' ? 'enter' : place[0] === 'version' ? 'take' : 'skip';
    case 3: return place[2] === 'artifacts' || place[2] === 'results' ? 'enter' : TABLES.has(String(place[2])) ? 'take' : 'skip';
    default: return place[2] === 'results' ? 'note' : 'take';
  }
}

function gather(input: ReportInput): GatheredRun[] {
  const runs: GatheredRun[] = [];
  const budget = new EmbeddedBudget();
  let version: unknown;
  let results = 0;
  for (const { place, value, start, end } of scanJson(input.chunks(), { name: input.name, plan: noteRuns(runs, tablePlan) })) {
    if (place[2] === 'results') {
      if (++results > MOST_RESULTS) throw new UserError(`${input.name}: has more than ${MOST_RESULTS} results`);
      if (end - start > LARGEST_RESULT) throw new UserError(`${input.name}: a result has ${end - start} bytes, and more than ${LARGEST_RESULT} are not read`);
      runs[Number(place[1])]!.results.push(start, end);
    } else if (place[0] === 'version') version = value;
    else if (place[2] === 'artifacts') runs[Number(place[1])]!.artifacts.push(budget.kept(fieldsOf(value)));
    else runs[Number(place[1])]!.tables.set(String(place[2]), value);
  }
  if (typeof version === 'string' && !version.startsWith('2.')) throw new UserError(`${input.name}: SARIF ${version}, and 2.1.0 is what is read`);
  for (const run of runs) addExternal(run, input, budget);
  return runs;
}

class EmbeddedBudget {
  private left = MOST_EMBEDDED;

  /** The artifact, without its contents if there have been too many. */
  kept(artifact: Fields): Fields {
    const { text, binary } = fieldsOf(artifact['contents']);
    const size = (textIn(text) ?? textIn(binary) ?? '').length;
    this.left -= size;
    if (this.left >= 0) return artifact;
    this.left += size;
    const { contents: _contents, ...rest } = artifact;
    return rest;
  }
}

/** A run may be empty, and counts nevertheless. */
function noteRuns(runs: GatheredRun[], plan: (place: JsonPlace) => JsonAction): (place: JsonPlace) => JsonAction {
  return (place) => {
    if (place.length === 2 && place[0] === 'runs') runs[Number(place[1])] = { tables: new Map(), artifacts: [], results: [], resultFiles: [] };
    return plan(place);
  };
}

/** What of a run lies in other files. */
function addExternal(run: GatheredRun, input: ReportInput, budget: EmbeddedBudget): void {
  const references = fieldsOf(run.tables.get('externalPropertyFileReferences'));
  const names = new Map<string, Set<string>>();
  for (const [kind, entries] of Object.entries(references)) {
    for (const reference of Array.isArray(entries) ? objectsOf(entries) : [fieldsOf(entries)]) {
      const uri = textIn(fieldsOf(reference['location'])['uri']);
      if (uri !== undefined) names.set(uri, (names.get(uri) ?? new Set()).add(kind));
    }
  }
  if (names.size > MOST_FILES) throw new UserError(`${input.name}: names ${names.size} files with more of it`);
  for (const [uri, kinds] of names) {
    const file = input.beside(pathOfUri(uri));
    if (file === undefined) throw new UserError(`${input.name}: a part of it is in ${uri}, which is not in its folder or below`);
    if (kinds.has('results')) run.resultFiles.push(file);
    takeTables(run, file, budget);
  }
}

function takeTables({ tables, artifacts }: GatheredRun, file: ReportInput, budget: EmbeddedBudget): void {
  const plan = (place: JsonPlace): JsonAction => {
    if (place.length === 0) return 'enter';
    if (place.length === 1) return place[0] === 'artifacts' ? 'enter' : TABLES.has(String(place[0])) || place[0] === 'driver' ? 'take' : 'skip';
    return 'take';
  };
  for (const { place, value } of scanJson(file.chunks(), { name: file.name, plan })) {
    if (place[0] === 'artifacts') artifacts.push(budget.kept(fieldsOf(value)));
    else if (place[0] === 'driver') tables.set('tool', { ...fieldsOf(tables.get('tool')), driver: value });
    else {
      const before = tables.get(String(place[0]));
      tables.set(String(place[0]), Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : (before ?? value));
    }
  }
}
