/**
 * A statement outside of a slice had no part in the value: it is left out in a branch, and if the altered run goes the
 * same way otherwise, the value is the same. (It may go another way: what did not happen is in no slice.)
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { ProgramView } from '../../src/debugger/program/programView.js';
import { SourceText } from '../../src/debugger/program/sourceText.js';
import { Statements } from '../../src/debugger/program/statements.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { at, type Position } from '../../src/replay/log/position.js';
import type { Execution } from '../../src/replay/timeline/execution.js';
import type { Thread } from '../../src/replay/timeline/state.js';
import { Timeline, type TimelineOptions } from '../../src/replay/timeline/timeline.js';
import { Slices } from '../../src/slices/slices.js';
import { applyAlterations, type WhatIf } from '../../src/whatIf/apply.js';
import { LONG } from '../table/testTable.js';
import { dice } from './comparing.js';
import { recordProgram } from './compared.js';
import { compileText } from './compiled.js';
import { randomProgram } from './generator.js';

const LIMIT = 1_000_000;

async function whatIfOf(options: TimelineOptions): Promise<WhatIf> {
  const recording = new Timeline(options);
  const modules = new Modules(NODE_FILES);
  await recording.seekEnd();
  const { state } = recording;
  const program = new ProgramView(state, (state.current ?? state.threads[0]) as Thread, modules);
  return { recording, maker: branchesOf(new Timeline(options), options), modules, statements: new Statements(new SourceText(NODE_FILES)), program };
}

/** All addresses that were executed, in order, but those of a statement. */
async function wayThrough(execution: Execution, from: Position, isOwn: (address: number) => boolean): Promise<string> {
  const way: number[] = [];
  await execution.observe({ addresses: false }, {
    ran({ blocks, known }) {
      for (const number of blocks) {
        const { start, lengths } = known.get(number);
        let address = start;
        for (const length of lengths) {
          if (!isOwn(address)) way.push(address);
          address += length;
        }
      }
    },
  }, from, at(execution.endTime));
  return way.join();
}

interface Tried {
  /** Lines that were left out, those whose run went the same way, and those of them that changed the value. */
  readonly tried: number;
  readonly same: number;
  readonly wrong: readonly string[];
}

async function tryLines(program: string, most: number, seed: number): Promise<Tried> {
  const options = await recordProgram([program]);
  const file = `${program}.c`;
  const lines = readFileSync(file, 'utf8').split('\n');
  const slices = new Slices(await Debugger.open(new Timeline(options), { files: NODE_FILES, evaluator: new ValueEvaluator() }));
  const last = lines.findLastIndex((line) => line.includes('return (result')) + 1;
  const inSlice = new Set((await slices.backward(`${file}:${last}`, [])).members.filter(({ path }) => path === file).map(({ line }) => line));
  const whatIf = await whatIfOf(options);
  const module = whatIf.program.modules.all.find(({ file: { path } }) => path === program) ?? whatIf.program.modules.all[0];
  const random = dice(seed);
  const candidates = lines.flatMap((text, i) => (/^[^#]*[-+]?= .*;$/.test(text) && !/\(.*\) \{/.test(text) && !text.startsWith('static') && !inSlice.has(i + 1) ? [i + 1] : []));
  let [tried, same] = [0, 0];
  const wrong: string[] = [];
  while (candidates.length > 0 && tried < most) {
    const [line] = candidates.splice(random(candidates.length), 1) as [number];
    const codes = module === undefined ? [] : whatIf.statements.ofLine(module.file, file, line);
    const result = await leaveOut(whatIf, `${file}:${line}`, (address) => codes.some(({ ranges }) => ranges.some(({ start, end }) => address >= start && address < end)));
    if (result === undefined) continue;
    tried++;
    if (!result.isSameWay) continue;
    same++;
    if (result.status !== result.recorded) wrong.push(`line ${line}: ${lines[line - 1]}: ${result.status}, not ${result.recorded}`);
  }
  return { tried, same, wrong };
}

/** Undefined: it was not reached, or cannot be left out. */
async function leaveOut(whatIf: WhatIf, place: string, isOwn: (address: number) => boolean): Promise<{ readonly isSameWay: boolean; readonly status: string; readonly recorded: string } | undefined> {
  try {
    const branch = await applyAlterations(whatIf, [{ what: 'suppress', place, which: 'all' }]);
    try {
      const start = branch.position;
      await branch.forward([{ kind: 'time', time: (branch.start.time + LIMIT) as never }]);
      if (branch.end?.kind !== 'ended') return { isSameWay: false, status: '', recorded: '' };
      const ways = [await wayThrough(whatIf.recording, start, isOwn), await wayThrough(branch, start, isOwn)];
      return { isSameWay: ways[0] === ways[1], status: JSON.stringify(branch.end.status), recorded: JSON.stringify(recordedEnd(whatIf.recording)) };
    } finally {
      branch.drop();
    }
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function recordedEnd({ log }: Execution): unknown {
  const cursor = log.cursor();
  let code = 0;
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) for (const effect of event.effects) if (effect.op === 'processEnd' && effect.process === 1) ({ code } = effect);
  return { kind: 'exited', code };
}

describe('statements outside of a slice had no part in the value', () => {
  it.each(LONG ? Array.from({ length: 30 }, (_, i) => i + 300) : [300])('a random program, seed %i', async (seed) => {
    const { same, wrong } = await tryLines(compileText(`random${seed}.c`, randomProgram(dice(seed)), ['-O0', '-static']), LONG ? 40 : 6, seed);
    expect(wrong).toEqual([]);
    if (!LONG) expect(same).toBeGreaterThan(0);
  });
});
