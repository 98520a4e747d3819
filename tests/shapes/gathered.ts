/** Records a program in memory, and gathers the history of its structures. */
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { SourceText } from '../../src/debugger/program/sourceText.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { type GatheredHistory, gatherHistory, type ShapeQuestion } from '../../src/shapes/history/gather.js';
import type { ShapedRun } from '../../src/shapes/history/shapedRun.js';
import { record } from '../replay/recorded.js';

export interface Gathered extends GatheredHistory {
  readonly run: ShapedRun;
}

export async function recordedRun(words: readonly string[]): Promise<ShapedRun> {
  const { options } = await record([...words], {});
  return { execution: new Timeline(options), modules: new Modules(NODE_FILES), sources: new SourceText(NODE_FILES) };
}

export async function gathered(words: readonly string[], question: Partial<ShapeQuestion>): Promise<Gathered> {
  const run = await recordedRun(words);
  const whole = { types: [], arrays: [], aliases: new Map<string, string>(), sites: [], allocators: [], points: [], roots: [], ...question };
  return { run, ...(await gatherHistory(run, whole)) };
}
