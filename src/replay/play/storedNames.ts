/** Names for places in a recorded program's code, from the files that are stored in the recording. */
import { hex } from '../../base/types.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import { symbolAt } from '../../linux/tasks/codeNames.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { MappableFile } from '../../machine/mapping.js';

export class StoredNames {
  private readonly files = new Map<MappableFile, ElfFile | undefined>();

  /** "0x401136 <symbol+0x1c> (program)", or as much of it as can be known. */
  describe(space: AddressSpace, address: number): string {
    const mapping = space.find(address);
    if (mapping === undefined) return hex(address);
    const name = this.find(space, address);
    const file = mapping.name.slice(mapping.name.lastIndexOf('/') + 1);
    return `${hex(address)}${name === undefined ? '' : ` <${name}>`}${file === '' ? '' : ` (${file})`}`;
  }

  /** "symbol+0x1c". */
  find(space: AddressSpace, address: number): string | undefined {
    const mapping = space.find(address);
    if (mapping?.file === undefined) return undefined;
    const elf = this.elfOf(mapping.file);
    return elf === undefined ? undefined : symbolAt(elf, mapping, address);
  }

  private elfOf(file: MappableFile): ElfFile | undefined {
    if (!this.files.has(file)) this.files.set(file, read(file));
    return this.files.get(file);
  }
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
