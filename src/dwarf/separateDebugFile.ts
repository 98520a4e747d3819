/**
 * Debug information in a file of its own: where it may be, and whether a file is the right one. Reading files is the
 * caller's; this knows the names (Debian's and GDB's layout).
 */
import type { ElfFile } from '../elf/elfFile.js';
import { DwarfReader } from './dwarfReader.js';

/** .gnu_debuglink: a name without directory, and the checksum of the file meant. */
interface DebugLink {
  readonly name: string;
  readonly checksum: number;
}

/** .gnu_debugaltlink: what dwz moved out of several files; a path, and the build id of the file meant, in hex. */
interface SupplementaryLink {
  readonly path: string;
  readonly buildId: string;
}

const DEBUG_ROOTS: readonly string[] = ['/usr/lib/debug'];

export function debugLinkOf(elf: ElfFile): DebugLink | undefined {
  const reader = sectionReader(elf, '.gnu_debuglink');
  if (reader === undefined) return undefined;
  const name = reader.cString();
  reader.position = Math.ceil(reader.position / 4) * 4;
  return { name, checksum: reader.u32() };
}

export function supplementaryLinkOf(elf: ElfFile): SupplementaryLink | undefined {
  const reader = sectionReader(elf, '.gnu_debugaltlink');
  if (reader === undefined) return undefined;
  const path = reader.cString();
  return { path, buildId: hexOf(reader.take(reader.end - reader.position)) };
}

/** Where the debug file of a program or library at `path` may be, the likeliest first. */
export function debugFilePaths(elf: ElfFile, path: string, roots: readonly string[] = DEBUG_ROOTS): string[] {
  const { buildId } = elf;
  const byId = buildId === undefined ? [] : roots.map((root) => buildIdPath(buildId, root));
  const link = debugLinkOf(elf);
  // A name with a directory would lead anywhere.
  if (link === undefined || link.name === '' || link.name.includes('/')) return byId;
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  const near = [`${directory}${link.name}`, `${directory}.debug/${link.name}`].filter((candidate) => candidate !== path);
  return [...byId, ...near, ...roots.map((root) => `${root}${directory.startsWith('/') ? '' : '/'}${directory}${link.name}`)];
}

/** Where the supplementary file of the debug file at `path` may be. */
export function supplementaryPaths(link: SupplementaryLink, path: string, roots: readonly string[] = DEBUG_ROOTS): string[] {
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return [link.path.startsWith('/') ? link.path : directory + link.path, ...roots.map((root) => buildIdPath(link.buildId, root))];
}

/** Where debug files are by build id (hex). */
function buildIdPath(buildId: string, root: string = DEBUG_ROOTS[0] as string): string {
  return `${root}/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`;
}

/** Whether `candidate` has the debug information of `elf`: by build id if both have one, otherwise by checksum. */
export function isDebugFileOf(elf: ElfFile, candidate: ElfFile, contents: () => Uint8Array): boolean {
  const [wanted, found] = [elf.buildId, candidate.buildId];
  if (wanted !== undefined && found !== undefined) return wanted === found;
  const link = debugLinkOf(elf);
  return link !== undefined && debugLinkChecksum(contents()) === link.checksum;
}

/** CRC-32 as .gnu_debuglink has it. */
export function debugLinkChecksum(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
    return crc;
  });
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffff_ffff) >>> 0;
}

function sectionReader(elf: ElfFile, name: string): DwarfReader | undefined {
  const section = elf.section(name);
  return section === undefined ? undefined : new DwarfReader(name, elf.contents(section));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
