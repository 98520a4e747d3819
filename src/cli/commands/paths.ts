/** `culprit paths`: reports of analysers, with their paths drawn in the source. */
import { dirname, resolve } from 'node:path';
import { UserError } from '../../base/errors.js';
import { CodeBase } from '../../paths/folding/codeBase.js';
import type { Grammars } from '../../paths/folding/languages.js';
import { nested } from '../../paths/model/nesting.js';
import type { PathReport, ReportedFile } from '../../paths/model/path.js';
import { readReports } from '../../paths/readers/readers.js';
import type { ReportInput } from '../../paths/readers/reading.js';
import { Sources } from '../../paths/sources/sources.js';
import { COLOURED_TEXT, PLAIN_TEXT, reportLines, type StepTally } from '../../paths/text/reportText.js';
import { jsonPieces } from '../../paths/writers/jsonWriter.js';
import { pathreportPieces } from '../../paths/writers/pathreportWriter.js';
import { sarifPieces } from '../../paths/writers/sarifWriter.js';
import { LineWriter, untilReaderGone, writeFully } from '../output/output.js';
import { OutputFile } from '../output/outputFile.js';
import { plural } from '../output/numbers.js';
import { complain, wantsColour } from '../output/report.js';
import { VERSION } from '../stores/version.js';
import { loadGrammars, reportInput, SOURCE_FILES } from './pathsFiles.js';

export interface PathsOptions {
  readonly text?: boolean;
  readonly why?: boolean;
  readonly json?: boolean;
  readonly sarif?: string;
  readonly pathreport?: string;
  readonly sourceRoot?: readonly string[];
  readonly format?: string;
}

const STDOUT = 1;

export async function pathsCommand(names: readonly string[], options: PathsOptions): Promise<number> {
  const { text, json, sarif, pathreport } = options;
  if (text === true && json === true) throw new UserError('--text and --json both go to standard output: choose one');
  if (text !== true && json !== true && sarif === undefined && pathreport === undefined) throw new UserError('the page of culprit paths is not there yet: --text prints the paths, --json, --sarif and --pathreport write them');
  const files = { sarif: sarif === undefined ? undefined : new OutputFile('--sarif', sarif), pathreport: pathreport === undefined ? undefined : new OutputFile('--pathreport', pathreport) };
  const opened = new OpenedReports(names.map(reportInput), options, await loadGrammars());
  files.sarif?.writePieces(sarifPieces(opened.reports(), opened.files(), { version: VERSION }));
  files.pathreport?.writePieces(pathreportPieces(opened.reports()));
  if (json === true) return untilReaderGone(() => (writePieces(jsonPieces(opened.reports(), opened.files())), 0));
  return text === true ? untilReaderGone(() => printText(opened, options.why === true)) : 0;
}

/** All reports of all files; each time they are asked for they are read anew, one by one. */
class OpenedReports {
  constructor(
    private readonly inputs: readonly ReportInput[],
    private readonly options: PathsOptions,
    private readonly grammars: Grammars,
  ) {}

  *withCode(): Generator<{ readonly report: PathReport; readonly code: CodeBase }> {
    const { sourceRoot = [], format } = this.options;
    for (const input of this.inputs) {
      const { files, reports } = readReports(input, format);
      const folder = dirname(resolve(input.name));
      const code = new CodeBase(new Sources(SOURCE_FILES, { directory: process.cwd(), folder, roots: sourceRoot }, files), this.grammars);
      for (const report of reports) yield { report: nested(report, code), code };
    }
  }

  *reports(): Generator<PathReport> {
    for (const { report } of this.withCode()) yield report;
  }

  files(): Iterable<ReportedFile> {
    const all = new Map<string, ReportedFile>();
    for (const input of this.inputs) for (const [name, file] of readReports(input, this.options.format).files) if (!all.has(name)) all.set(name, file);
    return [...all.values()].filter(({ path, hashes, text }) => path !== undefined || hashes !== undefined || text !== undefined);
  }
}

function printText(opened: OpenedReports, withReasons: boolean): number {
  const style = wantsColour(process.stdout) ? COLOURED_TEXT : PLAIN_TEXT;
  const tally: StepTally = { shown: 0, missing: 0 };
  const out = new LineWriter();
  let number = 0;
  for (const { report, code } of opened.withCode()) for (const line of reportLines(report, ++number, code, { style, withReasons }, tally)) out.line(line);
  out.flush();
  if (number === 0) complain('culprit: there are no reports in it');
  if (tally.missing > 0) complain(`culprit: ${plural(tally.missing, 'step')} of ${plural(tally.shown + tally.missing, 'step')} ${tally.missing === 1 ? 'is' : 'are'} not found: --source-root says where sources are`);
  return 0;
}

function writePieces(pieces: Iterable<string>): void {
  for (const piece of pieces) writeFully(STDOUT, Buffer.from(piece));
}
