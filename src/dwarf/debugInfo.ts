/**
 * The debug information of one file. Opening it reads nothing; the first question walks over the headers of units;
 * entries are read one by one as they are asked for. Units that make no sense are left out and named in `problems`.
 */
import { AbbreviationTables } from './abbreviations.js';
import { AddressIndex } from './addressIndex.js';
import type { Die } from './die.js';
import { DwarfError } from './dwarfError.js';
import { DwarfReader } from './dwarfReader.js';
import type { SectionSource } from './dwarfSections.js';
import { findImporters } from './imports.js';
import type { UnitNames } from './lineHeader.js';
import { LineTable } from './lineTable.js';
import { NameIndex } from './nameIndex.js';
import type { Scope } from './scope.js';
import { SourceIndex } from './sourceIndex.js';
import { SplitFiles, type SplitOptions } from './splitFiles.js';
import { TypeTable } from './typeTable.js';
import { Unit } from './unit.js';
import { readUnitHeaders } from './unitHeader.js';

interface DebugInfoOptions extends SplitOptions {
  /** What dwz moved out of this file (.gnu_debugaltlink). */
  readonly supplementary?: DebugInfo;
  /** Code below this address was thrown away by the linker, which leaves addresses near zero. */
  readonly lowestAddress?: number;
}

/** What was found out about addresses: debuggers ask for the same places again and again. */
class KnownPlaces<T> {
  private readonly known = new Map<number, T>();

  constructor(private readonly most = 4096) {}

  at(address: number, find: () => T): T {
    const known = this.known.get(address);
    if (known !== undefined) return known;
    const found = find();
    if (this.known.size >= this.most) this.known.clear();
    this.known.set(address, found);
    return found;
  }
}

export class DebugInfo {
  /** Scopes around addresses, innermost first. */
  readonly scopeChains = new KnownPlaces<readonly Scope[]>();
  readonly problems: DwarfError[] = [];
  readonly lowestAddress: number;
  private unitList: readonly Unit[] | undefined;
  private typeUnitList: readonly Unit[] = [];
  private signatures: Map<bigint, Unit> | undefined;
  private abbreviationTables: AbbreviationTables | undefined;
  private readonly readers = new Map<string, DwarfReader | undefined>();
  private addressIndex: AddressIndex | undefined;
  private sourceIndex: SourceIndex | undefined;
  private typeTable: TypeTable | undefined;
  private nameIndex: NameIndex | undefined;
  private importers: Map<Unit, Unit> | undefined;
  /** Files that this one is supplementary to. */
  private readonly users: DebugInfo[] = [];
  private readonly lineStrings = new Map<number, string>();
  private readonly lineTables = new Map<number, LineTable>();
  private readonly splitFiles: SplitFiles;

  constructor(
    readonly sections: SectionSource,
    private readonly options: DebugInfoOptions = {},
    /** Of a .dwo file: whose entries it has. */
    private readonly skeleton?: Unit,
  ) {
    this.lowestAddress = options.lowestAddress ?? 1;
    options.supplementary?.users.push(this);
    this.splitFiles = new SplitFiles(this, options, (split, owner) => new DebugInfo(split, { lowestAddress: this.lowestAddress }, owner));
  }

  /** Whether there is any. */
  get isPresent(): boolean {
    return this.reader('.debug_info') !== undefined;
  }

  /** Compile, partial and type units of .debug_info, in its order; skeletons as they are (see `Unit.full`). */
  get units(): readonly Unit[] {
    this.unitList ??= this.readUnits('.debug_info', false);
    return this.unitList;
  }

  /** The units that code and names are in: with entries of split files in place of skeletons. */
  *fullUnits(): Generator<Unit> {
    for (const unit of this.units) yield unit.full;
    yield* this.typeUnits;
    yield* this.splitFiles.typeUnits();
    yield* this.supplementaryUnits;
  }

  /** A unit that imports this one, of this file or of one that this is supplementary to. */
  importerOf(unit: Unit): Unit | undefined {
    this.importers ??= findImporters(this.units);
    return this.importers.get(unit) ?? this.users.map((user) => user.importerOf(unit)).find((importer) => importer !== undefined);
  }

  /** Units of the supplementary file that this one imports, directly or not. */
  get supplementaryUnits(): Unit[] {
    if (this.options.supplementary === undefined) return [];
    this.importers ??= findImporters(this.units);
    return [...this.importers.keys()].filter((unit) => unit.info !== this);
  }

