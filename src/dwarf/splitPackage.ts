/**
 * A package of split DWARF (.dwp): what was in many .dwo files, section by section one after the other, and two indices
 * that say which part of each section belongs to a unit (by the id that its skeleton has) or to a type (by its
 * signature). So a unit's part is as good as its file. Version 5 is DWARF's (7.3.5), version 2 what GNU tools did
 * before that.
 */
import { DwarfReader } from './dwarfReader.js';
import type { SectionBytes, SectionSource } from './dwarfSections.js';

/** Sections by the numbers of columns. */
const OLD_SECTIONS: readonly (string | undefined)[] = [undefined, 'info', 'types', 'abbrev', 'line', 'loc', 'str_offsets', 'macinfo', 'macro'];
const SECTIONS: readonly (string | undefined)[] = [undefined, 'info', undefined, 'abbrev', 'line', 'loclists', 'str_offsets', 'macro', 'rnglists'];
/** One for all units. */
const SHARED: ReadonlySet<string> = new Set(['.debug_str.dwo', '.debug_line_str.dwo']);

/** Where the units themselves are. */
const ENTRIES: ReadonlySet<string> = new Set(['.debug_info.dwo', '.debug_types.dwo']);

interface Part {
  readonly offset: number;
  readonly size: number;
}

/** By section. */
type Parts = ReadonlyMap<string, Part>;

export class SplitPackage {
  private constructor(
    private readonly file: SectionSource,
    private readonly units: UnitIndex | undefined,
    private readonly typeIndex: UnitIndex | undefined,
  ) {}

  /** Undefined if there is none. Throws a DwarfError if its indices make no sense. */
  static of(file: SectionSource | undefined): SplitPackage | undefined {
    if (file === undefined) return undefined;
    return new SplitPackage(file, UnitIndex.of(file, '.debug_cu_index'), UnitIndex.of(file, '.debug_tu_index'));
  }

  /** What the .dwo file of that unit had. */
  unit(id: bigint): SectionSource | undefined {
    const parts = this.units?.partsOf(id);
    return parts === undefined ? undefined : this.sectionsOf(parts, [parts]);
  }

  /** Types that have all but their entries in common, which are those of one file. */
  types(): SectionSource[] {
    const files = new Map<string, Parts[]>();
    for (const parts of this.typeIndex?.all() ?? []) {
      const rest = [...parts].filter(([name]) => !ENTRIES.has(name)).flatMap(([name, { offset }]) => [name, offset]).join();
      const known = files.get(rest);
      if (known === undefined) files.set(rest, [parts]);
      else known.push(parts);
    }
    return [...files.values()].map((types) => this.sectionsOf(types[0] as Parts, types));
  }

  private sectionsOf(first: Parts, all: readonly Parts[]): SectionSource {
    const { file } = this;
    const find = (name: string): SectionBytes | undefined => {
      const section = file.find(name);
      if (section === undefined || SHARED.has(name)) return section;
      return ENTRIES.has(name) ? joined(section, all.map((parts) => parts.get(name))) : cut(section, first.get(name));
    };
    return { path: file.path, find };
  }
}

function joined(section: SectionBytes, parts: readonly (Part | undefined)[]): SectionBytes | undefined {
  if (parts.length === 1) return cut(section, parts[0]);
  const pieces = parts.flatMap((part) => cut(section, part)?.bytes ?? []);
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  pieces.reduce((at, piece) => (bytes.set(piece, at), at + piece.length), 0);
  return bytes.length === 0 ? undefined : { bytes, address: 0 };
}

function cut(section: SectionBytes, part: Part | undefined): SectionBytes | undefined {
  if (part === undefined || part.size === 0) return undefined;
  return { bytes: section.bytes.subarray(part.offset, part.offset + part.size), address: section.address };
}

/** One index: a hash table of ids, whose slots have numbers of rows. */
class UnitIndex {
  private rows: Map<bigint, number> | undefined;

  private constructor(
    private readonly reader: DwarfReader,
    private readonly names: readonly (string | undefined)[],
    private readonly count: number,
    private readonly slots: number,
    /** Where the hash table begins, and the columns. */
    private readonly hashes: number,
    private readonly table: number,
  ) {}

  static of(file: SectionSource, name: string): UnitIndex | undefined {
    const bytes = file.find(name)?.bytes;
    if (bytes === undefined) return undefined;
    const reader = new DwarfReader(name, bytes);
    // Of version 5 the upper half is padding.
    const version = reader.u32() & 0xffff;
    if (version !== 2 && version !== 5) reader.fail(`version ${version} of the index is not known`, 0);
    const [columns, count, slots] = [reader.u32(), reader.u32(), reader.u32()];
    const hashes = reader.position;
    const table = hashes + slots * 12;
    reader.need(slots * 12 + (slots === 0 ? 0 : columns * 4 * (1 + 2 * count)));
    const known = version === 5 ? SECTIONS : OLD_SECTIONS;
    reader.position = table;
    const names = slots === 0 ? [] : Array.from({ length: columns }, () => sectionName(known[reader.u32()]));
    return new UnitIndex(reader, names, count, slots, hashes, table);
  }

  *all(): Generator<Parts> {
    this.rows ??= this.readRows();
    for (const row of this.rows.values()) yield this.parts(row);
  }

  partsOf(id: bigint): Parts | undefined {
    this.rows ??= this.readRows();
    const row = this.rows.get(id);
    return row === undefined ? undefined : this.parts(row);
  }

  private parts(row: number): Parts {
    const { reader, names, table, count } = this;
    const width = names.length * 4;
    const parts = new Map<string, Part>();
    names.forEach((name, column) => {
      if (name === undefined) return;
      reader.position = table + row * width + column * 4;
      const offset = reader.u32();
      reader.position = table + (count + row) * width + column * 4;
      parts.set(name, { offset, size: reader.u32() });
    });
    return parts;
  }

  private readRows(): Map<bigint, number> {
    const { reader, slots, hashes, count } = this;
    const rows = new Map<bigint, number>();
    for (let slot = 0; slot < slots; slot++) {
      reader.position = hashes + slots * 8 + slot * 4;
      const row = reader.u32();
      if (row === 0 || row > count) continue;
      reader.position = hashes + slot * 8;
      rows.set(reader.u64Big(), row);
    }
    return rows;
  }
}

function sectionName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `.debug_${name}.dwo`;
}
