/** The programs and libraries that are stored in a recording, parsed when they are first asked for. */
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import type { MappableFile } from '../../machine/mapping.js';

export class StoredElfs {
  private readonly files = new Map<MappableFile, ElfFile | undefined>();

  /** Undefined if it is none. */
  of(file: MappableFile): ElfFile | undefined {
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