  /** Those of .debug_types (version 4). */
  get typeUnits(): readonly Unit[] {
    if (this.typeUnitList.length === 0 && this.reader('.debug_types') !== undefined) this.typeUnitList = this.readUnits('.debug_types', true);
    return this.typeUnitList;
  }

  /** Which unit an address of code belongs to. */
  get byAddress(): AddressIndex {
    this.addressIndex ??= new AddressIndex(this);
    return this.addressIndex;
  }

  get byName(): NameIndex {
    this.nameIndex ??= new NameIndex(this);
    return this.nameIndex;
  }

  /** Source files by name. */
  get sources(): SourceIndex {
    this.sourceIndex ??= new SourceIndex(this);
    return this.sourceIndex;
  }

  get types(): TypeTable {
    this.typeTable ??= new TypeTable(this);
    return this.typeTable;
  }

  get abbreviations(): AbbreviationTables {
    this.abbreviationTables ??= new AbbreviationTables(this.need('.debug_abbrev'));
    return this.abbreviationTables;
  }

  /** The unit at or around an offset of .debug_info. */
  unitAt(offset: number): Unit {
    const { units } = this;
    let [low, high] = [0, units.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((units[middle] as Unit).offset <= offset) low = middle + 1;
      else high = middle;
    }
    const unit = units[low - 1];
    if (unit === undefined || offset >= unit.end) throw new DwarfError('.debug_info', offset, 'no unit here');
    return unit;
  }

  /** The entry at an offset of .debug_info. */
  dieAt(offset: number): Die {
    return this.unitAt(offset).dieAt(offset);
  }

  /** The type's entry in the type unit with that signature. `asker` is where the reference stands. */
  typeBySignature(signature: bigint, asker: DwarfReader): Die {
    const unit = this.unitOfType(signature);
    if (unit === undefined) {
      if (this.skeleton === undefined) return asker.fail(`no type unit ${signature.toString(16)}`);
      return this.skeleton.info.typeBySignature(signature, asker);
    }
    return unit.dieAt(unit.offset + unit.header.typeOffset);
  }

  /** A cursor over a section, shared: each reader sets its position. */
  reader(name: string): DwarfReader | undefined {
    if (!this.readers.has(name)) this.readers.set(name, this.openReader(name));
    return this.readers.get(name);
  }

  need(name: string): DwarfReader {
    const reader = this.reader(name);
    if (reader === undefined) throw new DwarfError(name, 0, 'section is missing');
    return reader;
  }

  stringAt(section: string, offset: number): string {
    const reader = this.need(section);
    reader.position = offset;
    return reader.cString();
  }

  /** A string of .debug_line_str: names of headers, which all units have in common. */
  lineString(offset: number): string {
    const text = this.lineStrings.get(offset) ?? this.stringAt('.debug_line_str', offset);
    this.lineStrings.set(offset, text);
    return text;
  }

  /** The line table at an offset of .debug_line; units may share one. */
  lineTableAt(offset: number, unit: UnitNames): LineTable {
    const table = this.lineTables.get(offset) ?? new LineTable(this, offset, unit);
    this.lineTables.set(offset, table);
    return table;
  }

  needSupplementary(asker: DwarfReader): DebugInfo {
    return this.options.supplementary ?? asker.fail('refers to a supplementary file (dwz), which is not at hand');
  }

  /** The unit of a package or of a .dwo file that a skeleton stands for. */
  splitUnitOf(skeleton: Unit): Unit | undefined {
    return this.splitFiles.unitOf(skeleton);
  }

  private unitOfType(signature: bigint): Unit | undefined {
    this.signatures ??= this.indexSignatures();
    return this.signatures.get(signature) ?? this.splitFiles.packedType(signature);
  }

  private openReader(name: string): DwarfReader | undefined {
    const found = this.sections.find(this.skeleton === undefined ? name : `${name}.dwo`);
    // Without a NUL at its end a table of strings would have one string without end; bounds are checked all the same.
    return found === undefined ? undefined : new DwarfReader(name, found.bytes);
  }

  private readUnits(name: string, types: boolean): Unit[] {
    const section = this.reader(name);
    if (section === undefined) return [];
    return readUnitHeaders(section, types, this.problems).map((header) => new Unit(this, header, section, this.skeleton));
  }

  private indexSignatures(): Map<bigint, Unit> {
    const units = new Map<bigint, Unit>();
    for (const unit of [...this.units, ...this.typeUnits]) {
      if (unit.isTypeUnit && unit.header.signature !== undefined) units.set(unit.header.signature, unit);
    }
    return units;
  }
}
