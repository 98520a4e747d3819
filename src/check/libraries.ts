/** Where the functions that we stand in for are, in a file whose code has been mapped. */
import { ElfError } from '../elf/elfError.js';
import { ElfFile } from '../elf/elfFile.js';
import type { Mapping } from '../machine/mapping.js';
import { LIBRARY_FUNCTIONS } from './functions.js';

/** Libraries whose functions of these names are what they are called. */
const LIBRARIES = /\/(libc|libstdc\+\+|libc\+\+|ld-musl-x86_64|libc\.musl-x86_64)(-[\d.]+)?\.so[^/]*$/;
/** A program that has the C library in it has one of these. */
const INSIDE = ['__libc_malloc', '__libc_malloc_impl'];

export interface FoundFunction {
  readonly name: string;
  readonly address: number;
}

/** Looks into each file once. */
export class Libraries {
  private readonly known = new Map<string, readonly { name: string; offset: number }[]>();

  functionsIn(m: Mapping): readonly FoundFunction[] {
    const { file } = m;
    if (file === undefined) return [];
    const key = `${file.device}:${file.inode}:${file.size}:${m.name}`;
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = look(m)));
    const end = m.fileOffset + (m.end - m.start);
    return found.filter(({ offset }) => offset >= m.fileOffset && offset < end).map(({ name, offset }) => ({ name, address: m.start + offset - m.fileOffset }));
  }
}

/** Functions with their offsets in the file. */
function look({ name: path, file }: Mapping): { name: string; offset: number }[] {
  if (file === undefined) return [];
  const bytes = new Uint8Array(file.size);
  file.read(0, bytes);
  try {
    const elf = new ElfFile(path, bytes);
    if (!LIBRARIES.test(path) && !INSIDE.some((name) => elf.symbols.find(name) !== undefined)) return [];
    return Object.keys(LIBRARY_FUNCTIONS).flatMap((name) => {
      const symbol = elf.symbols.find(name);
      const segment = symbol === undefined ? undefined : elf.loads.find((s) => symbol.address >= s.address && symbol.address < s.address + s.fileSize);
      return symbol === undefined || segment === undefined ? [] : [{ name, offset: symbol.address - segment.address + segment.offset }];
    });
  } catch (error) {
    if (error instanceof ElfError) return [];
    throw error;
  }
}
