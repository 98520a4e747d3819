/**
 * Observation tells every instruction that retired, once and in order, with what it accessed: compared with stepping
 * and watching.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { EngineOptions } from '../../src/machine/engineOptions.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { at, type Position } from '../../src/replay/log/position.js';
import type { MemoryAccess, MemoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { Execution } from '../../src/replay/timeline/execution.js';
import { buildProgram } from '../programs/build.js';
import { accessText, memoryOf, observed, steppedInstructions, watchedAccesses } from './bruteForce.js';
import { record, type Recorded } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static', '-pthread'] } as never;
const LONG = process.env['CULPRIT_LONG'] === '1';
const KINDS = ['strings', 'faults', 'traps', 'changes', 'threads', 'processes', 'signals', 'crash'];
/** Instructions of a stretch. */
const LONGEST = 4000;
const CORE = buildCoreModule();
const TIERS: readonly Partial<EngineOptions>[] = [{ hotThreshold: 4 }, { noCompiler: true }];

let program: string;

beforeAll(async () => {
  program = await buildProgram('observed.c', VARIANT);
}, 60_000);

interface Truth {
  readonly run: Recorded;
  readonly instructions: readonly string[];
  readonly accesses: ReadonlyMap<number, MemoryAccess[]>;
  readonly watched: readonly MemoryRange[];
}

async function truth(kind: string): Promise<Truth> {
  const run = await record([program, kind], { scheduleSeed: 3, engine: { coreModule: CORE } });
  const { instructions: count } = run;
  const instructions = steppedInstructions(new Timeline(run.options), 0, count);
  const timeline = new Timeline(run.options);
  const watched = await memoryOf(timeline, Array.from({ length: 12 }, (_, i) => Math.floor((count * (i + 1)) / 12)));
  return { run, instructions, watched, accesses: await watchedAccesses(timeline, watched, timeline.start, at(count)) };
}

async function expectTruth(execution: Execution, { instructions, accesses, watched }: Truth, from: Position, to: Position): Promise<void> {
  const plain = await observed(execution, false, from, to);
  expect(firstDifference(plain.instructions, instructions.slice(from.time, to.time))).toBeUndefined();
  const full = await observed(execution, true, from, to);
  expect(firstDifference(full.instructions, plain.instructions)).toBeUndefined();
  // Where a copy is interrupted, watching has seen the read of the element that could not be written.
  const relevant = (all: ReadonlyMap<number, MemoryAccess[]>, time: number): readonly MemoryAccess[] | undefined => {
    return full.interrupted.has(time) ? all.get(time)?.filter(({ write }) => write) : all.get(time);
  };
  const texts = (all: ReadonlyMap<number, MemoryAccess[]>): string[] => Array.from({ length: to.time - from.time }, (_, i) => accessText(relevant(all, from.time + i), watched));
  expect(firstDifference(texts(full.accesses), texts(accesses), from.time, instructions)).toBeUndefined();
}

function firstDifference(found: readonly string[], wanted: readonly string[], from = 0, names: readonly string[] = []): string | undefined {
  const index = Math.max(found.length, wanted.length) === 0 ? -1 : Array.from({ length: Math.max(found.length, wanted.length) }, (_, i) => i).find((i) => found[i] !== wanted[i]) ?? -1;
  return index < 0 ? undefined : `${from + index} (${names[from + index] ?? ''}): ${found[index]}, not ${wanted[index]}`;
}

describe.each(KINDS)('%s', (kind) => {
  it('is told instruction by instruction, in any stretch, in both tiers, also on branches', async () => {
    const known = await truth(kind);
    const { run, instructions: { length: end } } = known;
    for (const tier of TIERS) {
      const options = { ...run.options, engine: { ...run.options.engine, ...tier }, checkpointInterval: Math.ceil(end / 7) };
      const timeline = new Timeline(options);
      await timeline.seek(at(Math.floor(end / 3)));
      const whole = tier.noCompiler === true ? Math.min(end, LONGEST) : end;
      await expectTruth(timeline, known, timeline.start, at(whole));
      expect(timeline.position).toEqual(at(Math.floor(end / 3)));
      const border = fc.integer({ min: 0, max: end });
      const done = fc.constantFrom(0, 1, Infinity);
      await fc.assert(fc.asyncProperty(border, fc.integer({ min: 1, max: LONGEST }), done, done, async (from, length, doneFrom, doneTo) => {
        await expectTruth(timeline, known, at(from, doneFrom), at(Math.min(end, from + length), doneTo));
      }), { numRuns: LONG ? 100 : 1 });
      const branch = await new TimelineBranches(timeline, options, new NodeHost()).branchAt(at(Math.floor(end / 2)));
      await expectTruth(branch, known, branch.start, at(Math.min(end, branch.start.time + LONGEST)));
      branch.drop();
    }
    await expectHappenings(new Timeline(run.options), run.instructions);
  }, 600_000);
});

/** What the kernel did is told in between. */
async function expectHappenings(timeline: Timeline, end: number): Promise<void> {
  const { happenings } = await observed(timeline, false, timeline.start, at(end));
  const all = await timeline.all([{ kind: 'syscall' }, { kind: 'return' }, { kind: 'signal' }, { kind: 'switch' }, { kind: 'process' }]);
  const text = ({ position, kind: what, task, rip }: { position: Position; kind: string; task: number; rip: number }): string => `${position.time}/${position.done} ${what} ${task} ${rip}`;
  expect(happenings.filter((one) => one.kind !== 'memory').map(text)).toEqual(all.map(text));
  expect(happenings.some(({ access }) => access?.by === 'kernel')).toBe(true);
}
