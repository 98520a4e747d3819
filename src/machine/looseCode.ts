/**
 * Code that reads more than it looks at: functions of C libraries for strings read whole vectors. They are in libraries
 * that are known by name, or in a program that has the C library in it, by their symbols. Both are the same in a
 * replay.
 */
import { ElfError } from '../elf/elfError.js';
import { ET, PT } from '../elf/elfHeader.js';
import { ElfFile } from '../elf/elfFile.js';
import { STT } from '../elf/elfSymbols.js';
import { LARGEST_RECORDED_FILE } from '../layout/recordedFiles.js';
import type { MappableFile, Mapping } from './mapping.js';

/** C libraries and dynamic linkers. */
const LIBRARIES = /\/(libc|libm|libpthread|ld|ld-linux-x86-64|ld-musl-x86_64|libc\.musl-x86_64)(-[\d.]+)?\.so[^/]*$/;
/** Enough for the program headers. */
const HEAD = 4096;
/** What glibc calls the forms of a function for different processors. Generic ones read aligned words of four bytes. */
const VECTOR_FUNCTIONS = /^__(raw)?(str|stp|mem|wcs|wcp|wmem)[a-z_]*_(sse\d|ssse3|avx|evex|generic)/;
/** Functions of musl that read whole words; a program that has it in it has this symbol. */
const WORD_FUNCTIONS = /^(__)?(strlen|strchrnul|stpn?cpy|strlcpy|memchr|memccpy)$/;
const MUSL = '__libc_malloc_impl';
/** Entries of the dynamic section: a tag and a value. */
const ENTRY_SIZE = 16;
const DT_FLAGS_1 = 0x6fff_fffb;
const DF_1_PIE = 0x0800_0000;

interface Range {
  /** In the file. */
  readonly start: number;
  readonly end: number;
}

/** Looked up once for each file. */
const rangesOfFiles = new WeakMap<MappableFile, readonly Range[]>();

export function isLooseIn({ name, file, start, fileOffset }: Mapping, address: number): boolean {
  if (LIBRARIES.test(name)) return true;
  if (file === undefined || file.size > LARGEST_RECORDED_FILE) return false;
  let ranges = rangesOfFiles.get(file);
  if (ranges === undefined) rangesOfFiles.set(file, (ranges = rangesOf(file)));
  const offset = address - start + fileOffset;
  return ranges.some((range) => offset >= range.start && offset < range.end);
}

function rangesOf(file: MappableFile): Range[] {
  const { size } = file;
  try {
    const elf = new ElfFile(file.path, { size, head: read(file, Math.min(size, HEAD)), all: () => read(file, size) });
    return elf.interpreter === undefined && (elf.header.type === ET.EXEC || isRelocatable(elf, file)) ? stringFunctions(elf) : [];
  } catch (error) {
    if (error instanceof ElfError) return [];
    throw error;
  }
}

/**
 * Whether it is a program that may lie anywhere. Shared libraries, which have no interpreter either, do not say so of
 * themselves.
 */
function isRelocatable(elf: ElfFile, file: MappableFile): boolean {
  const dynamic = elf.segments.find(({ type }) => type === PT.DYNAMIC);
  if (dynamic === undefined) return false;
  const bytes = new Uint8Array(dynamic.fileSize);
  const view = new DataView(bytes.buffer, 0, file.read(dynamic.offset, bytes));
  for (let at = 0; at + ENTRY_SIZE <= view.byteLength; at += ENTRY_SIZE) {
    if (view.getUint32(at, true) === DT_FLAGS_1) return (view.getUint32(at + 8, true) & DF_1_PIE) !== 0;
  }
  return false;
}

function read(file: MappableFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, file.read(0, bytes));
}

function stringFunctions(elf: ElfFile): Range[] {
  const names = elf.symbols.find(MUSL) === undefined ? VECTOR_FUNCTIONS : WORD_FUNCTIONS;
  const found = [...elf.symbols.all()].filter(({ name, type, size }) => type === STT.FUNC && size > 0 && names.test(name));
  return found.flatMap(({ address, size }) => {
    const segment = elf.loads.find((s) => address >= s.address && address < s.address + s.fileSize);
    const start = segment === undefined ? 0 : address - segment.address + segment.offset;
    return segment === undefined ? [] : [{ start, end: start + size }];
  });
}
