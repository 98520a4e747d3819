/** What a writer writes, its reader reads as it was; SARIF is valid by the schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathReport } from '../../src/paths/model/path.js';
import { readReports } from '../../src/paths/readers/readers.js';
import { jsonPieces } from '../../src/paths/writers/jsonWriter.js';
import { pathreportPieces } from '../../src/paths/writers/pathreportWriter.js';
import { sarifPieces } from '../../src/paths/writers/sarifWriter.js';
import { sarifProblems } from '../checkCli/sarifSchema.js';
import { inputOf, program, reportsOf } from './harness.js';
import { randomFiles, randomReport } from './randomReports.js';

const RUNS = process.env['CULPRIT_LONG'] === undefined ? 60 : 20_000;
const PIECE = fc.integer({ min: 1, max: 300 });

/** In the order in which SARIF has them: flows, stacks, locations, related ones. */
function sorted({ paths, ...report }: PathReport): PathReport {
  return { ...report, paths: paths.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}

describe('writers and readers are inverse', () => {
  it('JSON', () => {
    fc.assert(fc.property(fc.array(randomReport, { maxLength: 3 }), randomFiles, PIECE, (reports, files, piece) => {
      const input = inputOf([...jsonPieces(reports, files)].join(''), { piece });
      expect(reportsOf(input)).toEqual(reports);
      expect([...readReports(input).files.values()]).toEqual(files);
    }), { numRuns: RUNS });
  });

  it('SARIF, which is valid by the schema', () => {
    fc.assert(fc.property(fc.array(randomReport, { maxLength: 3 }), randomFiles, PIECE, (reports, files, piece) => {
      const written = [...sarifPieces(reports, files, { version: '1.0.0' })].join('');
      expect(sarifProblems(JSON.parse(written))).toEqual([]);
      expect(reportsOf(inputOf(written, { piece })).map(sorted)).toEqual(reports.map(sorted));
      for (const file of files) expect(readReports(inputOf(written)).files.get(file.name)).toEqual(file);
    }), { numRuns: RUNS });
  });

  it('pathreport, but for the text that is made where there is none', () => {
    fc.assert(fc.property(fc.array(randomReport.filter(({ paths }) => paths.every(({ segments }) => segments.length > 0)), { maxLength: 3 }), PIECE, (reports, piece) => {
      const written = [...pathreportPieces(reports)].join('');
      const read = reportsOf(inputOf(written, { piece }));
      expect(read.map(({ text: _text, ...rest }) => rest)).toEqual(reports);
      // With the text, all is as it was.
      expect([...pathreportPieces(read)].join('')).toBe(written);
      expect(reportsOf(inputOf([...jsonPieces(read, [])].join('')))).toEqual(read);
      expect(reportsOf(inputOf([...sarifPieces(read, [], { version: '1.0.0' })].join(''))).map(sorted)).toEqual(read.map(sorted));
    }), { numRuns: RUNS });
  });

  it('pathreport gives the text of a report back with its marks', () => {
    const [report] = reportsOf(inputOf(program('aget/race.xml')));
    const written = [...pathreportPieces([report!])].join('');
    expect(reportsOf(inputOf(written))).toEqual([report]);
    const { text } = report!;
    expect(text?.ranges?.map(([start, end]) => text.whole.slice(start, end).split('\n', 1)[0])).toContain('Misc.c:36, writes prev');
  });
});
