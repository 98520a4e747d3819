/**
 * Puts the segments of one ELF file into memory, as Linux's elf_load does: whole pages from the
 * file, the rest of the last page of data zeroed, anonymous pages for what only memory has.
 */
import { PAGE_SIZE, guestAddr, pageCeil, pageFloor } from '../../base/types.js';
import { ElfError } from '../../elf/elfError.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { PF, type Segment } from '../../elf/elfHeader.js';
import { PROT, anonymousMapping, type AddressSpace, type MappableFile } from '../../machine/addressSpace.js';

/** Page-aligned bounds of all segments, without bias. */
export function imageBounds(elf: ElfFile): { readonly start: number; readonly end: number } {
  const loads = elf.loads;
  const first = loads[0] as Segment;
  const end = loads.reduce((highest, s) => Math.max(highest, s.address + s.memorySize), 0);
  return { start: pageFloor(first.address), end: pageCeil(end) };
}

/** The largest alignment a segment asks for: at least a page. */
export function imageAlignment(elf: ElfFile): number {
  return elf.loads.reduce((largest, s) => Math.max(largest, s.align), PAGE_SIZE);
}

export function loadElf(space: AddressSpace, elf: ElfFile, file: MappableFile, bias: number): void {
  const bounds = imageBounds(elf);
  if (!space.rangeIsFree(bounds.start + bias, bounds.end - bounds.start)) {
    throw new ElfError(elf.path, 'cannot execute: program does not fit into the 2 GiB of guest memory');
  }
  for (const segment of elf.loads) loadSegment(space, file, segment, bias);
}

function loadSegment(space: AddressSpace, file: MappableFile, s: Segment, bias: number): void {
  const start = guestAddr(pageFloor(s.address + bias));
  const dataEnd = s.address + bias + s.fileSize;
  const memoryEnd = pageCeil(s.address + bias + s.memorySize);
  const fileEnd = s.fileSize === 0 ? start : pageCeil(dataEnd);
  const prot = protOf(s);
  if (fileEnd > start) {
    const fileOffset = pageFloor(s.offset);
    const { path: name, device, inode } = file;
    space.map({
      start, end: guestAddr(fileEnd), prot, shared: false, growsDown: false, name, device, inode, fileOffset, file,
    });
    // Whole pages come from the file, but where zeroed data follows they must not show what else it has.
    if (s.memorySize > s.fileSize && dataEnd < fileEnd) space.poke(dataEnd, new Uint8Array(fileEnd - dataEnd));
  }
  if (memoryEnd > fileEnd) space.map(anonymousMapping({ start: guestAddr(fileEnd), end: guestAddr(memoryEnd), prot }));
}

function protOf(s: Segment): number {
  const { flags } = s;
  return (
    ((flags & PF.R) !== 0 ? PROT.READ : 0) | ((flags & PF.W) !== 0 ? PROT.WRITE : 0) | ((flags & PF.X) !== 0 ? PROT.EXEC : 0)
  );
}
