/** Checking what changed finds what checking everything does, forward and backward; the graph comes back as it was. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { everySpecification, randomHistory, randomSpecification } from '../testing/randomHistories.js';
import { MemoryGraph } from './memoryGraph.js';
import { ShapeChecker } from './shapeChecker.js';
import { forEachPredecessor, forEachSuccessor } from './edges.js';
import { checkAll, inconsistenciesAfter } from '../testing/naive.js';

const RUNS = process.env['CULPRIT_LONG'] === undefined ? 15 : 3000;

it('incremental checking is full checking, after every operation and after every undo', () => {
  fc.assert(
    fc.property(randomSpecification, randomHistory(60), (specification, history) => {
      const checker = new ShapeChecker(specification);
      const expected: string[][] = [[...checker.inconsistencies().keys()]];
      for (let i = 0; i < history.length; i++) {
        checker.apply(history.at(i));
        expected.push([...inconsistenciesAfter(specification, history, i + 1).keys()].sort());
        expect([...checker.inconsistencies().keys()].sort()).toEqual(expected.at(-1));
      }
      for (let i = history.length - 1; i >= 0; i--) {
        checker.undo(history.at(i));
        expect([...checker.inconsistencies().keys()].sort()).toEqual(expected[i]);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 3_600_000);

it('and when results are asked for now and then only', () => {
  fc.assert(
    fc.property(randomHistory(150), fc.array(fc.integer({ min: -20, max: 30 }), { minLength: 1, maxLength: 8 }), (history, moves) => {
      const checker = new ShapeChecker(everySpecification);
      let at = 0;
      for (const move of moves) {
        for (let left = Math.abs(move); left > 0; left--) {
          if (move > 0 && at < history.length) checker.apply(history.at(at++));
          else if (move < 0 && at > 0) checker.undo(history.at(--at));
        }
        expect([...checker.inconsistencies().keys()].sort()).toEqual([...inconsistenciesAfter(everySpecification, history, at).keys()].sort());
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 3_600_000);

/** Everything that can be asked of a graph, from its definitions: values and addresses only. */
function picture(graph: MemoryGraph, defined: boolean): unknown[] {
  return [...graph.liveNodes()].sort((a, b) => a - b).map((node) => {
    const values = Array.from({ length: graph.fieldCount(node) }, (_, i) => String(graph.value(node, i + 1)));
    const successors: number[] = [];
    forEachSuccessor(graph, node, undefined, (target) => successors.push(target));
    const predecessors: number[] = [];
    if (defined) for (const other of graph.liveNodes()) forEachSuccessor(graph, other, undefined, (target) => target === node && predecessors.push(other));
    else forEachPredecessor(graph, node, undefined, (source) => predecessors.push(source));
    const counted = predecessors.filter((source) => !graph.layout(source).isRoot).length;
    return {
      node, values, address: graph.addressOf(node), successors, predecessors: predecessors.sort((a, b) => a - b),
      in: defined ? counted : graph.inDegree(node), out: defined ? successors.length : graph.outDegree(node),
    };
  });
}

it('the graph rolled back is the recorded one, and its indexes are their definitions', () => {
  fc.assert(
    fc.property(randomHistory(80), (history) => {
      const graph = new MemoryGraph(everySpecification.rules);
      const recorded: unknown[][] = [];
      for (let i = 0; i < history.length; i++) {
        recorded.push(picture(graph, false));
        graph.apply(history.at(i));
        expect(picture(graph, false)).toEqual(picture(graph, true));
      }
      for (let i = history.length - 1; i >= 0; i--) {
        graph.undo(history.at(i));
        expect(picture(graph, false)).toEqual(recorded[i]);
      }
    }),
    { numRuns: RUNS / 2, endOnFailure: true },
  );
}, 3_600_000);

it('checks everything the same way twice', () => {
  const checker = new ShapeChecker(everySpecification);
  expect(checkAll(checker.checks).size).toBe(0);
});
