/** Names for places in a recorded program's code, from the files that are stored in the recording. */
import { shownPath } from '../../base/bytePath.js';
import { hex } from '../../base/types.js';
import { symbolAt } from '../../linux/tasks/codeNames.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { StoredElfs } from './storedElfs.js';

export class StoredNames {
  private readonly elfs = new StoredElfs();

  /** "0x401136 <symbol+0x1c> (program)", or as much of it as can be known. */
  describe(space: AddressSpace, address: number): string {
    const mapping = space.find(address);
    if (mapping === undefined) return hex(address);
    const name = this.find(space, address);
    const file = mapping.name.slice(mapping.name.lastIndexOf('/') + 1);
    return `${hex(address)}${name === undefined ? '' : ` <${name}>`}${file === '' ? '' : ` (${shownPath(file)})`}`;
  }

  /** "symbol+0x1c". */
  find(space: AddressSpace, address: number): string | undefined {
    const mapping = space.find(address);
    if (mapping?.file === undefined) return undefined;
    const elf = this.elfs.of(mapping.file);
    return elf === undefined ? undefined : symbolAt(elf, mapping, address);
  }
}
