/** `culprit probe`: which conditions and calls a failure needed. */
import { jsonText, visibleLine } from '../../base/visible.js';
import { DEFAULT_MOST, probe, type ProbeResult } from '../../probe/probe.js';
import { probeJson, probeLines, probeList } from '../../probe/probeText.js';
import { type FailureOptions, failureAsked } from '../arguments/failureAsked.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { probeThreads } from '../threads/probeThreads.js';

export interface ProbeCommandOptions extends CheckpointMemoryOptions, FailureOptions {
  readonly most?: number;
  readonly run?: number;
  readonly jobs?: number;
  readonly list?: boolean;
  readonly json?: boolean;
}

const EXIT_NONE = 1;

export async function probeCommand(path: string, options: ProbeCommandOptions): Promise<number> {
  const failure = failureAsked(options);
  const progress = new Progress('probing', options.json !== true);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  const { debug, recording, close } = await openedDebugger(path, undefined, { checkpointMemory: options.checkpointMemory });
  tellLoss(recording);
  try {
    const result = await probe(debug, { failure, most: options.most ?? DEFAULT_MOST, limit: options.run, attempters: probeThreads(recording.file, options.jobs), work });
    progress.clear();
    return untilReaderGone(() => {
      const out = new LineWriter();
      for (const line of linesOf(result, options, (file, line) => debug.sources.line(file, line))) out.line(visibleLine(line));
      out.flush();
      return statusOn(recording, result.tried.some(({ outcome }) => outcome.verdict === 'gone') ? 0 : EXIT_NONE);
    });
  } finally {
    progress.clear();
    close();
  }
}

function linesOf(result: ProbeResult, { list, json }: ProbeCommandOptions, textOf: (path: string, line: number) => string | undefined): readonly string[] {
  if (list === true) return probeList(result);
  return json === true ? jsonText(probeJson(result, textOf), 2).split('\n') : probeLines(result, textOf);
}
