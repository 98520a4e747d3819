/** Reports of cppcheck as XML, version 2 (`--xml`). The place of the error comes first, and those before it after. */
import type { FlatReport, FlatStep } from '../model/flat.js';
import type { PathReport, Step } from '../model/path.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader, textOf } from './reading.js';
import { xmlEvents } from './xml/xmlReader.js';

export const CPPCHECK_READER: ReportReader = {
  name: 'cppcheck',
  what: "cppcheck's XML",
  accepts: (beginning) => /<results\b[\s\S]*<cppcheck\b/.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  let error: ReadonlyMap<string, string> | undefined;
  let flow: FlatStep[] = [];
  let tool = 'cppcheck';
  for (const event of xmlEvents(textOf(input), input.name)) {
    if (event.kind === 'open' && event.name === 'cppcheck') tool = `cppcheck ${event.attributes.get('version') ?? ''}`.trim();
    else if (event.kind === 'open' && event.name === 'error') [error, flow] = [event.attributes, []];
    else if (event.kind === 'open' && event.name === 'location' && error !== undefined) flow.push({ step: stepOf(event.attributes) });
    else if (event.kind === 'close' && event.name === 'error' && error !== undefined) {
      yield limited(reportOf(error, flow, tool), input.name);
      error = undefined;
    }
  }
}

function reportOf(error: ReadonlyMap<string, string>, errorFirst: readonly FlatStep[], tool: string): FlatReport {
  return defined<FlatReport>({
    rule: error.get('id'),
    level: levelOf(error.get('severity')),
    message: error.get('verbose') ?? error.get('msg') ?? '',
    tool,
    paths: errorFirst.length === 0 ? [] : [{ role: 'flow', flow: errorFirst.toReversed() }],
    suppressions: undefined,
    text: undefined,
  });
}

function stepOf(attributes: ReadonlyMap<string, string>): Step {
  return defined<Step>({ file: attributes.get('file'), line: positive(attributes.get('line')), column: positive(attributes.get('column')), why: attributes.get('info') });
}

function levelOf(severity: string | undefined): PathReport['level'] {
  return severity === 'error' ? 'error' : severity === 'warning' ? 'warning' : 'note';
}
