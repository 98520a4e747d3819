/** What a process has in its memory, page by page, as short numbers. */
import { PAGE_SIZE } from '../../src/base/types.js';
import { checksum } from '../../src/host/nodeCompression.js';
import type { AddressSpace } from '../../src/machine/addressSpace.js';
import type { PlayedSpace } from '../../src/replay/play/playedSpace.js';

/** Checksums by address, of pages that hold anything. */
export type PageDigests = ReadonlyMap<number, number>;

const EMPTY = checksum(new Uint8Array(PAGE_SIZE));

export function pageDigests(space: AddressSpace): PageDigests {
  const digests = new Map<number, number>();
  for (const { start, end } of space.mappings()) {
    for (let page: number = start; page < end; page += PAGE_SIZE) {
      const digest = space.isResident(page) ? digestAt(space, page) : EMPTY;
      if (digest !== EMPTY) digests.set(page, digest);
    }
  }
  return digests;
}

/** Throws if replay has other memory. Pages of files that only the kernel has looked at are loaded now. */
export function comparePages({ machine: { space } }: PlayedSpace, live: PageDigests): void {
  const wrong: string[] = [];
  for (const [page, digest] of live) if (digestAt(space, page) !== digest) wrong.push(`${page.toString(16)} differs`);
  for (const page of pageDigests(space).keys()) if (!live.has(page)) wrong.push(`${page.toString(16)} was empty`);
  if (wrong.length > 0) throw new Error(`memory: page ${wrong.slice(0, 5).join(', ')}${wrong.length > 5 ? ` and ${wrong.length - 5} more` : ''}`);
}

function digestAt(space: AddressSpace, page: number): number {
  const bytes = space.peek(page, PAGE_SIZE);
  return bytes === null ? -1 : checksum(bytes);
}
