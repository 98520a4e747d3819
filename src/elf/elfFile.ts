/**
 * One ELF file for x86-64, from its bytes. The header and the program headers are checked at once;
 * sections, symbols and notes when a caller asks for them, for a program runs without.
 */
import { ElfReader, type ElfSource } from './elfReader.js';
import { ET, PF, PT, parseHeader, parseSegments, type ElfHeader, type Segment } from './elfHeader.js';
import { buildIdOf, parseNotes, type Note } from './elfNotes.js';
import { SHT, parseSections, type Section } from './elfSections.js';
import { ElfSymbols } from './elfSymbols.js';

const PATH_MAX = 4096;

export class ElfFile {
  readonly header: ElfHeader;
  readonly segments: readonly Segment[];
  private readonly reader: ElfReader;
  private sectionList: readonly Section[] | undefined;
  private symbolTable: ElfSymbols | undefined;

  /** Throws an ElfError if this is not an x86-64 ELF file. `path` is for messages. */
  constructor(
    readonly path: string,
    contents: Uint8Array | ElfSource,
  ) {
    this.reader = new ElfReader(path, contents);
    this.header = parseHeader(this.reader);
    this.segments = parseSegments(this.reader, this.header);
  }

  /** Throws an ElfError unless this can be run or be an interpreter: what the loader relies on. */
  checkLoadable(): void {
    const { reader, header } = this;
    if (header.type !== ET.EXEC && header.type !== ET.DYN) {
      const kind = header.type === ET.REL ? 'an object file' : header.type === ET.CORE ? 'a core dump' : `of type ${header.type}`;
      reader.fail(`cannot execute: ELF file is ${kind}, not a program`);
    }
    const loads = this.loads;
    if (loads.length === 0) reader.fail('corrupt ELF file: nothing to load');
    let last = -1;
    for (const segment of loads) {
      this.checkSegment(segment);
      if (segment.address < last) reader.fail('corrupt ELF file: segments are not in order of address');
      last = segment.address;
    }
  }

  get loads(): readonly Segment[] {
    return this.segments.filter((s) => s.type === PT.LOAD);
  }

  /** The program interpreter's path (PT_INTERP), one character a byte; undefined for static programs. */
  get interpreter(): string | undefined {
    const segment = this.segments.find((s) => s.type === PT.INTERP);
    if (segment === undefined) return undefined;
    if (segment.fileSize < 2 || segment.fileSize > PATH_MAX) this.reader.fail('corrupt ELF file: interpreter path');
    const bytes = this.reader.slice(segment.offset, segment.fileSize, 'interpreter path');
    if (bytes[bytes.length - 1] !== 0) this.reader.fail('corrupt ELF file: interpreter path is not terminated');
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  }

  /** Whether the program asks for an executable stack, as Linux decides it for x86-64. */
  get executableStack(): boolean {
    const segment = this.segments.find((s) => s.type === PT.GNU_STACK);
    return segment !== undefined && (segment.flags & PF.X) !== 0;
  }

  get sections(): readonly Section[] {
    this.sectionList ??= parseSections(this.reader, this.header);
    return this.sectionList;
  }

  section(name: string): Section | undefined {
    return this.sections.find((s) => s.name === name);
  }

  /** The bytes of a section as they are in the file; empty for .bss and the like. */
  contents(section: Section): Uint8Array {
    if (section.type === SHT.NOBITS) return new Uint8Array(0);
    return this.reader.slice(section.offset, section.size, `contents of ${section.name}`);
  }

  /** The part of a segment that is in the file. */
  segmentBytes(segment: Segment): Uint8Array {
    return this.reader.slice(segment.offset, segment.fileSize, 'segments');
  }

  get symbols(): ElfSymbols {
    this.symbolTable ??= new ElfSymbols(this.reader, this.sections);
    return this.symbolTable;
  }

  notes(): Note[] {
    return this.segments
      .filter((s) => s.type === PT.NOTE)
      .flatMap((s) => parseNotes(this.reader.slice(s.offset, s.fileSize, 'notes'), s.align));
  }

  /**
   * The build id in hex, or undefined. Files that are not for running, such as those of dwz, have it in a section only.
   */
  get buildId(): string | undefined {
    if (this.segments.length > 0) return buildIdOf(this.notes());
    const section = this.section('.note.gnu.build-id');
    return section === undefined ? undefined : buildIdOf(parseNotes(this.contents(section), section.align));
  }

  private checkSegment(s: Segment): void {
    const { reader } = this;
    if (s.fileSize > s.memorySize) reader.fail('corrupt ELF file: segment is larger in the file than in memory');
    reader.need(s.offset, s.fileSize, 'segments');
    if (s.address + s.memorySize > 0x7fff_ffff_f000) reader.fail('corrupt ELF file: segment lies outside user memory');
    if (s.align > 1 && !Number.isInteger(Math.log2(s.align))) reader.fail('corrupt ELF file: segment alignment is no power of two');
    if (s.address % 4096 !== s.offset % 4096) reader.fail('corrupt ELF file: segment address and offset do not agree');
  }
}
