/** Asks about the structures of a program in this process: the statements that broke them, as `--list` has them. */
import { readFileSync } from 'node:fs';
import { bindShapes } from '../../src/shapes/checking/bind.js';
import { parseShapes } from '../../src/shapes/language/parser.js';
import { gatherHistory, type GatheredHistory } from '../../src/shapes/history/gather.js';
import { type AskedBeside, questionOf } from '../../src/shapes/report/question.js';
import { reportOf, type MadeReport } from '../../src/shapes/report/shapeReport.js';
import { shapeList } from '../../src/shapes/report/shapeText.js';
import { recordedRun } from './gathered.js';

export interface Shaped extends MadeReport {
  readonly gathered: GatheredHistory;
  /** `file:line`, the last write first. */
  readonly list: readonly string[];
}

export async function shaped(words: readonly string[], specification: string, beside: AskedBeside = {}): Promise<Shaped> {
  const { file: { items }, problems } = parseShapes(specification, 'test.shape');
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const run = await recordedRun(words);
  const gathered = await gatherHistory(run, questionOf(items, beside));
  const { specification: bound, problems: wrong } = bindShapes(items, gathered.types);
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  const made = await reportOf(run, bound, gathered, { program: words[0] ?? '', specification: 'test.shape', hasStacks: false });
  return { ...made, gathered, list: shapeList(made.report) };
}

export function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
