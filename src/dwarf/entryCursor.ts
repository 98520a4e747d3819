/**
 * Walks over the entries of a unit in file order without making objects of them. Positions only ever grow, so a walk
 * ends after at most as many steps as the unit has bytes.
 */
import { SPEC, type AbbreviationTable } from './abbreviations.js';
import type { Die } from './die.js';
import { AT, FORM } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';
import { skipForm } from './forms.js';
import type { Unit } from './unit.js';

export class EntryCursor {
  /** Of the entry that the cursor is at. */
  offset = 0;
  tag = 0;
  hasChildren = false;
  /** How deep below where the walk began. */
  depth = 0;
  /** Index of the abbreviation. */
  abbreviation = 0;
  readonly reader: DwarfReader;
  readonly table: AbbreviationTable;
  private started = false;
  private attributesAt = 0;
  private readonly unitOffset: number;

  /** Begins before the entry at `offset`. */
  constructor(
    private readonly unit: Unit,
    offset: number,
  ) {
    this.reader = unit.reader.at(offset, unit.end);
    this.table = unit.abbreviations;
    this.unitOffset = unit.offset;
  }

  static childrenOf(die: Die): EntryCursor {
    return new EntryCursor(die.unit, die.childrenAt);
  }

  /** The next entry on this level; false if there is none. */
  nextSibling(): boolean {
    if (this.started) this.skipEntry();
    this.started = true;
    return this.readEntry();
  }

  /** The next entry in file order, children included; false at the end of the level where the walk began. */
  next(): boolean {
    if (this.started) {
      this.skipAttributes();
      if (this.hasChildren) this.depth++;
    }
    this.started = true;
    while (!this.readEntry()) {
      if (this.depth === 0) return false;
      this.depth--;
    }
    return true;
  }

  /** The next entry in file order that is not below the current one. */
  nextOver(): boolean {
    this.skipEntry();
    while (!this.readEntry()) {
      if (this.depth === 0) return false;
      this.depth--;
    }
    return true;
  }

  /**
   * Offset of the reader's value of an attribute of this entry and its form; undefined if it has none. Leaves the
   * reader there.
   */
  seek(attribute: number): number | undefined {
    const { table, reader, abbreviation } = this;
    if (!table.has(abbreviation, attribute)) return undefined;
    reader.position = this.attributesAt;
    const end = table.starts[abbreviation + 1] as number;
    for (let i = table.starts[abbreviation] as number; i < end; i += SPEC) {
      if (table.specs[i] === attribute) return table.specs[i + 1];
      this.skipValue(i);
    }
    return undefined;
  }

  /** The first byte of the attributes, where a pass of one's own begins. */
  get attributes(): number {
    return this.attributesAt;
  }

  skipValue(spec: number): void {
    const size = this.table.specs[spec + 2] as number;
    if (size >= 0) this.reader.skip(size);
    else skipForm(this.reader, this.table.specs[spec + 1] as number, this.unit);
  }

  private skipAttributes(): void {
    const { table, abbreviation, reader } = this;
    const size = table.sizes[abbreviation] as number;
    reader.position = this.attributesAt;
    if (size >= 0) return reader.skip(size);
    const end = table.starts[abbreviation + 1] as number;
    for (let i = table.starts[abbreviation] as number; i < end; i += SPEC) this.skipValue(i);
  }

  /** To just after the entry and all that is below it. */
  private skipEntry(): void {
    if (this.hasChildren && this.jumpToSibling()) return;
    this.skipAttributes();
    if (!this.hasChildren) return;
    let level = 1;
    while (level > 0) {
      if (!this.readEntry()) level--;
      else if (this.hasChildren && this.jumpToSibling()) continue;
      else {
        this.skipAttributes();
        if (this.hasChildren) level++;
      }
    }
  }

  private jumpToSibling(): boolean {
    const target = this.siblingTarget();
    if (target < 0) return false;
    const { reader } = this;
    if (target <= this.attributesAt || target > reader.end) reader.fail('next entry is not after this one', this.offset);
    reader.position = target;
    return true;
  }

  /** Where the next entry on this level is said to be; -1 if nothing is said. */
  private siblingTarget(): number {
    const { table, abbreviation } = this;
    const form = table.siblingForms[abbreviation] as number;
    if (form === 0) return -1;
    const before = table.siblingsAt[abbreviation] as number;
    if (before < 0) this.seek(AT.SIBLING);
    else this.reader.position = this.attributesAt + before;
    return this.siblingOffset(form);
  }

  private siblingOffset(form: number): number {
    const { reader } = this;
    switch (form) {
      case FORM.REF1: return this.unitOffset + reader.u8();
      case FORM.REF2: return this.unitOffset + reader.u16();
      case FORM.REF4: return this.unitOffset + reader.u32();
      case FORM.REF8: return this.unitOffset + reader.u64();
      case FORM.REF_UDATA: return this.unitOffset + reader.uleb();
      case FORM.REF_ADDR: return reader.offset(this.unit.version <= 2 ? this.unit.addressSize : this.unit.offsetSize);
      default: return reader.fail('next entry is no reference');
    }
  }

  /** Reads the entry's code; false if it says that a level ends, or the unit does. */
  private readEntry(): boolean {
    const { reader, table } = this;
    this.offset = reader.position;
    if (reader.position >= reader.end) return false;
    const code = reader.uleb();
    if (code === 0) return false;
    const index = table.indexOf(code);
    if (index < 0) reader.fail(`no abbreviation ${code}`, this.offset);
    this.abbreviation = index;
    this.tag = table.tags[index] as number;
    this.hasChildren = table.hasChildren[index] as boolean;
    this.attributesAt = reader.position;
    return true;
  }
}
