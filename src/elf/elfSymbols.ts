/**
 * Symbols by address and by name. A program may have a hundred thousand, and most runs ask for
 * none or for three: nothing is built before the first question, then two typed arrays in order of
 * address; names stay in the file's string table until one is wanted.
 */
import { visible } from '../base/visible.js';
import type { ElfReader } from './elfReader.js';
import { SHT, type Section } from './elfSections.js';

export const STT = { NOTYPE: 0, OBJECT: 1, FUNC: 2, SECTION: 3, FILE: 4, TLS: 6, GNU_IFUNC: 10 } as const;
export const STB = { LOCAL: 0, GLOBAL: 1, WEAK: 2 } as const;

export interface ElfSymbol {
  readonly name: string;
  /** As in the file: without the load bias. */
  readonly address: number;
  readonly size: number;
  /** One of STT. */
  readonly type: number;
  /** One of STB. */
  readonly binding: number;
  readonly section: number;
}

/** A place relative to a symbol. */
export interface SymbolOffset {
  readonly symbol: ElfSymbol;
  readonly offset: number;
}

interface Table {
  readonly offset: number;
  readonly count: number;
  readonly names: Section;
}

const SYM_SIZE = 24;
/** Section of what is defined elsewhere. */
const UNDEFINED = 0;
/** How many symbols may start between that of a function and an address in it. */
const LOOK_BACK = 64;

export class ElfSymbols {
  private readonly tables: readonly Table[];
  /** Addresses in order, and the file offset of each one's symbol. */
  private sorted: { readonly addresses: Float64Array; readonly entries: Float64Array } | undefined;
  private byName: Map<string, number> | undefined;

  /** Throws an ElfError if a symbol table lies outside the file. */
  constructor(
    private readonly reader: ElfReader,
    sections: readonly Section[],
  ) {
    this.tables = [SHT.SYMTAB, SHT.DYNSYM].flatMap((type) => findTable(reader, sections, type));
  }

  /** All defined symbols that have a name, in file order; made as they are asked for. */
  *all(): Generator<ElfSymbol> {
    for (const at of this.entries()) yield this.symbolAt(at);
  }

  /** Those that the file wants others to define. */
  *undefined(): Generator<ElfSymbol> {
    for (const at of this.entries((section) => section === UNDEFINED)) yield this.symbolAt(at);
  }

  /** The symbol of that name: global before weak before local. Linear in the number of symbols the first time. */
  find(name: string): ElfSymbol | undefined {
    this.byName ??= this.buildNames();
    const at = this.byName.get(name);
    return at === undefined ? undefined : this.symbolAt(at);
  }

  /**
   * The function or object that `address` (without load bias) lies in; failing that, the nearest
   * symbol below that does not say how long it is (labels of assembly code).
   */
  lookup(address: number): SymbolOffset | undefined {
    this.sorted ??= this.buildSorted();
    const { addresses, entries } = this.sorted;
    let low = 0;
    let high = addresses.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((addresses[middle] as number) <= address) low = middle + 1;
      else high = middle;
    }
    let label: ElfSymbol | undefined;
    for (let i = low - 1; i >= Math.max(0, low - LOOK_BACK); i--) {
      const symbol = this.symbolAt(entries[i] as number);
      if (address < symbol.address + symbol.size) return { symbol, offset: address - symbol.address };
      if (symbol.size === 0) label ??= symbol;
    }
    return label === undefined ? undefined : { symbol: label, offset: address - label.address };
  }

  private symbolAt(at: number): ElfSymbol {
    const { reader } = this;
    const names = this.namesFor(at);
    const info = reader.u8(at + 4);
    return {
      name: visible(reader.cString(names.offset, names.size, reader.u32(at))),
      address: reader.u64(at + 8),
      size: reader.u64(at + 16),
      type: info & 15,
      binding: info >> 4,
      section: reader.u16(at + 6),
    };
  }

  private namesFor(at: number): Section {
    const table = this.tables.find((t) => at >= t.offset && at < t.offset + t.count * SYM_SIZE) as Table;
    return table.names;
  }

  /** File offsets of named symbols: of the defined ones, unless the caller says otherwise. */
  private *entries(isWanted = (section: number): boolean => section !== UNDEFINED): Generator<number> {
    for (const table of this.tables) {
      for (let i = 1; i < table.count; i++) {
        const at = table.offset + i * SYM_SIZE;
        if (isWanted(this.reader.u16(at + 6)) && this.reader.u32(at) !== 0) yield at;
      }
    }
  }

  private buildNames(): Map<string, number> {
    const names = new Map<string, number>();
    for (const at of this.entries()) {
      const { name } = this.symbolAt(at);
      const known = names.get(name);
      if (known === undefined || rank(this.binding(at)) > rank(this.binding(known))) names.set(name, at);
    }
    return names;
  }

  private binding(at: number): number {
    return this.reader.u8(at + 4) >> 4;
  }

  private buildSorted(): { addresses: Float64Array; entries: Float64Array } {
    const found: number[] = [];
    for (const at of this.entries()) {
      if (hasAddress(this.reader.u8(at + 4) & 15)) found.push(at);
    }
    const { reader } = this;
    // Among equal addresses the last one wins in lookup: one with a size, and as in gdb the last one by name (`printf`,
    // not `_IO_printf`).
    const hasSize = (at: number): number => (reader.u64(at + 16) > 0 ? 1 : 0);
    found.sort((a, b) => reader.u64(a + 8) - reader.u64(b + 8) || hasSize(a) - hasSize(b) || (this.symbolAt(a).name < this.symbolAt(b).name ? -1 : 1));
    const entries = Float64Array.from(found);
    return { entries, addresses: entries.map((at) => reader.u64(at + 8)) };
  }
}

function findTable(reader: ElfReader, sections: readonly Section[], type: number): Table[] {
  const section = sections.find((s) => s.type === type);
  const names = section === undefined ? undefined : sections[section.link];
  if (section === undefined || names === undefined) return [];
  reader.need(section.offset, section.size, 'symbols');
  reader.need(names.offset, names.size, 'symbol names');
  return [{ offset: section.offset, count: Math.floor(section.size / SYM_SIZE), names }];
}

/** Code and data; not files, sections or offsets into thread-local storage. */
function hasAddress(type: number): boolean {
  return type === STT.NOTYPE || type === STT.OBJECT || type === STT.FUNC || type === STT.GNU_IFUNC;
}

function rank(binding: number): number {
  return binding === STB.GLOBAL ? 2 : binding === STB.WEAK ? 1 : 0;
}
