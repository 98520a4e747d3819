/**
 * Snapshots as bytes, to be stored with a recording. A page that several snapshots have is stored with the first of them: a
 * packer numbers the pages that it has seen, and what it gives must be unpacked in the same order.
 *
 *   u32   length of the head
 *   ...   head: JSON, see Head
 *   u32   three for each page of the address space that is in use: linear page, its state (pageTable.ts), number of its contents
 *   ...   contents of pages that are new, 4096 bytes each, numbered from `firstPage` on
 *
 * All numbers are little-endian. Damage is the business of whoever stores it (checksums); here only what cannot be is refused.
 */
import { UserError } from '../../base/errors.js';
import { PAGE_SIZE } from '../../base/types.js';
import { PAGE_TABLE_ENTRIES } from '../../layout/memoryMap.js';
import { exportSpace, importSpace, type ExportedSpace, type FileNumbers, type FilesByNumber } from './exportSnapshot.js';
import { ZEROS, type PageRef, type PageStore } from './pageStore.js';
import { CHUNK_PAGES, PageTable, TableBuilder } from './pageTable.js';
import type { SpaceSnapshot } from './spaceHistory.js';

const VERSION = 1;
const ENTRY_BYTES = 12;
const DAMAGED = 'a stored checkpoint is damaged';

interface Head {
  readonly version: number;
  /** How many pages are in use, and how many have contents that are new. */
  readonly entries: number;
  readonly firstPage: number;
  readonly newPages: number;
  /** JSON knows no infinity: null. */
  readonly space: Omit<ExportedSpace, 'stackLimit'> & { readonly stackLimit: number | null };
}

export class SnapshotPacker {
  /** Retained, so that no other page gets the same reference meanwhile. */
  private readonly numbers = new Map<PageRef, number>();

  constructor(
    private readonly store: PageStore,
    private readonly numberOf: FileNumbers,
  ) {}

  pack(snapshot: SpaceSnapshot): Uint8Array {
    const firstPage = this.numbers.size + 1;
    const entries: number[] = [];
    const fresh: PageRef[] = [];
    forEachPage(snapshot.table, (index, state, contents) => entries.push(index, state, this.numberFor(contents, fresh)));
    const { stackLimit, ...rest } = exportSpace(snapshot, this.numberOf);
    const space = { ...rest, stackLimit: Number.isFinite(stackLimit) ? stackLimit : null };
    const head: Head = { version: VERSION, entries: entries.length / 3, firstPage, newPages: fresh.length, space };
    return this.write(new TextEncoder().encode(JSON.stringify(head)), entries, fresh);
  }

  dispose(): void {
    for (const ref of this.numbers.keys()) this.store.release(ref);
    this.numbers.clear();
  }

  private numberFor(contents: PageRef, fresh: PageRef[]): number {
    if (contents === ZEROS) return 0;
    const known = this.numbers.get(contents);
    if (known !== undefined) return known;
    this.store.retain(contents);
    fresh.push(contents);
    this.numbers.set(contents, this.numbers.size + 1);
    return this.numbers.size;
  }

  private write(head: Uint8Array, entries: readonly number[], fresh: readonly PageRef[]): Uint8Array {
    const entriesAt = 4 + head.length;
    const pagesAt = entriesAt + entries.length * 4;
    const bytes = new Uint8Array(pagesAt + fresh.length * PAGE_SIZE);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, head.length, true);
    bytes.set(head, 4);
    entries.forEach((word, i) => view.setUint32(entriesAt + i * 4, word, true));
    fresh.forEach((ref, i) => this.store.copyTo(ref, bytes, pagesAt + i * PAGE_SIZE));
    return bytes;
  }
}

export class SnapshotUnpacker {
  private readonly refs = new Map<number, PageRef>();

  constructor(
    private readonly store: PageStore,
    private readonly fileOf: FilesByNumber,
  ) {}

  /** The snapshot must be released like any other. */
  unpack(bytes: Uint8Array): SpaceSnapshot {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { head, entriesAt } = readHead(bytes, view);
    const pagesAt = entriesAt + head.entries * ENTRY_BYTES;
    check(bytes.length === pagesAt + head.newPages * PAGE_SIZE);
    for (let i = 0; i < head.newPages; i++) this.addPage(head.firstPage + i, this.store.add(bytes, pagesAt + i * PAGE_SIZE));
    const builder = new TableBuilder(new PageTable(this.store));
    try {
      for (let at = entriesAt; at < pagesAt; at += ENTRY_BYTES) this.unpackEntry(view, at, builder);
    } catch (error) {
      builder.finish().release();
      throw error;
    }
    const stackLimit = head.space.stackLimit ?? Infinity;
    return importSpace({ ...head.space, stackLimit }, builder.finish(), this.fileOf);
  }

  /** No more will be unpacked. */
  dispose(): void {
    for (const ref of this.refs.values()) this.store.release(ref);
    this.refs.clear();
  }

  private addPage(number: number, ref: PageRef): void {
    check(!this.refs.has(number));
    this.refs.set(number, ref);
  }

  private unpackEntry(view: DataView, at: number, builder: TableBuilder): void {
    const [index, state, number] = [view.getUint32(at, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true)];
    const contents = number === 0 ? ZEROS : this.refs.get(number);
    if (contents === undefined) throw new UserError('a stored checkpoint needs pages of another one that is missing');
    // The last linear page is nobody's.
    check(index < PAGE_TABLE_ENTRIES - 1);
    this.store.retain(contents);
    builder.set(index, state, contents);
  }
}

function readHead(bytes: Uint8Array, view: DataView): { head: Head; entriesAt: number } {
  check(bytes.length >= 4);
  const entriesAt = 4 + view.getUint32(0, true);
  check(entriesAt <= bytes.length);
  let head: Head;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, entriesAt))) as Head;
  } catch {
    throw new UserError(DAMAGED);
  }
  if (head.version !== VERSION) throw new UserError(`a stored checkpoint is of version ${head.version}, not ${VERSION}`);
  return { head, entriesAt };
}

function check(condition: boolean): asserts condition {
  if (!condition) throw new UserError(DAMAGED);
}

function forEachPage(table: PageTable, visit: (index: number, state: number, contents: PageRef) => void): void {
  table.chunks.forEach((chunk, number) => {
    if (chunk === undefined) return;
    for (let i = 0; i < CHUNK_PAGES; i++) {
      const state = chunk.words[i * 2] as number;
      if (state !== 0) visit(number * CHUNK_PAGES + i, state, chunk.words[i * 2 + 1] as number);
    }
  });
}
