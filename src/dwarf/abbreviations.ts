/**
 * Tables of abbreviations: what entries of debug information look like. A large program has thousands of tables, and
 * passes over all of its entries consult them all the time, so a table is a few flat arrays by the abbreviation's
 * index, with what such a pass needs worked out: how many bytes the attributes take, and where name and sibling are, if
 * that does not vary.
 */
import { AT, FORM } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';
import { fixedFormSize, type FormSizes } from './forms.js';

/** Numbers per attribute in `specs`. */
export const SPEC = 4;
/** How much more than the section itself may be parsed, tables overlapping: only nonsense comes near. */
const MOST_OVERLAP = 16;
const ALWAYS_ALLOWED = 1 << 20;

/** Attributes whose presence is asked for most. */
export const MARK = {
  DECLARATION: 1, CONST_VALUE: 2, EXTERNAL: 4, SPECIFICATION: 8, ABSTRACT_ORIGIN: 16, ENUM_CLASS: 32,
  /** Code, a place, or a description for copies: something more than a name. */
  SUBSTANCE: 64,
} as const;

export class AbbreviationTable {
  readonly tags: number[] = [];
  readonly hasChildren: boolean[] = [];
  /** Where an abbreviation's attributes begin in `specs`; one more than there are abbreviations. */
  readonly starts: number[] = [0];
  /** Bytes of all attributes, or -1 if they vary. */
  readonly sizes: number[] = [];
  /** Bytes before the name and before the sibling; -1 if they vary or there is none. */
  readonly namesAt: number[] = [];
  readonly siblingsAt: number[] = [];
  /** Their forms; 0 if there is none. */
  readonly nameForms: number[] = [];
  readonly siblingForms: number[] = [];
  /** Bits of MARK. */
  readonly marks: number[] = [];
  /**
   * Attribute, form, bytes of the value (-1 if they vary), and where in .debug_abbrev the value is if it is not in the
   * entry.
   */
  readonly specs: number[] = [];
  /** By code; only if codes do not count from one without gaps, as compilers write them. */
  private indices: Map<number, number> | undefined;

  constructor(
    private readonly reader: DwarfReader,
    sizes: FormSizes,
  ) {
    for (;;) {
      const code = reader.uleb();
      if (code === 0) return;
      this.number(code, this.tags.length);
      this.tags.push(reader.uleb());
      this.hasChildren.push(reader.u8() !== 0);
      this.readSpecs(sizes);
      this.starts.push(this.specs.length);
    }
  }

  /** Index of the abbreviation with that code, or -1. */
  indexOf(code: number): number {
    if (this.indices === undefined) return code <= this.tags.length ? code - 1 : -1;
    return this.indices.get(code) ?? -1;
  }

  /** Whether the abbreviation has the attribute. */
  has(index: number, attribute: number): boolean {
    const { specs } = this;
    const end = this.starts[index + 1] as number;
    for (let i = this.starts[index] as number; i < end; i += SPEC) if (specs[i] === attribute) return true;
    return false;
  }

  /** The value of an attribute that all entries have in common (DW_FORM_implicit_const). */
  constant(spec: number): bigint {
    this.reader.position = this.specs[spec + 3] as number;
    return this.reader.slebBig();
  }

  private number(code: number, index: number): void {
    if (this.indices === undefined) {
      if (code === index + 1) return;
      this.indices = new Map(Array.from({ length: index }, (_, i) => [i + 1, i]));
    }
    if (!this.indices.has(code)) this.indices.set(code, index);
  }

  private readSpecs(sizes: FormSizes): void {
    const { reader, specs } = this;
    let [total, nameAt, siblingAt, nameForm, siblingForm, marks] = [0, -1, -1, 0, 0, 0];
    for (;;) {
      const [attribute, form] = [reader.uleb(), reader.uleb()];
      if (attribute === 0 && form === 0) break;
      const { position } = reader;
      if (form === FORM.IMPLICIT_CONST) reader.skipLeb();
      const size = fixedFormSize(form, sizes);
      specs.push(attribute, form, size, position);
      if (attribute === AT.NAME) [nameAt, nameForm] = [total, form];
      else if (attribute === AT.SIBLING) [siblingAt, siblingForm] = [total, form];
      else marks |= markOf(attribute);
      total = size < 0 || total < 0 ? -1 : total + size;
    }
    this.sizes.push(total);
    this.namesAt.push(nameAt);
    this.nameForms.push(nameForm);
    this.siblingsAt.push(siblingAt);
    this.siblingForms.push(siblingForm);
    this.marks.push(marks);
  }
}

function markOf(attribute: number): number {
  switch (attribute) {
    case AT.DECLARATION: return MARK.DECLARATION;
    case AT.CONST_VALUE: return MARK.CONST_VALUE | MARK.SUBSTANCE;
    case AT.EXTERNAL: return MARK.EXTERNAL;
    case AT.SPECIFICATION: return MARK.SPECIFICATION;
    case AT.ABSTRACT_ORIGIN: return MARK.ABSTRACT_ORIGIN;
    case AT.ENUM_CLASS: return MARK.ENUM_CLASS;
    case AT.LOW_PC: case AT.RANGES: case AT.INLINE: case AT.LOCATION: return MARK.SUBSTANCE;
    default: return 0;
  }
}

/** All tables of a section, parsed when asked for and kept. */
export class AbbreviationTables {
  private readonly tables = new Map<string, AbbreviationTable>();
  private allowance: number;

  constructor(private readonly section: DwarfReader) {
    this.allowance = section.bytes.length * MOST_OVERLAP + ALWAYS_ALLOWED;
  }

  at(offset: number, sizes: FormSizes): AbbreviationTable {
    const key = `${offset}/${sizes.addressSize}/${sizes.offsetSize}/${sizes.version}`;
    const known = this.tables.get(key);
    if (known !== undefined) return known;
    const reader = this.section.at(offset);
    const table = new AbbreviationTable(reader, sizes);
    this.allowance -= reader.position - offset;
    if (this.allowance < 0) reader.fail('tables of abbreviations overlap', offset);
    this.tables.set(key, table);
    return table;
  }
}
