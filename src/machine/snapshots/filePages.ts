/** Pages of files that are mapped: what one would have if it were loaded now, and which have been written. */
import { PAGE_SIZE, pageCeil } from '../../base/types.js';
import type { AddressSpace } from '../addressSpace.js';
import type { MappableFile, Mapping } from '../mapping.js';
import { PAGE, pageAddress } from '../pages.js';

export interface FileMapping extends Mapping {
  readonly file: MappableFile;
}

export function isFileMapping(m: Mapping | undefined): m is FileMapping {
  return m?.file !== undefined;
}

/**
 * Reads pages from `page` on, as many as fit into `target`, with zeros behind the end of the file. Returns how many
 * there are.
 */
export function readFilePages(m: FileMapping, page: number, target: Uint8Array): number {
  const offset = m.fileOffset + (page - m.start);
  const length = Math.min(target.length, m.end - page, pageCeil(Math.max(0, m.file.size - offset)));
  const part = target.subarray(0, length);
  const read = length > 0 ? m.file.read(offset, part) : 0;
  part.fill(0, Math.max(read, 0));
  return length / PAGE_SIZE;
}

/**
 * Pages of shared mappings that were written and not taken yet (AddressSpace.takeWrittenPages), which a restore brings
 * back.
 */
export function writtenSharedPages({ pages }: AddressSpace): number[] {
  const found: number[] = [];
  const wanted = PAGE.CLAIMED | PAGE.EXACT | PAGE.WRITTEN;
  pages.forEachUsed((index, bits) => {
    if ((bits & wanted) === wanted) found.push(pageAddress(index, pages.highOf(index)));
  });
  return found;
}
