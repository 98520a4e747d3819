/**
 * The little that the loader needs from a file system. Paths have one character per byte, as
 * everywhere in the kernel; failures are negative error numbers.
 */
import type { ElfSource } from '../../elf/elfReader.js';
import type { MappableFile } from '../../machine/mapping.js';

export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  /** Whether we may execute it. */
  readonly executable: boolean;
}

export interface ProgramFile {
  /** Absolute and without symbolic links: what /proc/self/exe and /proc/self/maps show. */
  readonly realPath: string;
  readonly contents: ElfSource;
  readonly mappable: MappableFile;
}

export interface LoaderFiles {
  stat(path: string): FileFacts | number;
  open(path: string): ProgramFile | number;
}

/** A file whose contents are all here already. */
export function mappableBytes(path: string, device: number, inode: number, bytes: Uint8Array): MappableFile {
  return {
    path, device, inode,
    size: bytes.length,
    read(offset, target) {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
  };
}
