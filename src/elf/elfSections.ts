/** Section headers. A program runs without them, so they are read only when a caller asks. */
import type { ElfHeader } from './elfHeader.js';
import type { ElfReader } from './elfReader.js';

export const SHT = { PROGBITS: 1, SYMTAB: 2, STRTAB: 3, RELA: 4, DYNAMIC: 6, NOTE: 7, NOBITS: 8, DYNSYM: 11 } as const;
export const SHF = { WRITE: 1, ALLOC: 2, EXECINSTR: 4, COMPRESSED: 0x800 } as const;

export interface Section {
  readonly name: string;
  /** One of SHT, or anything else. */
  readonly type: number;
  /** Bits of SHF. */
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly align: number;
  readonly entrySize: number;
}

const SHDR_SIZE = 64;
/** "The real value did not fit and is in section 0." */
const SHN_XINDEX = 0xffff;

export function parseSections(reader: ElfReader, header: ElfHeader): Section[] {
  const base = header.sectionHeaderOffset;
  if (base === 0) return [];
  if (header.sectionHeaderSize !== SHDR_SIZE) {
    reader.fail(`corrupt ELF header: section header size is ${header.sectionHeaderSize}, not ${SHDR_SIZE}`);
  }
  reader.need(base, SHDR_SIZE, 'section headers');
  const count = header.sectionHeaderCount === 0 ? reader.u64(base + 32) : header.sectionHeaderCount;
  reader.need(base, count * SHDR_SIZE, 'section headers');
  const namesIndex = header.sectionNamesIndex === SHN_XINDEX ? reader.u32(base + 40) : header.sectionNamesIndex;
  const nameOf = nameLookup(reader, base, count, namesIndex);
  return Array.from({ length: count }, (_, i) => parseSection(reader, base + i * SHDR_SIZE, nameOf));
}

function nameLookup(reader: ElfReader, base: number, count: number, index: number): (offset: number) => string {
  if (index === 0) return () => '';
  if (index >= count) reader.fail(`corrupt ELF header: no section ${index} for section names`);
  const at = base + index * SHDR_SIZE;
  const [offset, size] = [reader.u64(at + 24), reader.u64(at + 32)];
  reader.need(offset, size, 'section names');
  return (name) => reader.cString(offset, size, name);
}

function parseSection(reader: ElfReader, at: number, nameOf: (offset: number) => string): Section {
  return {
    name: nameOf(reader.u32(at)),
    type: reader.u32(at + 4),
    flags: reader.u64(at + 8),
    address: reader.u64(at + 16),
    offset: reader.u64(at + 24),
    size: reader.u64(at + 32),
    link: reader.u32(at + 40),
    info: reader.u32(at + 44),
    align: reader.u64(at + 48),
    entrySize: reader.u64(at + 56),
  };
}
