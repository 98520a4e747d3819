/** `culprit shape learn`: constraints that held in some runs, proposed. */
import { UserError } from '../../base/errors.js';
import { visibleLine } from '../../base/visible.js';
import { gatherHistory } from '../../shapes/history/gather.js';
import { type LearnedRun, learnConstraints } from '../../shapes/learn/learn.js';
import type { ShapeType } from '../../shapes/model.js';
import { tellLoss } from '../opening/lost.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { isNameOfRecording, recordingOf } from '../opening/recordingOrProgram.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { askedBeside, type ShapeOptions } from './shape.js';

/** Proposals that are printed. */
const MOST_PROPOSED = 30;

/** `types`: names of types, with commas between; `words`: recordings, or a program with its arguments. */
export async function shapeLearnCommand(types: string, words: readonly string[], options: ShapeOptions): Promise<number> {
  if (words.length === 0) throw new UserError('culprit shape learn: from which run? Say TYPE -- PROGRAM, or recordings');
  const names = types.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const all = words.every(isNameOfRecording) ? words.map((word) => [word]) : [words];
  const runs: LearnedRun[] = [];
  let known: readonly ShapeType[] = [];
  for (const one of all) {
    const found = await learnedFrom(one, names, options);
    runs.push(found.run);
    known = found.types;
  }
  const proposals = learnConstraints(known, runs);
  return untilReaderGone(() => {
    const out = new LineWriter();
    for (const { text, tested } of proposals.slice(0, MOST_PROPOSED)) out.line(visibleLine(`${text} /* tested ${tested} times */`));
    if (proposals.length === 0) out.line('/* nothing held that could be said of these nodes */');
    out.flush();
    return 0;
  });
}

async function learnedFrom(words: readonly string[], names: readonly string[], options: ShapeOptions): Promise<{ readonly run: LearnedRun; readonly types: readonly ShapeType[] }> {
  const { path } = await recordingOf(words, ['inherit', 'ignore', 'ignore'], options.pidBase);
  const { debug, recording, close } = await openedDebugger(path, undefined, { checkpointMemory: options.checkpointMemory });
  tellLoss(recording);
  try {
    const { sites = [], allocators = [], points = [] } = askedBeside(options);
    const run = { execution: debug.recording, modules: debug.modules, sources: debug.sources };
    const gathered = await gatherHistory(run, { types: names, arrays: [], aliases: new Map<string, string>(), sites, allocators, points, roots: [] });
    for (const remark of gathered.remarks) throw new UserError(remark);
    return { run: { history: gathered.operations, points: gathered.points }, types: names.flatMap((name) => gathered.types.type(name) ?? []) };
  } finally {
    close();
  }
}
