/**
 * A player's state as plain numbers, on its way to a file or back. Contents of pages are stored apart, once for all
 * states that have them, and go by numbers from 1 on; 0 is a page of zeros. So a state can be read without those before
 * it.
 */
import { assert } from '../../base/assert.js';
import type { MappableFile } from '../../machine/mapping.js';
import { ZEROS, type PageRef, type PageStore } from '../../machine/snapshots/pageStore.js';
import { PageTable, TableBuilder } from '../../machine/snapshots/pageTable.js';
import type { SpaceSnapshot } from '../../machine/snapshots/spaceHistory.js';
import type { RecordedMapping } from '../log/effects.js';
import type { ObjectFacts } from '../play/playedObject.js';
import type { PlayedWorld } from '../play/playedWorld.js';
import type { PlayerState } from '../play/player.js';
import type { SpaceState, TaskFacts, TaskState, WorldState } from '../play/worldState.js';
import type { View } from '../../machine/views.js';
import { objectNumber } from '../play/portableState.js';

/**
 * Linear pages that follow each other, have the same state (pageTable.ts), and contents whose numbers follow each
 * other, or zeros.
 */
export interface PageRun {
  readonly first: number;
  readonly length: number;
  readonly state: number;
  readonly contents: number;
}

export interface FlatSpace extends Omit<SpaceSnapshot, 'table' | 'mapped'> {
  readonly id: number;
  readonly peakMapped: number;
  readonly reserved: readonly { readonly start: number; readonly end: number }[];
  readonly mappings: readonly RecordedMapping[];
  readonly views: readonly View[];
  readonly unpublished: readonly number[];
  readonly runs: readonly PageRun[];
}

export interface FlatObject {
  readonly facts: ObjectFacts;
  readonly size: number;
  readonly pages: readonly { readonly index: number; readonly contents: number }[];
}

export interface FlatState extends Omit<PlayerState, 'world'>, Pick<WorldState, 'current' | 'clock'> {
  readonly threads: readonly TaskFacts[];
  readonly tasks: readonly (TaskState & { readonly id: number })[];
  readonly objects: readonly FlatObject[];
  readonly spaces: readonly FlatSpace[];
}

/** Gives numbers to contents: of pages in a store, and of those that objects have. */
export interface PageNumbers {
  ofPage(ref: PageRef): number;
  ofBytes(page: Uint8Array): number;
}

export function flattenState({ world, ...rest }: PlayerState, numbers: PageNumbers): FlatState {
  const { current, clock, threads, tasks, objects, spaces } = world;
  return {
    ...rest, current, clock,
    threads: [...threads.values()],
    tasks: [...tasks].map(([id, task]) => ({ id, ...task })),
    objects: [...objects.values()].map(({ facts, state: { size, pages } }) => ({ facts, size, pages: [...pages].map(([index, page]) => ({ index, contents: numbers.ofBytes(page) })) })),
    spaces: [...spaces].map(([id, space]) => flattenSpace(id, space, numbers)),
  };
}

function flattenSpace(id: number, { snapshot, unpublished }: SpaceState, numbers: PageNumbers): FlatSpace {
  const { table, mapped, stackLimit, peakResidentPages } = snapshot;
  const mappings = mapped.mappings.map(({ file, ...m }) => (file === undefined ? m : { ...m, object: objectNumber(file) }));
  return { id, stackLimit, peakResidentPages, peakMapped: mapped.peakMapped, reserved: mapped.reserved, views: mapped.views, mappings, unpublished, runs: runsOf(table, numbers) };
}

function runsOf(table: PageTable, numbers: PageNumbers): PageRun[] {
  const runs: PageRun[] = [];
  let run: { first: number; length: number; state: number; contents: number } | undefined;
  table.forEachDifference(new PageTable(table.store), (index) => {
    const [state, ref] = [table.state(index), table.contents(index)];
    const contents = ref === ZEROS ? 0 : numbers.ofPage(ref);
    if (run !== undefined && run.first + run.length === index && run.state === state && contentsAt(run, run.length) === contents) run.length++;
    else runs.push((run = { first: index, length: 1, state, contents }));
  });
  return runs;
}

function contentsAt({ contents }: PageRun, offset: number): number {
  return contents === 0 ? 0 : contents + offset;
}

/** The numbers of all contents that a state needs. */
export function pagesOf({ objects, spaces }: FlatState): Set<number> {
  const needed = new Set<number>();
  for (const { pages } of objects) for (const { contents } of pages) needed.add(contents);
  for (const { runs } of spaces) for (const run of runs) for (let i = 0; i < run.length; i++) needed.add(contentsAt(run, i));
  needed.delete(0);
  return needed;
}

/**
 * Contents by their numbers: `page` as references in the store, still to be retained. All that are needed must be
 * there.
 */
export interface NumberedPages {
  page(number: number): PageRef;
  bytes(number: number): Uint8Array;
}

/** For a player with this world. It must be released like any other state. */
export function unflattenState(flat: FlatState, pages: NumberedPages, world: PlayedWorld, store: PageStore): PlayerState {
  const { time, doneHere, lastEvent, place, expected, current, clock } = flat;
  const facts = new Map(flat.objects.map((object) => [object.facts.object, object.facts]));
  const fileOf = (number: number): MappableFile => {
    const known = facts.get(number);
    assert(known !== undefined, 'a state that was checked has all objects that are mapped');
    return world.objectFor(known);
  };
  const state: WorldState = {
    current, clock,
    threads: new Map(flat.threads.map((known) => [known.task, known])),
    tasks: new Map(flat.tasks.map(({ id, ...task }) => [id, task])),
    objects: new Map(flat.objects.map((object) => [object.facts.object, { facts: object.facts, state: objectState(object, pages) }])),
    spaces: new Map(flat.spaces.map((space) => [space.id, { unpublished: space.unpublished, snapshot: unflattenSpace(space, pages, fileOf, store) }])),
  };
  return { time, doneHere, lastEvent, place, expected, world: state };
}

function objectState({ size, pages: stored }: FlatObject, pages: NumberedPages): { size: number; pages: Map<number, Uint8Array> } {
  return { size, pages: new Map(stored.map(({ index, contents }) => [index, pages.bytes(contents)])) };
}

function unflattenSpace(flat: FlatSpace, pages: NumberedPages, fileOf: (number: number) => MappableFile, store: PageStore): SpaceSnapshot {
  const builder = new TableBuilder(new PageTable(store));
  for (const run of flat.runs) {
    for (let i = 0; i < run.length; i++) {
      const ref = run.contents === 0 ? ZEROS : pages.page(run.contents + i);
      store.retain(ref);
      builder.set(run.first + i, run.state, ref);
    }
  }
  const mappings = flat.mappings.map(({ object, ...m }) => (object === undefined ? m : { ...m, file: fileOf(object) }));
  const { peakMapped, reserved, views, stackLimit, peakResidentPages } = flat;
  return { table: builder.finish(), mapped: { mappings, peakMapped, reserved, views }, stackLimit, peakResidentPages };
}
