/** A walk that does again what it has done in a block finds what a walk finds that looks at every instruction. */
import { describe, expect, it } from 'vitest';
import { Modules } from '../../src/debugger/program/modules.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { WalkOptions } from '../../src/slices/walkOptions.js';
import { everyInstance } from '../../src/slices/filters.js';
import { SliceGraph } from '../../src/slices/graph.js';
import { type Criterion, Slicer } from '../../src/slices/slicer.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { LONG } from '../table/testTable.js';
import { dice, mainTimes } from './comparing.js';
import { recordProgram } from './compared.js';
import { compile, compileText } from './compiled.js';
import { randomProgram } from './generator.js';

/** Counts what was done again. */
class CountingGraph extends SliceGraph {
  again = 0;

  override addMany(node: number, time: number, count: number): void {
    this.again += count;
    super.addMany(node, time, count);
  }
}

const NODES: readonly WalkOptions['nodeOf'][] = [({ id }) => id, ({ id }, site) => (site >= 0 ? site : id)];

function found({ nodes, edges }: SliceGraph): unknown {
  const order = (a: string, b: string): number => (a < b ? -1 : 1);
  return {
    nodes: nodes.map(({ node, count, first, last }) => `${node}: ${count} from ${first} to ${last}`).sort(order),
    edges: edges.map(({ from, to, kind }) => `${from}>${to} ${kind}`).sort(order),
  };
}

/** How many instances walks did again. */
async function compareWalks(program: string, criteria: number, seed: number): Promise<number> {
  const options = await recordProgram([program]);
  const { from, to } = await mainTimes(options);
  const slicer = new Slicer(new Timeline(options), new Modules(NEAR_FILES));
  const random = dice(seed);
  let again = 0;
  for (let i = 0; i < criteria; i++) {
    const time = i === 0 ? to - 2 : from + 1 + random(to - from - 1);
    const criterion: Criterion = { to: at(time + 1), begin: () => undefined, seeds: { from: time, to: time + 1, isSeed: (instance) => instance === time } };
    const walk: WalkOptions = { data: true, control: i % 3 !== 2, frames: i % 4 === 3, nodeOf: NODES[i % 2] as WalkOptions['nodeOf'] };
    const make = (wanters: ConstructorParameters<typeof SliceGraph>[0]): CountingGraph => new CountingGraph(wanters);
    const quick = (await slicer.slice(criterion, walk, undefined, make)).graph;
    const slow = (await slicer.slice(criterion, everyInstance(walk), undefined, make)).graph;
    expect(slow.again).toBe(0);
    expect(found(quick)).toEqual(found(slow));
    again += quick.again;
  }
  return again;
}

describe('walks with passages', () => {
  it.each(['-O0', '-O2'])('through loops, %s', async (level) => {
    expect(await compareWalks(compile('loops.c', [level, '-static']), LONG ? 200 : 4, 1)).toBeGreaterThan(10_000);
  });

  it.each(Array.from({ length: LONG ? 30 : 1 }, (_, i) => i + 100))('through a random program, seed %i', async (seed) => {
    const program = compileText(`random${seed}.c`, randomProgram(dice(seed)), [seed % 2 === 0 ? '-O0' : '-O2', '-static']);
    await compareWalks(program, LONG ? 40 : 3, seed);
  });
});
