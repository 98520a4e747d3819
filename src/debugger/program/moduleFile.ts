/**
 * A program or library as a file: its ELF, symbols, debug information and unwinding tables. Read when first asked for,
 * and only once however often it is mapped. Debug information may lie in separate files of this machine.
 */
import { CallFrames } from '../../dwarf/callFrames.js';
import { DebugInfo } from '../../dwarf/debugInfo.js';
import { DwarfSections } from '../../dwarf/dwarfSections.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { joinPath } from '../../dwarf/lineHeader.js';
import { debugFilePaths, isDebugFileOf, supplementaryLinkOf, supplementaryPaths } from '../../dwarf/separateDebugFile.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import { PF } from '../../elf/elfHeader.js';
import type { ElfSymbol, SymbolOffset } from '../../elf/elfSymbols.js';
import type { DebugFiles } from './debugFiles.js';
import { type LineRange, LineRanges } from './lineRanges.js';
import { type Probe, readProbes } from './probes.js';

/** The section of symbols that are numbers and no places, such as names of versions. */
const ABSOLUTE = 0xfff1;

export class ModuleFile {
  readonly sections: DwarfSections;
  /** Numbers of symbols in .dynsym by the pointers that the linker sets to them; linkage.ts makes it when asked. */
  relocated: ReadonlyMap<number, number> | undefined;
  private debugInfo: DebugInfo | null | undefined;
  private separate: { readonly elf: ElfFile; readonly sections: DwarfSections } | null | undefined;
  private ranges: LineRanges | undefined;
  private probeList: readonly Probe[] | undefined;
  private callFrames: CallFrames | undefined;

  constructor(
    readonly path: string,
    readonly elf: ElfFile,
    private readonly host: DebugFiles,
  ) {
    this.sections = new DwarfSections(elf, host.inflate);
  }

  /** Undefined if it has no debug information, nor anybody else for it. */
  get info(): DebugInfo | undefined {
    if (this.debugInfo === undefined) this.debugInfo = this.openInfo() ?? null;
    return this.debugInfo ?? undefined;
  }

  get frames(): CallFrames {
    this.callFrames ??= CallFrames.of(this.sections, this.debugFile?.sections);
    return this.callFrames;
  }

  /** Lines with their ranges of addresses (without bias), as gdb has them. */
  lineRangeAt(address: number): LineRange | undefined {
    const { info } = this;
    if (info === undefined) return undefined;
    this.ranges ??= new LineRanges(info);
    const { ranges } = this;
    return unlessCorrupt(() => ranges.at(address), () => undefined);
  }

  /** Places that it marks for debuggers. */
  get probes(): readonly Probe[] {
    this.probeList ??= unlessBroken(() => readProbes(this.elf)) ?? [];
    return this.probeList;
  }

  /** Where the debug information was read from, if not from the file itself. */
  get debugPath(): string | undefined {
    return this.debugFile?.elf.path;
  }

  /** The function or variable around an address (without bias), with debug files' symbols before the file's own. */
  symbolAt(address: number): SymbolOffset | undefined {
    for (const elf of this.symbolFiles()) {
      const found = unlessBroken(() => elf.symbols.lookup(address));
      if (found !== undefined && found.symbol.section !== ABSOLUTE) return found;
    }
    return undefined;
  }

  symbolNamed(name: string): ElfSymbol | undefined {
    for (const elf of this.symbolFiles()) {
      const found = unlessBroken(() => elf.symbols.find(name));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All there are; those of the debug file may repeat. */
  *symbols(): Generator<ElfSymbol> {
    for (const elf of this.symbolFiles()) yield* elf.symbols.all();
  }

  /** Code as it is in the file (address without bias). */
  readonly readCode = (address: number, size: number): Uint8Array | undefined => {
    const segment = this.elf.loads.find((s) => address >= s.address && address < s.address + s.fileSize);
    return segment === undefined ? undefined : this.elf.segmentBytes(segment).subarray(address - segment.address, address - segment.address + size);
  };

  private symbolFiles(): ElfFile[] {
    const { debugFile } = this;
    return debugFile === undefined ? [this.elf] : [debugFile.elf, this.elf];
  }

  private get debugFile(): { readonly elf: ElfFile; readonly sections: DwarfSections } | undefined {
    if (this.separate === undefined) this.separate = (this.elf.section('.debug_info') === undefined && this.elf.section('.zdebug_info') === undefined ? this.openSeparate() : undefined) ?? null;
    return this.separate ?? undefined;
  }

  private openSeparate(): { elf: ElfFile; sections: DwarfSections } | undefined {
    for (const path of unlessCorrupt(() => debugFilePaths(this.elf, this.path), () => [])) {
      const bytes = this.host.read(path);
      const elf = bytes === undefined ? undefined : openElf(path, bytes);
      if (bytes !== undefined && elf !== undefined && isDebugFileOf(this.elf, elf, () => bytes)) return { elf, sections: new DwarfSections(elf, this.host.inflate) };
    }
    return undefined;
  }

  private openInfo(): DebugInfo | undefined {
    const sections = this.debugFile?.sections ?? this.sections;
    const holder = this.debugFile?.elf ?? this.elf;
    const supplementary = unlessCorrupt(() => this.openSupplementary(holder), () => undefined);
    const info = new DebugInfo(sections, {
      ...(supplementary === undefined ? {} : { supplementary }),
      lowestAddress: Math.max(1, Math.min(...this.elf.loads.filter((s) => (s.flags & PF.X) !== 0).map((s) => s.address))),
      openSplitFile: (name, directory) => this.openSplit([joinPath(directory, name), this.besides(name)]),
      openPackage: () => this.openSplit([`${holder.path}.dwp`, `${this.path}.dwp`]),
    });
    return unlessCorrupt(() => info.isPresent, () => false) ? info : undefined;
  }

  private openSupplementary(holder: ElfFile): DebugInfo | undefined {
    const link = supplementaryLinkOf(holder);
    if (link === undefined) return undefined;
    for (const path of supplementaryPaths(link, holder.path)) {
      const bytes = this.host.read(path);
      const elf = bytes === undefined ? undefined : openElf(path, bytes);
      if (elf !== undefined && elf.buildId === link.buildId) return new DebugInfo(new DwarfSections(elf, this.host.inflate));
    }
    return undefined;
  }

  /** Split debug information, where it was made or beside the program. */
  private openSplit(paths: readonly string[]): DwarfSections | undefined {
    for (const path of new Set(paths)) {
      const bytes = this.host.read(path);
      const elf = bytes === undefined ? undefined : openElf(path, bytes);
      if (elf !== undefined) return new DwarfSections(elf, this.host.inflate);
    }
    return undefined;
  }

  private besides(name: string): string {
    return this.path.slice(0, this.path.lastIndexOf('/') + 1) + name.slice(name.lastIndexOf('/') + 1);
  }
}

/** Undefined if these bytes are none. */
export function openElf(path: string, bytes: Uint8Array): ElfFile | undefined {
  return unlessBroken(() => new ElfFile(path, bytes));
}

/** Damaged files have no symbols, rather than ending what the user was doing. */
function unlessBroken<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ElfError)) throw error;
    return undefined;
  }
}
