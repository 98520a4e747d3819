/** Statements and their instances against single steps, and against what `culprit count` counts. */
import { describe, expect, it } from 'vitest';
import { StatementUnits, LineUnits } from '../../src/debugger/arrivals/units.js';
import { isSameGroup } from '../../src/debugger/arrivals/blockRows.js';
import { countStretch } from '../../src/counts/counting.js';
import { countInstances, findInstance, instanceNumbers, type InstanceRun } from '../../src/debugger/control/instances.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { SourceText } from '../../src/debugger/program/sourceText.js';
import { type Statement, Statements, statementName } from '../../src/debugger/program/statements.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { sampled } from '../table/testTable.js';
import { record } from '../replay/recorded.js';
import { arrivalsByDefinition, type Found, singleSteps, type Step } from './bruteForce.js';
import { compile } from './compiled.js';

const coreModule = buildCoreModule();

interface Stepped {
  readonly run: InstanceRun;
  readonly timeline: Timeline;
  readonly steps: readonly Step[];
  /** Lines, statements. */
  readonly found: readonly [Found, Found];
}

const STEPPED = new Map<string, Promise<Stepped>>();

async function stepped(program: string, level: string): Promise<Stepped> {
  const key = `${program} ${level}`;
  const known = STEPPED.get(key) ?? stepThrough(program, level);
  STEPPED.set(key, known);
  return known;
}

async function stepThrough(program: string, level: string): Promise<Stepped> {
  const path = compile(program, [level]);
  const { options } = await record([path], { engine: { coreModule } });
  const timeline = new Timeline(options);
  const modules = new Modules(NEAR_FILES);
  const statements = new Statements(new SourceText(NEAR_FILES));
  await timeline.seekEnd();
  const thread = timeline.state.threads[0]?.id ?? 0;
  const module = modules.of(timeline.state, thread).main;
  const main = (module?.symbolAddress('main') ?? 0) + Number(module?.bias ?? 0n);
  await timeline.seek(at(0));
  await timeline.forward([{ kind: 'address', addresses: [main as never] }]);
  const steps = await singleSteps(timeline, modules, [new LineUnits(statements), new StatementUnits(statements)]);
  const found = [0, 1].map((kind) => arrivalsByDefinition(steps, kind, isSameGroup)) as [Found, Found];
  return { run: { execution: timeline, modules, statements }, timeline, steps, found };
}

const CASES = ['shapes.c', 'jumps.c', 'workers.c'].flatMap((program) => ['-O0', '-O2'].map((level) => [program, level] as const));

describe.each(CASES)('%s %s', (program, level) => {
  it('lines are reached as often as culprit count says, and at the times that single steps show', async () => {
    const { run, timeline, found: [lines] } = await stepped(program, level);
    const counts = await countStretch(timeline, run.modules);
    const counted = [...counts.lines].filter(([path]) => path.endsWith(program)).flatMap(([path, own]) => [...own].map(([line, count]) => `${path}:${line} ${count}`));
    const totals = new Map<Statement | undefined, number>();
    for (const { unit } of lines.arrivals) totals.set(run.statements.withUnit(unit), (totals.get(run.statements.withUnit(unit)) ?? 0) + 1);
    expect(counted.sort()).toEqual([...totals].map(([one, count]) => `${one?.path}:${one?.line} ${count}`).sort());
    expect(counted.length).toBeGreaterThan(5);
  }, 120_000);

  it.each([0, 1])('instances are those of single steps (%i: 0 lines, 1 statements)', async (kind) => {
    const { run, found, steps, timeline } = await stepped(program, level);
    const { arrivals, ends, instances } = found[kind] as Found;
    const home = timeline.position;
    const chosen = arrivals.map((one, i) => ({ ...one, end: ends[i] as number })).filter((_, i, all) => i % Math.ceil(all.length / 8) === 0);
    for (const { unit, number, time, thread, end } of sampled(chosen, 3)) {
      const statement = run.statements.withUnit(unit) as Statement;
      const instance = await findInstance(run, statement, number);
      const name = `${statementName(statement)}#${number}`;
      expect([name, instance.start.time, instance.thread, instance.end.time]).toEqual([name, time, thread, end]);
    }
    expect(timeline.position).toEqual(home);
    const owned = steps.map((step, i) => ({ step, number: instances[i] as number, statement: run.statements.withUnit(step.units[kind]?.owner ?? 0) })).filter(({ statement }) => statement !== undefined);
    const numbers = await instanceNumbers(run, owned.map(({ step: { time }, statement }) => ({ time, statement: statement as Statement })));
    const shown = (number: number, i: number): string => `${owned[i]?.step.time} ${statementName(owned[i]?.statement as Statement)}#${number}`;
    expect(numbers.map(shown)).toEqual(owned.map(({ number }, i) => shown(number, i)));
  }, 300_000);

  it('says which instance one stands in', async () => {
    const { run, found: [, statements], steps, timeline } = await stepped(program, level);
    const indices = steps.map((_, i) => i).filter((i) => steps[i]?.units[1]?.owner !== 0).filter((_, i, all) => i % Math.ceil(all.length / 8) === 0);
    for (const i of sampled(indices, 3)) {
      const { time, thread, pc, units } = steps[i] as Step;
      await timeline.seek(at(time));
      const statement = run.statements.withUnit(units[1]?.owner ?? 0) as Statement;
      const { standing } = await countInstances(run, statement, { position: timeline.position, thread, pc: BigInt(pc) });
      expect([time, statementName(statement), standing]).toEqual([time, statementName(statement), statements.instances[i] || undefined]);
    }
  }, 300_000);
});
