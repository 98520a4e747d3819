import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import type { Block, Value } from '../ir/ir.js';
import { analyseShape, edgesOf, longestWay } from './controlFlow.js';
import type { Region, RegionNode } from './region.js';

const address = (n: number) => guestAddr(0x1000 + n * 16);

/** A region from its edges: node n goes to graph[n], at most two of them. */
function region(graph: readonly (readonly number[])[], entries: readonly number[] = [0]): Region {
  const nodes = graph.map((targets, n): RegionNode => {
    const block: Block = { start: address(n), next: address(n + 1), instructions: 1, nodes: [], end: { kind: 'jump', target: address(n) } };
    const [a, b] = targets;
    if (a === undefined) return { block, end: { kind: 'syscall', next: address(n) } };
    if (b === undefined) return { block, end: { kind: 'jump', edge: { node: a } } };
    return { block, end: { kind: 'branch', condition: 0 as Value, taken: { node: a }, fall: { node: b } } };
  });
  return { entries: entries.map((node) => ({ address: address(node), node })), nodes, instructions: nodes.length };
}

describe('analyseShape', () => {
  it('finds merges and dominators of a diamond', () => {
    const shape = analyseShape(region([[1, 2], [3], [3], []]));
    expect([...shape.isMerge]).toEqual([0, 0, 0, 1, 0]);
    expect([...shape.isLoopHeader]).toEqual([0, 0, 0, 0, 0]);
    expect(shape.children[0]).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(shape.children[shape.root]).toEqual([0]);
    expect(shape.position[shape.root]).toBe(0);
    expect(shape.position[3]).toBe(4);
  });

  it('finds loop headers, the entry included', () => {
    const shape = analyseShape(region([[1], [2, 3], [1, 0], []]));
    expect([...shape.isLoopHeader]).toEqual([1, 1, 0, 0, 0]);
    expect([...shape.isMerge]).toEqual([0, 0, 0, 0, 0]);
  });

  it('turns edges into the middle of a loop into hops', () => {
    // 0 goes to both nodes of the loop 1 <-> 2: neither dominates the other.
    const r = region([[1, 2], [2], [1, 3], []]);
    const shape = analyseShape(r);
    const hops = r.nodes.flatMap((node) => edgesOf(node.end)).flatMap((edge) => ('hop' in edge ? [edge.hop] : []));
    expect(hops).toHaveLength(1);
    expect(shape.hasHops).toBe(true);
    expect(shape.targets).toEqual([0, hops[0]]);
    expect([...shape.isLoopHeader]).toEqual([0, 0, 0, 0, 0]);
  });

  it('hops back into a loop that can be entered in the middle', () => {
    // The loop 0 -> 1 -> 2 -> 0, which a call can return into at 2.
    const r = region([[1], [2], [0, 3], []], [0, 2]);
    const shape = analyseShape(r);
    expect(r.nodes.flatMap((node) => edgesOf(node.end)).filter((edge) => 'hop' in edge)).toEqual([{ hop: 2 }]);
    expect(shape.targets).toEqual([0, 2]);
    expect([...shape.isMerge]).toEqual([1, 0, 1, 0, 0]);
    expect(shape.children[shape.root]).toEqual(expect.arrayContaining([0, 2]));
  });

  it('leaves out what cannot be reached', () => {
    const shape = analyseShape(region([[], [0]]));
    expect(shape.position[1]).toBe(-1);
  });
});

describe('longestWay', () => {
  const way = (graph: readonly (readonly number[])[], entries?: readonly number[]): number => {
    const made = region(graph, entries);
    return longestWay(made, analyseShape(made));
  };

  it('is the longer side of a diamond', () => {
    expect(way([[1, 2], [3], [4], [4], []])).toBe(4);
  });

  it('ends at a loop, where the ticks are looked at', () => {
    expect(way([[1], [2], [3, 4], [2], []])).toBe(2);
  });

  it('ends at a hop', () => {
    expect(way([[1], [2], [1, 3], []], [0, 2])).toBeLessThanOrEqual(3);
  });
});
