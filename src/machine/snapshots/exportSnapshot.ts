/**
 * Snapshots for other threads: plain data that postMessage can send. Files become numbers that the caller gives them;
 * the contents of pages stay where they are, in slabs that all threads see (PageStore.share), so the thread that sends
 * a snapshot keeps it until the other thread is done with it.
 */
import type { MappingState } from '../addressSpaceMappings.js';
import type { MappableFile, Mapping } from '../mapping.js';
import type { PageStore } from './pageStore.js';
import { makeChunk, PageTable, type Chunk } from './pageTable.js';
import type { SpaceSnapshot } from './spaceHistory.js';

interface ExportedMapping extends Omit<Mapping, 'file'> {
  /** The number of its file. */
  readonly file?: number;
}

/** All but the pages. */
interface ExportedSpace extends Omit<MappingState, 'mappings'> {
  readonly mappings: readonly ExportedMapping[];
  readonly stackLimit: number;
  readonly peakResidentPages: number;
}

export interface ExportedSnapshot extends ExportedSpace {
  readonly chunks: readonly { readonly number: number; readonly words: Uint32Array }[];
}

type FileNumbers = (file: MappableFile) => number;
type FilesByNumber = (number: number) => MappableFile;

export function exportSnapshot(snapshot: SpaceSnapshot, numberOf: FileNumbers): ExportedSnapshot {
  const chunks: { number: number; words: Uint32Array }[] = [];
  snapshot.table.chunks.forEach((chunk, number) => {
    if (chunk !== undefined) chunks.push({ number, words: chunk.words });
  });
  return { ...exportSpace(snapshot, numberOf), chunks };
}

/** It must be released like any other. `store` knows the slabs of the thread that it comes from. */
export function importSnapshot(exported: ExportedSnapshot, store: PageStore, fileOf: FilesByNumber): SpaceSnapshot {
  const empty = new PageTable(store);
  const chunks: (Chunk | undefined)[] = empty.chunks.slice();
  for (const { number, words } of exported.chunks) {
    chunks[number] = makeChunk(store, words);
    for (let at = 1; at < words.length; at += 2) store.retain(words[at] as number);
  }
  return importSpace(exported, new PageTable(store, chunks), fileOf);
}

function exportSpace({ mapped, stackLimit, peakResidentPages }: SpaceSnapshot, numberOf: FileNumbers): ExportedSpace {
  const mappings = mapped.mappings.map(({ file, ...rest }) => (file === undefined ? rest : { ...rest, file: numberOf(file) }));
  return { mappings, peakMapped: mapped.peakMapped, reserved: mapped.reserved, views: mapped.views, stackLimit, peakResidentPages };
}

function importSpace(exported: ExportedSpace, table: PageTable, fileOf: FilesByNumber): SpaceSnapshot {
  const mappings = exported.mappings.map(({ file, ...rest }) => (file === undefined ? rest : { ...rest, file: fileOf(file) }));
  const { peakMapped, reserved, views, stackLimit, peakResidentPages } = exported;
  return { table, mapped: { mappings, peakMapped, reserved, views }, stackLimit, peakResidentPages };
}
