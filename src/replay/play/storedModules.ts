/**
 * The programs and libraries that are mapped in a recording, from the files that are stored in it: symbols to addresses
 * and back.
 */
import { pageFloor, hex } from '../../base/types.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { STT } from '../../elf/elfSymbols.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { MappableFile, Mapping } from '../../machine/mapping.js';
import { StoredElfs } from './storedElfs.js';

interface Module {
  readonly elf: ElfFile;
  /** What is added to addresses in the file. */
  readonly bias: number;
}

export interface StoredVariable {
  readonly address: number;
  readonly size: number;
}

export class StoredModules {
  private readonly elfs = new StoredElfs();

  /** A variable or function by name: the program's own before those of libraries. */
  find(space: AddressSpace, name: string): StoredVariable | undefined {
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
      const elf = this.elfs.of(m.file);
      const bias = elf === undefined ? undefined : biasOf(elf, m);
      if (elf !== undefined && bias !== undefined) yield { elf, bias };
    }
  }
}

function biasOf(elf: ElfFile, m: Mapping): number | undefined {
  const segment = elf.loads.find(({ offset }) => pageFloor(offset) === m.fileOffset);
  return segment === undefined ? undefined : m.start - pageFloor(segment.address);
}
