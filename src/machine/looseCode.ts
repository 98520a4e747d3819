/**
 * Code that reads more than it looks at: functions of C libraries for strings read whole vectors. They are in libraries that are known by name, or in a program that has the C library in
 * it, by their symbols. Both are the same in a replay.
 */
import { ElfError } from '../elf/elfError.js';
import { ET } from '../elf/elfHeader.js';
import { ElfFile } from '../elf/elfFile.js';
import { STT } from '../elf/elfSymbols.js';
import { LARGEST_RECORDED_FILE, type MappableFile, type Mapping } from './mapping.js';

/** C libraries and dynamic linkers. */
const LIBRARIES = /\/(libc|libm|libpthread|ld|ld-linux-x86-64|ld-musl-x86_64|libc\.musl-x86_64)(-[\d.]+)?\.so[^/]*$/;
/** Enough for the program headers. */
const HEAD = 4096;
/** What glibc calls the forms of a function for different processors. */
const VECTOR_FUNCTIONS = /^__(raw)?(str|mem|wcs|wmem)[a-z_]*_(sse\d|ssse3|avx|evex)/;

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

/** Shared libraries have no interpreter either; a program that is linked statically is not relocated. */
function rangesOf(file: MappableFile): Range[] {
  const { size } = file;
  try {
    const elf = new ElfFile(file.path, { size, head: read(file, Math.min(size, HEAD)), all: () => read(file, size) });
    return elf.header.type === ET.EXEC && elf.interpreter === undefined ? vectorFunctions(elf) : [];
  } catch (error) {
    if (error instanceof ElfError) return [];
    throw error;
  }
}

function read(file: MappableFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, file.read(0, bytes));
}

function vectorFunctions(elf: ElfFile): Range[] {
  const found = [...elf.symbols.all()].filter(({ name, type, size }) => type === STT.FUNC && size > 0 && VECTOR_FUNCTIONS.test(name));
  return found.flatMap(({ address, size }) => {
    const segment = elf.loads.find((s) => address >= s.address && address < s.address + s.fileSize);
    const start = segment === undefined ? 0 : address - segment.address + segment.offset;
    return segment === undefined ? [] : [{ start, end: start + size }];
  });
}
