/**
 * Files that lie in the recording because the program mapped them, by their names: those that the kernel has for them,
 * and those by which the program and its dynamic linker know them, which may go through symbolic links. Names have one
 * character a byte.
 */
import type { SeenMapping, StoredFile } from '../../replay/timeline/state.js';
import { linkEntries, linkName } from './linkMap.js';
import type { ProgramView } from './programView.js';

export class RecordedFiles {
  private readonly known = new Map<string, StoredFile>();

  find(path: string): StoredFile | undefined {
    return this.known.get(path);
  }

  /** Remembers all that is mapped now. `linker`: where the dynamic linker is, which may not have made its list yet. */
  collect(program: ProgramView, linker?: number): void {
    const mappings = program.state.mappings(program.thread.id);
    for (const { file } of mappings) if (file !== undefined) this.add(file.path, file);
    const interpreter = program.modules.main?.file.elf.interpreter;
    if (interpreter !== undefined && linker !== undefined) this.add(interpreter, fileAt(mappings, linker));
    for (const entry of linkEntries(program)) {
      const name = String.fromCharCode(...linkName(program, entry));
      if (name !== '') this.add(name, fileAt(mappings, Number(entry.dynamic)));
    }
  }

  private add(name: string, file: StoredFile | undefined): void {
    if (file !== undefined && !this.known.has(name)) this.known.set(name, file);
  }
}

function fileAt(mappings: readonly SeenMapping[], address: number): StoredFile | undefined {
  return mappings.find(({ start, end }) => address >= start && address < end)?.file;
}
