/**
 * The library at the root of the project (shapes/*.shape): every file is a specification, those of the paper's Table 2
 * need no more statements than the paper's, healthy structures are found healthy, and each way to break one is seen and
 * led back to the write that did it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindShapes } from './checking/bind.js';
import { ShapeChecker } from './checking/shapeChecker.js';
import type { BoundSpecification } from './checking/terms.js';
import type { Item } from './language/ast.js';
import { loadShapes } from './language/load.js';
import { locateFaults } from './locate/locate.js';
import { programOf, TestHeap } from './testing/heap.js';
import { LIBRARY_GRAPHS, type Chance, type LibraryGraph } from './testing/libraryGraphs.js';

const NAMES = readdirSync('shapes').filter((name) => name.endsWith('.shape')).map((name) => name.slice(0, -'.shape'.length));
const read = (name: string) => readFileSync(`shapes/${name}.shape`, 'utf8');

/** Structures, rules of attributes and constraints; declarations of variables belong to what they are declared for. */
const TABLE_2 = {
  'circular-linked-list': 3, 'doubly-linked-list': 2, 'binary-tree': 3, 'binary-heap': 4, 'b-tree': 6,
  'quad-tree': 4, 'avl-tree': 6, 'red-black-tree': 9, 'leftist-heap': 5, 'full-k-ary-tree': 4,
};

const loadedItems = new Map<string, readonly Item[]>();

function load(name: string): readonly Item[] {
  const known = loadedItems.get(name);
  if (known !== undefined) return known;
  const loaded = loadShapes(read(name), `${name}.shape`, read);
  expect(loaded.problems).toEqual([]);
  loadedItems.set(name, loaded.file.items);
  return loaded.file.items;
}

function specificationFor(name: string, { types, constants }: LibraryGraph): BoundSpecification {
  const bound = bindShapes(load(name), { ...programOf(types, constants), type: (asked) => types.find((type) => type.name === asked) ?? types.find((type) => asked === aliasOf(name, type.name)) });
  expect(bound.problems).toEqual([]);
  return bound.specification;
}

function aliasOf(name: string, type: string): string | undefined {
  return load(name).flatMap((item) => (item.kind === 'type' && item.type === type ? [item.program] : []))[0];
}

function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return {
    below: (limit) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    },
  };
}

it.each(NAMES)('%s is a specification', (name) => {
  expect(load(name).some((item) => item.kind === 'constraint')).toBe(true);
});

it.each(Object.entries(TABLE_2))('%s has at most the %i statements of Table 2', (name, most) => {
  const counted = load(name).filter(({ kind }) => kind === 'structure' || kind === 'array' || kind === 'attribute' || kind === 'constraint');
  expect(counted.length).toBeLessThanOrEqual(most);
});

it('has graphs for every file', () => {
  expect(Object.keys(LIBRARY_GRAPHS).sort()).toEqual([...NAMES].sort());
});

describe.each(Object.entries(LIBRARY_GRAPHS))('%s', (name, graph) => {
  it('is healthy until it is broken, and the write that breaks it is found', () => {
    const specification = specificationFor(name, graph);
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 24 }), fc.nat(), fc.constantFrom(...Object.keys(graph.breakages)), (size, seed, breakage) => {
        const checker = new ShapeChecker(specification);
        const heap = new TestHeap();
        const chance = chanceOf(seed);
        const nodes = graph.build(heap, size, chance);
        for (const operation of heap.operations) checker.apply(operation);
        expect([...checker.inconsistencies().values()].map(({ constraint }) => constraint.name)).toEqual([]);
        const healthy = heap.length;
        graph.breakages[breakage]!(heap, nodes, chance);
        checker.apply(heap.at(healthy));
        expect([breakage, checker.inconsistencies().size > 0]).toEqual([breakage, true]);
        expect(locateFaults(checker, heap, heap.length).contributions.map(({ index }) => index)).toEqual([healthy]);
      }),
      { numRuns: 3 * Object.keys(graph.breakages).length, endOnFailure: true },
    );
  });
});
