/** The programs and libraries that are mapped in a recording, from the files that are stored in it: symbols to addresses and back. */
import { pageFloor, hex } from '../../base/types.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import { STT } from '../../elf/elfSymbols.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { MappableFile, Mapping } from '../../machine/mapping.js';

interface Module {
  readonly elf: ElfFile;
  /** What is added to addresses in the file. */
  readonly bias: number;
}

export interface Variable {
  readonly address: number;
  readonly size: number;
}

export class StoredModules {
  private readonly files = new Map<MappableFile, ElfFile | undefined>();

  /** A variable or function by name: the program's own before those of libraries. */
  find(space: AddressSpace, name: string): Variable | undefined {
    for (const { elf, bias } of this.modules(space)) {
      const symbol = elf.symbols.find(name);
      if (symbol !== undefined && symbol.type !== STT.TLS) return { address: symbol.address + bias, size: symbol.size };
    }
    return undefined;
  }

  /** "variable+0x4", if the address is within a symbol. */
  nameOf(space: AddressSpace, address: number): string | undefined {
    for (const { elf, bias } of this.modules(space)) {
      const found = elf.symbols.lookup(address - bias);
      if (found === undefined || found.offset >= Math.max(1, found.symbol.size)) continue;
      return found.offset === 0 ? found.symbol.name : `${found.symbol.name}+${hex(found.offset)}`;
    }
    return undefined;
  }

  private *modules(space: AddressSpace): Iterable<Module> {
    const seen = new Set<MappableFile>();
    for (const m of space.mappings()) {
      if (m.file === undefined || m.shared || seen.has(m.file)) continue;
      seen.add(m.file);
      const elf = this.elfOf(m.file);
      const bias = elf === undefined ? undefined : biasOf(elf, m);
      if (elf !== undefined && bias !== undefined) yield { elf, bias };
    }
  }

  private elfOf(file: MappableFile): ElfFile | undefined {
    if (!this.files.has(file)) this.files.set(file, read(file));
    return this.files.get(file);
  }
}

function biasOf(elf: ElfFile, m: Mapping): number | undefined {
  const segment = elf.loads.find(({ offset }) => pageFloor(offset) === m.fileOffset);
  return segment === undefined ? undefined : m.start - pageFloor(segment.address);
}

function read(file: MappableFile): ElfFile | undefined {
  const bytes = new Uint8Array(file.size);
  file.read(0, bytes);
  try {
    return new ElfFile(file.path, bytes);
  } catch (error) {
    if (!(error instanceof ElfError)) throw error;
    return undefined;
  }
}
