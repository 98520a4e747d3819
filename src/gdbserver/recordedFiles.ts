/**
 * Files that lie in the recording because the program mapped them, by their names: those that the kernel has for them, and those by which the
 * program and its dynamic linker know them (which may go through links).
 */
import type { AddressSpace } from '../machine/addressSpace.js';
import type { MappableFile } from '../machine/mapping.js';

export class RecordedFiles {
  private readonly known = new Map<string, MappableFile>();

  /** Remembers all that is mapped there. */
  collect(space: AddressSpace): void {
    for (const { file } of space.mappings()) if (file !== undefined && !this.known.has(file.path)) this.known.set(file.path, file);
  }

  /** The file that is mapped at an address has another name, too. */
  alias(name: string, space: AddressSpace, address: number): void {
    if (this.known.has(name)) return;
    const file = fileAt(space, address);
    if (file !== undefined) this.known.set(name, file);
  }

  find(path: string): MappableFile | undefined {
    return this.known.get(path);
  }

  get all(): ReadonlyMap<string, MappableFile> {
    return this.known;
  }
}

export function fileAt(space: AddressSpace, address: number): MappableFile | undefined {
  return space.mappings().find(({ start, end }) => address >= start && address < end)?.file;
}
