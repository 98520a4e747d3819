/** `culprit shape`: the statements that broke a data structure. */
import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { UserError } from '../../base/errors.js';
import { jsonText, visibleLine } from '../../base/visible.js';
import { recordingEnding } from '../../debugger/control/endings.js';
import type { Work } from '../../replay/timeline/work.js';
import { bindShapes } from '../../shapes/checking/bind.js';
import { drawSvg } from '../../shapes/explain/drawSvg.js';
import { gatherHistory } from '../../shapes/history/gather.js';
import { type AskedBeside, questionOf, toldSite } from '../../shapes/report/question.js';
import { type ShapeReport, reportOf } from '../../shapes/report/shapeReport.js';
import { shapeSarif } from '../../shapes/report/shapeSarif.js';
import { shapeLines, shapeList } from '../../shapes/report/shapeText.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { parsePoint, readSpecification } from '../arguments/shapeFiles.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import type { OpenedRecording } from '../opening/openedRecording.js';
import { recordingOf } from '../opening/recordingOrProgram.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { VERSION } from '../stores/version.js';

export interface ShapeOptions extends CheckpointMemoryOptions {
  readonly type?: readonly string[];
  readonly allocator?: readonly string[];
  readonly at?: readonly string[];
  readonly timeout?: number;
  readonly pidBase?: number;
  readonly sandbox?: boolean;
  readonly record?: string;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly sarif?: string;
  readonly svg?: string;
}

const EXIT_BROKEN = 99;
const SIGNAL_STATUS = 128;

/** `words`: a recording, or a program with its arguments. */
export async function shapeCommand(specificationName: string, words: readonly string[], options: ShapeOptions): Promise<number> {
  const specification = readSpecification(specificationName);
  const beside = askedBeside(options);
  const isQuiet = options.list === true || options.json === true;
  const { path, isTemporary } = await recordingOf(words, isQuiet ? ['inherit', 'ignore', 'ignore'] : ['inherit', 'inherit', 'inherit'], options.pidBase, recordOptions(options));
  const kept = keptRecording(path, isTemporary, options);
  const progress = new Progress('following the structure', !isQuiet);
  const work: Work = { progress: (part) => progress.report(part), breathe: async () => setImmediate() };
  const { debug, recording, close } = await openedDebugger(path, undefined, { checkpointMemory: options.checkpointMemory });
  tellLoss(recording);
  try {
    const run = { execution: debug.recording, modules: debug.modules, sources: debug.sources };
    const gathered = await gatherHistory(run, questionOf(specification.items, beside), work);
    const { specification: bound, problems } = bindShapes(specification.items, gathered.types);
    if (problems.length > 0) specification.fail(problems);
    const { report, picture } = await reportOf(run, bound, gathered, { program: words[0] ?? '', specification: specification.path, recording: kept, hasStacks: options.list !== true || options.svg !== undefined });
    progress.clear();
    if (options.svg !== undefined && picture !== undefined) writeFile(options.svg, drawSvg(picture, `${specification.path}: ${report.point?.what ?? ''}`));
    if (options.sarif !== undefined) writeFile(options.sarif, `${JSON.stringify(shapeSarif(report, { version: VERSION, directory: process.cwd() }), undefined, 2)}\n`);
    return untilReaderGone(() => {
      const out = new LineWriter();
      for (const line of linesOf(report, options, (file, line) => debug.sources.line(file, line))) out.line(visibleLine(line));
      out.flush();
      return statusOn(recording, report.verdict === 'broken' ? EXIT_BROKEN : programStatus(recording));
    });
  } finally {
    progress.clear();
    close();
  }
}

export function askedBeside({ type = [], allocator = [], at = [] }: ShapeOptions): AskedBeside {
  const sites = type.map((text) => {
    const split = /^([^=]+)=(.+)$/.exec(text);
    if (split === null) throw new UserError(`--type ${text}: write TYPE=FILE:LINE, like qdtree=tree.c:19`);
    return toldSite((split[1] as string).trim(), (split[2] as string).trim());
  });
  return { sites, allocators: allocator, points: at.flatMap(parsePoint) };
}

function linesOf(report: ShapeReport, { list, json }: ShapeOptions, lineOf: (path: string, line: number) => string | undefined): readonly string[] {
  if (list === true) return shapeList(report);
  return json === true ? jsonText(report, 2).split('\n') : shapeLines(report, lineOf);
}

/** What the program itself ended with. */
function programStatus({ summary }: OpenedRecording): number {
  const { how, code } = recordingEnding(summary);
  return how === 'exited' ? code : how === 'signaled' ? SIGNAL_STATUS + code : 0;
}

function recordOptions({ timeout, sandbox }: ShapeOptions): readonly string[] {
  return [...(timeout === undefined ? [] : ['--timeout', String(timeout)]), ...(sandbox === true ? ['--sandbox'] : [])];
}

/** A recording of ours goes when we go, unless the user wants to keep it. */
function keptRecording(path: string, isTemporary: boolean, { record }: ShapeOptions): string | undefined {
  if (record === undefined) return isTemporary ? undefined : path;
  if (!isTemporary) throw new UserError(`${path} is a recording already: --record is for programs`);
  try {
    fs.copyFileSync(path, record, fs.constants.COPYFILE_EXCL);
    fs.chmodSync(record, 0o600);
  } catch (error) {
    throw new UserError(`${record}: cannot be created (${(error as NodeJS.ErrnoException).code})`);
  }
  return record;
}

function writeFile(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new UserError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
