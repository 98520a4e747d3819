/**
 * Names for places in a process's code: the symbol of the program or library that is mapped there.
 * Files are read when the first name is wanted: at the end of a run that went wrong.
 */
import { hex } from '../../base/types.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import type { Host } from '../../host/host.js';
import type { Mapping } from '../../machine/mapping.js';
import { hostLoaderFiles } from '../loader/hostLoaderFiles.js';
import type { Process } from '../process.js';

/** Sections of symbols that are no places (SHN_ABS and the like). */
const SPECIAL_SECTIONS = 0xff00;

export class CodeNames {
  private readonly files = new Map<string, ElfFile | undefined>();

  constructor(private readonly host: Host) {}

  /** "symbol+0x1c (program)", or as much of it as can be known. */
  describe(process: Process, address: number): string {
    const mapping = process.space.find(address);
    if (mapping === undefined) return hex(address);
    const file = mapping.name.slice(mapping.name.lastIndexOf('/') + 1);
    const name = this.find(process, address) ?? hex(address);
    return file === '' ? name : `${name} (${file})`;
  }

  /** "symbol+0x1c". */
  find(process: Process, address: number): string | undefined {
    const mapping = process.space.find(address);
    if (mapping?.file === undefined) return undefined;
    const elf = this.elfOf(mapping.name);
    return elf === undefined ? undefined : symbolAt(elf, mapping, address);
  }

  /** Whether a program has a symbol of that name. */
  defines(path: string, symbol: string): boolean {
    return this.elfOf(path)?.symbols.find(symbol) !== undefined;
  }

  private elfOf(path: string): ElfFile | undefined {
    if (!this.files.has(path)) this.files.set(path, this.read(path));
    return this.files.get(path);
  }

  private read(path: string): ElfFile | undefined {
    const opened = hostLoaderFiles(this.host.files).open(path);
    if (typeof opened === 'number') return undefined;
    try {
      return new ElfFile(path, { ...opened.contents });
    } catch (error) {
      if (!(error instanceof ElfError)) throw error;
      return undefined;
    } finally {
      opened.mappable.release?.();
    }
  }
}

/** "symbol+0x1c" for an address in a mapping of a file. */
export function symbolAt(elf: ElfFile, mapping: Mapping, address: number): string | undefined {
  const inFile = addressInFile(elf, mapping, address);
  const found = inFile === undefined ? undefined : elf.symbols.lookup(inFile);
  if (found === undefined || found.symbol.section >= SPECIAL_SECTIONS) return undefined;
  return found.offset === 0 ? found.symbol.name : `${found.symbol.name}+${hex(found.offset)}`;
}

/** Without the load bias. */
function addressInFile(elf: ElfFile, mapping: Mapping, address: number): number | undefined {
  const offset = address - mapping.start + mapping.fileOffset;
  const segment = elf.loads.find((s) => offset >= s.offset && offset < s.offset + Math.max(s.fileSize, s.memorySize));
  return segment === undefined ? undefined : offset - segment.offset + segment.address;
}
