/**
 * A player's state for players of other threads: plain data that postMessage can send. Contents of pages stay where
 * they are, in memory that all threads see; the thread that sends a state keeps it (retainWorld) until the other thread
 * has done with it.
 */
import { assert } from '../../base/assert.js';
import type { MappableFile } from '../../machine/mapping.js';
import { type ExportedSnapshot, exportSnapshot, importSnapshot } from '../../machine/snapshots/exportSnapshot.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import { PlayedObject } from './playedObject.js';
import type { PlayedWorld } from './playedWorld.js';
import type { PlayerState } from './player.js';
import type { SpaceState, WorldState } from './worldState.js';

export interface PortableState extends Omit<PlayerState, 'world'> {
  readonly world: Omit<WorldState, 'spaces'> & {
    readonly spaces: ReadonlyMap<number, Omit<SpaceState, 'snapshot'> & { readonly snapshot: ExportedSnapshot }>;
  };
}

export function exportState({ world, ...rest }: PlayerState): PortableState {
  const spaces = new Map([...world.spaces].map(([id, { snapshot, ...space }]) => [id, { ...space, snapshot: exportSnapshot(snapshot, objectNumber) }]));
  return { ...rest, world: { ...world, spaces } };
}

/** For a player with this world, whose store knows the other thread's pages. It must be released like any other. */
export function importState({ world, ...rest }: PortableState, target: PlayedWorld, store: PageStore): PlayerState {
  const fileOf = (number: number): MappableFile => {
    const object = world.objects.get(number);
    assert(object !== undefined, 'a state has all objects that are mapped');
    return target.objectFor(object.facts);
  };
  const spaces = new Map([...world.spaces].map(([id, { snapshot, ...space }]) => [id, { ...space, snapshot: importSnapshot(snapshot, store, fileOf) }]));
  return { ...rest, world: { ...world, spaces } };
}

/** What is mapped during replay is an object of the recording. */
export function objectNumber(file: MappableFile): number {
  assert(file instanceof PlayedObject, 'files come from the recording');
  return file.facts.object;
}
