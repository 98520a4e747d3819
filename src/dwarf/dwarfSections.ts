/**
 * The debug sections of one file, by name, unpacked when first asked for: plain, compressed as ELF has it
 * (SHF_COMPRESSED, by zlib or zstd), or as GNU tools once did (.zdebug_*). How to inflate is the caller's: we know no
 * libraries.
 */
import type { ElfFile } from '../elf/elfFile.js';
import { SHF, SHT, type Section } from '../elf/elfSections.js';
import { unpackZstd } from '../elf/zstd/unpackZstd.js';
import { DwarfError } from './dwarfError.js';
import { DwarfReader } from './dwarfReader.js';

/** Unpacks a zlib stream whose result has `length` bytes. May throw anything. */
export type Inflate = (stored: Uint8Array, length: number) => Uint8Array;

/** One section: its bytes, and where it lies in memory (0 if nowhere). */
export interface SectionBytes {
  readonly bytes: Uint8Array;
  readonly address: number;
}

/** Where sections come from: a file, or what a package has of one. */
export interface SectionSource {
  readonly path: string;
  find(name: string): SectionBytes | undefined;
}

/** ch_type of a compressed section. */
const COMPRESSED = { ZLIB: 1, ZSTD: 2 } as const;
const ELF_COMPRESSION_HEADER = 24;
const GNU_COMPRESSION_HEADER = 12;
/**
 * zlib cannot do better than about 1:1032, and who else does better does it for zeros: a larger promise is a lie that
 * would cost us memory.
 */
const BEST_RATIO = 1100;
/**
 * Debug information is a tenth of its size at best: what promises much more, and is not small, is there to fill our
 * memory.
 */
const USUAL_RATIO = 100;
const HARMLESS = 64 * 1024 * 1024;
const LARGEST = 2 ** 31 - 1;

export class DwarfSections implements SectionSource {
  private readonly known = new Map<string, SectionBytes | undefined>();

  constructor(
    private readonly elf: Pick<ElfFile, 'path' | 'section' | 'contents'> & Partial<Pick<ElfFile, 'sections'>>,
    private readonly inflate?: Inflate,
  ) {}

  get path(): string {
    return this.elf.path;
  }

  /** The section's bytes, unpacked; undefined if the file has none, or only its header. */
  find(name: string): SectionBytes | undefined {
    if (!this.known.has(name)) this.known.set(name, this.load(name));
    return this.known.get(name);
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** A cursor at the section's start. */
  reader(name: string): DwarfReader | undefined {
    const found = this.find(name);
    return found === undefined ? undefined : new DwarfReader(name, found.bytes);
  }

  private load(name: string): SectionBytes | undefined {
    const section = this.elf.section(name);
    if (section !== undefined) return name.endsWith('.dwo') ? this.joined(name, section) : this.contents(name, section);
    const old = name.startsWith('.debug_') ? this.elf.section(`.z${name.slice(1)}`) : undefined;
    if (old === undefined || old.type === SHT.NOBITS) return undefined;
    return { bytes: this.unpackGnu(name, this.elf.contents(old)), address: 0 };
  }

  /** No linker has seen .dwo files: each type unit of them is in a section of its own. */
  private joined(name: string, first: Section): SectionBytes | undefined {
    const all = this.elf.sections?.filter((section) => section.name === name) ?? [first];
    if (all.length < 2) return this.contents(name, first);
    const parts = all.map((section) => this.contents(name, section)?.bytes ?? new Uint8Array(0));
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
    return { bytes, address: 0 };
  }

  private contents(name: string, section: Section): SectionBytes | undefined {
    if (section.type === SHT.NOBITS || section.size === 0) return undefined;
    const stored = this.elf.contents(section);
    const bytes = (section.flags & SHF.COMPRESSED) === 0 ? stored : this.unpackElf(name, stored);
    return { bytes, address: section.address };
  }

  private unpackElf(name: string, stored: Uint8Array): Uint8Array {
    const reader = new DwarfReader(name, stored);
    const kind = reader.u32();
    if (kind !== COMPRESSED.ZLIB && kind !== COMPRESSED.ZSTD) reader.fail(`section is compressed in a way we do not know (${kind})`, 0);
    reader.skip(4);
    return this.unpack(name, stored.subarray(ELF_COMPRESSION_HEADER), reader.u64(), kind === COMPRESSED.ZSTD ? unpackZstd : this.inflate);
  }

  private unpackGnu(name: string, stored: Uint8Array): Uint8Array {
    const reader = new DwarfReader(name, stored);
    if (String.fromCharCode(...reader.take(4)) !== 'ZLIB') return stored;
    const length = reader.take(8).reduce((sum, byte) => sum * 256 + byte, 0);
    return this.unpack(name, stored.subarray(GNU_COMPRESSION_HEADER), length, this.inflate);
  }

  private unpack(name: string, packed: Uint8Array, length: number, inflate: Inflate | undefined): Uint8Array {
    const bad = (problem: string): never => {
      throw new DwarfError(name, 0, problem);
    };
    if (inflate === undefined) return bad('section is compressed');
    if (length > packed.length * BEST_RATIO) return bad('section claims to be larger than it can be');
    if (length > Math.max(HARMLESS, packed.length * USUAL_RATIO) || length > LARGEST) return bad(`section would have ${length} bytes, which is more than we unpack`);
    let result: Uint8Array;
    try {
      result = inflate(packed, length);
    } catch {
      return bad('section cannot be unpacked');
    }
    return result.length === length ? result : bad('section has another length than it says');
  }
}
