/**
 * Forward and backward slices are duals: an instance is in the forward slice of another if and only if that one is in
 * its own backward slice. What is left out makes a slice smaller, and a chop is what both slices have.
 */
import { describe, expect, it } from 'vitest';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { Seeds, WalkOptions } from '../../src/slices/walkOptions.js';
import { SliceGraph } from '../../src/slices/graph.js';
import { Slicer } from '../../src/slices/slicer.js';
import { type NumberedSlice, SliceTable } from '../../src/slices/sliceTable.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { LONG } from '../table/testTable.js';
import { dice, mainTimes } from './comparing.js';
import { recordProgram } from './compared.js';
import { compile, compileText } from './compiled.js';
import { randomProgram } from './generator.js';

class Duals {
  /** Saves and restores of registers: they are asked for here, but are no members otherwise. */
  readonly frameWork = new Set<number>();
  private readonly backwards = new Map<number, ReadonlySet<number>>();
  private readonly options: WalkOptions = {
    data: true, control: true, frames: false,
    nodeOf: ({ frame: { kind } }, _site, time) => {
      if (kind !== 'none') this.frameWork.add(time);
      return time;
    },
  };

  constructor(
    private readonly slicer: Slicer,
    private readonly end: number,
  ) {}

  async forward(time: number): Promise<ReadonlySet<number>> {
    const graph = await this.slicer.forward(seedAt(time), this.options, at(this.end), undefined, (wanters) => new SliceGraph(wanters));
    return members(graph);
  }

  async backward(time: number): Promise<ReadonlySet<number>> {
    let known = this.backwards.get(time);
    if (known === undefined) {
      const { graph } = await this.slicer.slice({ to: at(time + 1), begin: () => undefined, seeds: seedAt(time) }, this.options, undefined, (wanters) => new SliceGraph(wanters));
      this.backwards.set(time, (known = members(graph)));
    }
    return known;
  }
}

function members({ nodes }: SliceGraph): ReadonlySet<number> {
  return new Set(nodes.map(({ node }) => node));
}

function seedAt(time: number): Seeds {
  return { from: time, to: time + 1, isSeed: (instance) => instance === time };
}

/** Pairs of instances: half of the later ones are from forward slices of the earlier ones. */
async function compareDuals(program: string, seed: number, firsts: number, seconds: number): Promise<void> {
  const options = await recordProgram([program]);
  const { from, to } = await mainTimes(options);
  const duals = new Duals(new Slicer(new Timeline(options), new Modules(NEAR_FILES)), to);
  const random = dice(seed);
  const later = Array.from({ length: seconds }, () => from + random(to - from));
  let hits = 0;
  for (let i = 0; i < firsts; i++) {
    const first = from + random(to - from);
    const forward = await duals.forward(first);
    const influenced = [...forward].filter((time) => time < to);
    const chosen = [...later, ...Array.from({ length: 3 }, () => influenced[random(influenced.length)] as number)].filter((time) => time > first);
    for (const second of chosen) {
      const isForward = forward.has(second);
      const isBackward = (await duals.backward(second)).has(first);
      if (duals.frameWork.has(first) || duals.frameWork.has(second)) continue;
      if (isForward) hits++;
      expect(`${second} is${isForward ? '' : ' not'} influenced by ${first}`).toBe(`${second} is${isBackward ? '' : ' not'} influenced by ${first}`);
    }
  }
  expect(hits).toBeGreaterThan(0);
}

describe('forward and backward slices are duals', () => {
  it.each([['mixed.c', '-O0'], ['threads.c', '-O2']] as const)('%s, %s', async (source, level) => {
    await compareDuals(compile(source, [level, '-static']), 1, LONG ? 40 : 3, LONG ? 40 : 3);
  });

  it.each(Array.from({ length: LONG ? 20 : 1 }, (_, i) => i + 200))('a random program, seed %i', async (seed) => {
    await compareDuals(compileText(`random${seed}.c`, randomProgram(dice(seed)), [seed % 2 === 0 ? '-O0' : '-O2', '-static']), seed, LONG ? 20 : 3, LONG ? 20 : 3);
  });
});

const STRAIGHT = `#include <string.h>
static int twice(int v) {
  return v * 2;
}
int main(void) {
  int a = 3;
  int b = 4;
  int c = twice(a);
  int d = twice(b);
  char text[8];
  memset(text, c, sizeof text);
  int e = 0;
  if (d > 7)
    e = text[3] + b;
  int f = e - a;
  int g = c + 1;
  return f;
}
`;

async function tableOf(program: string): Promise<SliceTable> {
  const debug = await Debugger.open(new Timeline(await recordProgram([program])), { files: NEAR_FILES, evaluator: new ValueEvaluator() });
  return new SliceTable(debug);
}

function linesOf({ slice }: { readonly slice: { readonly members: readonly { readonly path: string | undefined; readonly line: number }[] } }): string[] {
  return slice.members.map(({ path, line }) => `${path}:${line}`);
}

describe('slices of slices', () => {
  it('a chop has the instances that the forward and the backward slice have in common', async () => {
    const program = compileText('straight.c', STRAIGHT, ['-O0', '-static']);
    const table = await tableOf(program);
    const file = `${program}.c`;
    const to = `${file}:17`;
    const timesOf = async (slice: NumberedSlice): Promise<Set<number>> => new Set([...(await slice.times())].map(({ time }) => time));
    const backward = await timesOf(await table.backward([to], {}));
    for (const line of [3, 6, 7, 8, 9, 11]) {
      // Of lines that are reached more than once, what each of the instances has an influence on.
      const instances = line === 3 ? ['#1', '#2'] : [''];
      const forward = new Set<number>();
      for (const instance of instances) for (const time of await timesOf(await table.forward(`${file}:${line}${instance}`, {}))) forward.add(time);
      const chop = await table.chop(`${file}:${line}`, to, {});
      const both = [...forward].filter((time) => backward.has(time)).sort((a, b) => b - a);
      expect([...new Set(await timesOf(chop))].sort((a, b) => b - a)).toEqual(both);
      expect(both.length).toBeGreaterThan(0);
    }
    // The function is called for both values: what it leads to for the other one is none of it.
    const lines = linesOf(await table.chop(`${file}:7`, to, {}));
    expect(lines).toContain(`${file}:3`);
    expect(lines).not.toContain(`${file}:8`);
    expect(lines).not.toContain(`${file}:11`);
    await expect(table.chop(`${file}:16`, to, {})).rejects.toThrow('does not depend on');
  });

  it('what is left out makes a slice smaller, and takes nothing in', async () => {
    const table = await tableOf(compile('mixed.c', ['-O0', '-static']));
    const whole = await table.backward(['mixed.c:74'], {});
    const all = new Set(linesOf(whole));
    const instances = new Set([...(await whole.times())].map(({ time }) => time));
    for (const word of ['total', 'fib', 'mixed.c:60', '$rax', 'choose', 'caught']) {
      const pruned = await table.prune(String(whole.number), [word]);
      expect(linesOf(pruned).filter((line) => !all.has(line))).toEqual([]);
      const left = [...(await pruned.times())].map(({ time }) => time);
      expect(left.filter((time) => !instances.has(time))).toEqual([]);
      expect(left.length).toBeLessThan(instances.size);
    }
  });
});
