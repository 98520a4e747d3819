/**
 * One debugging information entry (DIE). It knows only where it is; an attribute is found and read each time a caller
 * asks for it. Asked for an attribute that is not there, or not of that class, the answer is undefined.
 */
import { visible } from '../base/visible.js';
import { SPEC } from './abbreviations.js';
import { readBlock, readConstant, readNumber, readReference, readString, readAddress } from './attributeValues.js';
import { AT, FORM } from './dwarfConstants.js';
import { EntryCursor } from './entryCursor.js';
import { indirectForm, skipForm } from './forms.js';
import type { Unit } from './unit.js';

/** Longer chains of entries that complete each other are circles. */
const LONGEST_CHAIN = 16;

export class Die {
  readonly tag: number;
  readonly hasChildren: boolean;
  private readonly abbreviation: number;
  private readonly attributesAt: number;
  /** The abbreviation's constant, when the attribute found last has its value there. */
  private constant: bigint | undefined;

  /** Throws a DwarfError if there is no entry at `offset` (of the section). */
  constructor(
    readonly unit: Unit,
    readonly offset: number,
  ) {
    const { reader, abbreviations } = unit;
    reader.position = offset;
    const code = reader.uleb();
    this.abbreviation = code === 0 ? -1 : abbreviations.indexOf(code);
    if (this.abbreviation < 0) reader.fail(code === 0 ? 'no entry here' : `no abbreviation ${code}`, offset);
    this.tag = abbreviations.tags[this.abbreviation] as number;
    this.hasChildren = abbreviations.hasChildren[this.abbreviation] as boolean;
    this.attributesAt = reader.position;
  }

  /** The same entry, though perhaps another object. */
  is(other: Die): boolean {
    return this.offset === other.offset && this.unit === other.unit;
  }

  has(attribute: number): boolean {
    return this.unit.abbreviations.has(this.abbreviation, attribute);
  }

  /** The attribute's form, or undefined. */
  form(attribute: number): number | undefined {
    const form = this.find(attribute);
    return form < 0 ? undefined : form;
  }

  string(attribute: number): string | undefined {
    const form = this.find(attribute);
    return form < 0 ? undefined : readString(this.unit, form);
  }

  /** A constant, offset or index, as far as a double holds it. Data of fixed size is unsigned. */
  number(attribute: number): number | undefined {
    const form = this.find(attribute);
    if (form === FORM.IMPLICIT_CONST) return Number(this.constant);
    return form < 0 ? undefined : readNumber(this.unit, form);
  }

  /** A constant with all its bits. Data of fixed size is unsigned. */
  constantValue(attribute: number): bigint | undefined {
    const form = this.find(attribute);
    if (form === FORM.IMPLICIT_CONST) return this.constant;
    return form < 0 ? undefined : readConstant(this.unit, form);
  }

  flag(attribute: number): boolean {
    const form = this.find(attribute);
    if (form === FORM.FLAG_PRESENT) return true;
    return form === FORM.FLAG && this.unit.reader.u8() !== 0;
  }

  address(attribute: number): number | undefined {
    const form = this.find(attribute);
    return form < 0 ? undefined : readAddress(this.unit, form);
  }

  /** The entry that the attribute refers to. Throws a DwarfError if there is none. */
  reference(attribute: number): Die | undefined {
    const form = this.find(attribute);
    return form < 0 ? undefined : readReference(this.unit, form);
  }

  /** A block or an expression. */
  block(attribute: number): Uint8Array | undefined {
    const form = this.find(attribute);
    return form < 0 ? undefined : readBlock(this.unit, form);
  }

  /** Children, one level down. */
  *children(): Generator<Die> {
    if (!this.hasChildren) return;
    const cursor = EntryCursor.childrenOf(this);
    while (cursor.nextSibling()) yield new Die(this.unit, cursor.offset);
  }

  childrenWithTag(tag: number): Die[] {
    return [...this.children()].filter((child) => child.tag === tag);
  }

  /** Where children begin: just after the attributes. */
  get childrenAt(): number {
    const { unit, abbreviation } = this;
    const { reader, abbreviations } = unit;
    const size = abbreviations.sizes[abbreviation] as number;
    if (size >= 0) return this.attributesAt + size;
    reader.position = this.attributesAt;
    const end = abbreviations.starts[abbreviation + 1] as number;
    for (let i = abbreviations.starts[abbreviation] as number; i < end; i += SPEC) {
      skipForm(reader, abbreviations.specs[i + 1] as number, unit);
    }
    return reader.position;
  }

  /** This entry and those it completes (DW_AT_abstract_origin, DW_AT_specification), nearest first. */
  *origins(): Generator<Die> {
    let die: Die | undefined = this as Die;
    for (let i = 0; i < LONGEST_CHAIN && die !== undefined; i++) {
      yield die;
      die = die.reference(AT.ABSTRACT_ORIGIN) ?? die.reference(AT.SPECIFICATION);
    }
  }

  /** The first answer among this entry and its origins. */
  inherited<T>(read: (die: Die) => T | undefined): T | undefined {
    for (const die of this.origins()) {
      const value = read(die);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  get name(): string | undefined {
    const name = this.inherited((die) => die.string(AT.NAME));
    return name === undefined ? undefined : visible(name);
  }

  /** Puts the unit's cursor on the attribute's value and returns its form; -1 if it is not there. */
  private find(attribute: number): number {
    const { abbreviation, unit } = this;
    const { reader, abbreviations } = unit;
    const { specs } = abbreviations;
    const end = abbreviations.starts[abbreviation + 1] as number;
    if (!abbreviations.has(abbreviation, attribute)) return -1;
    reader.position = this.attributesAt;
    for (let i = abbreviations.starts[abbreviation] as number; i < end; i += SPEC) {
      const form = specs[i + 1] as number;
      if (specs[i] === attribute) return this.found(i, form);
      const size = specs[i + 2] as number;
      if (size >= 0) reader.skip(size);
      else skipForm(reader, form, unit);
    }
    return -1;
  }

  private found(spec: number, form: number): number {
    if (form === FORM.INDIRECT) return indirectForm(this.unit.reader);
    if (form === FORM.IMPLICIT_CONST) this.constant = this.unit.abbreviations.constant(spec);
    return form;
  }
}
