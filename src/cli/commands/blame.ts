/** `culprit blame`: the statement that corrupted memory first. */
import fs from 'node:fs';
import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { jsonText, visibleLine } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import { type AskedMethod, blame } from '../../blame/blame.js';
import type { BlameReport } from '../../blame/blameReport.js';
import { blameSarif } from '../../blame/blameSarif.js';
import { blameLines, blameList } from '../../blame/blameText.js';
import type { Work } from '../../replay/timeline/work.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { blameMeans } from '../opening/blameMeans.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { recordingOf } from '../opening/recordingOrProgram.js';
import { endBySignal } from '../running/endBySignals.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { OutputFile } from '../output/outputFile.js';
import { Progress } from '../output/progress.js';
import { VERSION } from '../stores/version.js';

export interface BlameOptions extends CheckpointMemoryOptions {
  readonly method?: AskedMethod;
  readonly maxRuns?: number;
  readonly time?: number;
  readonly timeout?: number;
  readonly pidBase?: number;
  readonly sandbox?: boolean;
  readonly record?: string;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly sarif?: string;
}

const EXIT_FOUND = 99;

export async function blameCommand(words: readonly string[], options: BlameOptions): Promise<number> {
  const isQuiet = options.list === true || options.json === true;
  const sarif = options.sarif === undefined ? undefined : new OutputFile('--sarif', options.sarif);
  const { path, isTemporary } = await recordingOf(words, isQuiet ? ['inherit', 'ignore', 'ignore'] : ['inherit', 'inherit', 'inherit'], options.pidBase, recordOptions(options));
  const kept = keptRecording(path, isTemporary, options);
  const progress = new Progress('looking for the first corruption', !isQuiet);
  const { debug, recording, close } = await openedDebugger(path, undefined, { checkpointMemory: options.checkpointMemory });
  tellLoss(recording);
  const { work, close: stopListening } = endableWork(options, progress);
  try {
    const { report } = await blame(debug, {
      program: words[0] ?? '', recording: kept, method: options.method ?? 'both', work,
      ...(options.maxRuns === undefined ? {} : { maxRuns: options.maxRuns }),
      ...blameMeans(recording, debug),
      onIteration: () => progress.report(undefined),
    });
    progress.clear();
    sarif?.write(`${jsonText(blameSarif(report, { version: VERSION, directory: process.cwd() }), 2)}\n`);
    return untilReaderGone(() => {
      const out = new LineWriter();
      for (const line of linesOf(report, options, (file, line) => debug.sources.line(file, line))) out.line(visibleLine(line));
      out.flush();
      return statusOn(recording, report.verdict === 'corruption' ? EXIT_FOUND : 0);
    });
  } finally {
    stopListening();
    progress.clear();
    close();
  }
}

/** Ctrl-C, and the time that there is, end the search; what was found by then is told. A second Ctrl-C ends all. */
function endableWork({ time }: BlameOptions, progress: Progress): { readonly work: Work; close(): void } {
  const end = time === undefined ? Infinity : performance.now() + time * 1000;
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) endBySignal(constants.signals.SIGINT);
    isInterrupted = true;
  };
  process.on('SIGINT', interrupt);
  const work: Work = {
    progress: () => progress.report(undefined),
    isCancelled: () => isInterrupted || performance.now() > end,
    breathe: async () => setImmediate(),
  };
  return { work, close: () => process.off('SIGINT', interrupt) };
}

function linesOf(report: BlameReport, { list, json }: BlameOptions, lineOf: (path: string, line: number) => string | undefined): readonly string[] {
  if (list === true) return blameList(report);
  return json === true ? jsonText(report, 2).split('\n') : blameLines(report, lineOf);
}

function recordOptions({ timeout, sandbox }: BlameOptions): readonly string[] {
  return [...(timeout === undefined ? [] : ['--timeout', String(timeout)]), ...(sandbox === true ? ['--sandbox'] : [])];
}

/** A recording of ours goes when we go, unless the user wants to keep it. */
function keptRecording(path: string, isTemporary: boolean, { record }: BlameOptions): string | undefined {
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

