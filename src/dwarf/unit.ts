/**
 * One unit: its entries, and what their values refer to (strings, addresses, tables). Everything is read when asked
 * for. A unit of split DWARF is two: a skeleton in the program, which knows addresses, and the rest in a .dwo file.
 */
import type { AbbreviationTable } from './abbreviations.js';
import type { DebugInfo } from './debugInfo.js';
import { Die } from './die.js';
import { AT, LANG, TAG, UT } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import type { DwarfReader } from './dwarfReader.js';
import type { FormSizes } from './forms.js';
import type { SourceFile } from './lineHeader.js';
import type { LineTable } from './lineTable.js';
import { UnitFunctions } from './unitFunctions.js';
import type { UnitHeader } from './unitHeader.js';

const C_LANGUAGES: ReadonlySet<number> = new Set([LANG.C89, LANG.C, LANG.C99, LANG.C11, LANG.C17, LANG.MIPS_ASSEMBLER]);
const CPP_LANGUAGES: ReadonlySet<number> = new Set([
  LANG.C_PLUS_PLUS, LANG.C_PLUS_PLUS_03, LANG.C_PLUS_PLUS_11, LANG.C_PLUS_PLUS_14, LANG.C_PLUS_PLUS_17, LANG.C_PLUS_PLUS_20,
]);

export class Unit implements FormSizes {
  readonly version: number;
  readonly addressSize: number;
  readonly offsetSize: number;
  readonly offset: number;
  readonly end: number;
  /** A cursor bounded to the unit, shared by all readers: each sets its position. */
  readonly reader: DwarfReader;
  private table: AbbreviationTable | undefined;
  private rootEntry: Die | undefined;
  private languageNumber: number | undefined;
  private base: number | undefined;
  private stringBase: number | undefined;
  private addressBase: number | undefined;
  private unitFunctions: UnitFunctions | undefined;
  private splitUnit: Unit | null | undefined;

  constructor(
    readonly info: DebugInfo,
    readonly header: UnitHeader,
    section: DwarfReader,
    /** The unit in the program that this one of a .dwo file belongs to. */
    readonly skeleton?: Unit,
  ) {
    ({ version: this.version, addressSize: this.addressSize, offsetSize: this.offsetSize } = header);
    ({ offset: this.offset, end: this.end } = header);
    this.reader = section.at(header.entries, header.end);
  }

  get abbreviations(): AbbreviationTable {
    this.table ??= this.info.abbreviations.at(this.header.abbreviationOffset, this);
    return this.table;
  }

  /** The entry of the unit itself. */
  get root(): Die {
    this.rootEntry ??= this.dieAt(this.header.entries);
    return this.rootEntry;
  }

  /** The entry at an offset of the section. */
  dieAt(offset: number): Die {
    if (!(offset >= this.header.entries && offset < this.end)) this.reader.fail('reference leads out of the unit', offset);
    return new Die(this, offset);
  }

  get isTypeUnit(): boolean {
    return this.header.kind === UT.TYPE || this.header.kind === UT.SPLIT_TYPE;
  }

  get isSkeleton(): boolean {
    if (this.header.kind === UT.SKELETON) return true;
    return this.version === 4 && !this.isTypeUnit && this.root.has(AT.GNU_DWO_NAME) && this.skeleton === undefined;
  }

  get isPartial(): boolean {
    return this.root.tag === TAG.PARTIAL_UNIT;
  }

  /** The unit with the entries: of a skeleton that of its .dwo file if that can be had, otherwise itself. */
  get full(): Unit {
    this.splitUnit ??= this.isSkeleton ? (this.info.splitUnitOf(this) ?? null) : null;
    return this.splitUnit ?? this;
  }

  get name(): string | undefined {
    return this.text(AT.NAME);
  }

  get directory(): string | undefined {
    return this.text(AT.COMP_DIR) ?? this.skeleton?.directory;
  }

  get producer(): string | undefined {
    return this.text(AT.PRODUCER);
  }

  /** Texts may be in a supplementary file that is not at hand; the unit is useful without. */
  private text(attribute: number): string | undefined {
    return unlessCorrupt(() => this.root.string(attribute), () => undefined);
  }

  /** One of LANG, or 0. */
  get language(): number {
    if (this.languageNumber !== undefined) return this.languageNumber;
    // Before others are asked, who may import each other in circles.
    this.languageNumber = this.root.number(AT.LANGUAGE) ?? 0;
    if (this.languageNumber === 0 && this.isPartial) this.languageNumber = this.info.importerOf(this)?.language ?? 0;
    return this.languageNumber;
  }

  get isCPlusPlus(): boolean {
    return CPP_LANGUAGES.has(this.language);
  }

  /** Whether types are named `struct s` and contain neither functions nor names of other things. */
  get isC(): boolean {
    return C_LANGUAGES.has(this.language);
  }

  /** What addresses in ranges and location lists are relative to. */
  get baseAddress(): number {
    this.base ??= (this.skeleton ?? this).root.address(AT.LOW_PC) ?? 0;
    return this.base;
  }

  /** Its line table; undefined if it has none. Type units have one for the names of files only. */
  get lines(): LineTable | undefined {
    const owner = this.skeleton === undefined || this.isTypeUnit ? this : this.skeleton;
    const offset = owner.root.number(AT.STMT_LIST);
    return offset === undefined ? undefined : owner.info.lineTableAt(offset, owner);
  }

  /** The file that a number of an attribute stands for. */
  file(number: number | undefined): SourceFile | undefined {
    return number === undefined ? undefined : this.lines?.file(number);
  }

  /** Code and scopes of the unit. */
  get functions(): UnitFunctions {
    this.unitFunctions ??= new UnitFunctions(this);
    return this.unitFunctions;
  }

  /** The string with that index (DW_FORM_strx). */
  indexedString(index: number): string {
    const reader = this.info.need('.debug_str_offsets');
    reader.position = this.stringOffsetsBase + index * this.offsetSize;
    return this.info.stringAt('.debug_str', reader.offset(this.offsetSize));
  }

  /** The address with that index (DW_FORM_addrx); in a .dwo file it is the program's. */
  indexedAddress(index: number): number {
    const owner = this.skeleton ?? this;
    const reader = owner.info.need('.debug_addr');
    reader.position = owner.addressTableBase + index * this.addressSize;
    return reader.unsigned(this.addressSize);
  }

  private get stringOffsetsBase(): number {
    this.stringBase ??= this.root.number(AT.STR_OFFSETS_BASE) ?? this.defaultBase(2);
    return this.stringBase;
  }

  private get addressTableBase(): number {
    this.addressBase ??= this.root.number(AT.ADDR_BASE) ?? this.root.number(AT.GNU_ADDR_BASE) ?? this.defaultBase(2);
    return this.addressBase;
  }

  /**
   * Where a table begins if the unit does not say so: after its header of a length and some bytes. Old split DWARF has
   * no headers.
   */
  defaultBase(rest: number): number {
    if (this.version < 5) return 0;
    return (this.offsetSize === 8 ? 12 : 4) + 2 + rest;
  }
}
