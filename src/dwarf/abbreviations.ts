/**
 * Tables of abbreviations: what entries of debug information look like. A large program has thousands of tables, so one
 * is a few flat arrays. For each abbreviation we know how many bytes its attributes take if that does not vary:
 * then a pass over many entries jumps over them.
 */
import { AT, FORM } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';
import { fixedFormSize, type FormSizes } from './forms.js';

/** Numbers per attribute in `specs`. */
export const SPEC = 3;
/** How much more than the section itself may be parsed, tables overlapping: only nonsense comes near. */
const MOST_OVERLAP = 16;
const ALWAYS_ALLOWED = 1 << 20;

export class AbbreviationTable {
  /** By index of the abbreviation: tag, whether children follow, and where its attributes begin in `specs`. */
  readonly tags: number[] = [];
  readonly hasChildren: boolean[] = [];
  readonly starts: number[] = [0];
  /** Bytes of all attributes, or -1 if they vary. */
  readonly sizes: number[] = [];
  /** Triples: attribute, form, bytes of the value (-1 if they vary). */
  readonly specs: number[] = [];
  /** Values that stand here and not in the entry (DW_FORM_implicit_const), by index into `specs`. */
  readonly constants = new Map<number, bigint>();
  private readonly indices = new Map<number, number>();
  /** Codes count from one without gaps, as compilers write them. */
  private dense = true;

  constructor(reader: DwarfReader, sizes: FormSizes) {
    for (;;) {
      const code = reader.uleb();
      if (code === 0) return;
      const index = this.tags.length;
      if (code !== index + 1) this.dense = false;
      if (!this.indices.has(code)) this.indices.set(code, index);
      this.tags.push(reader.uleb());
      this.hasChildren.push(reader.u8() !== 0);
      this.sizes.push(this.readSpecs(reader, sizes));
      this.starts.push(this.specs.length);
    }
  }

  /** Index of the abbreviation with that code, or -1. */
  indexOf(code: number): number {
    if (this.dense) return code <= this.tags.length ? code - 1 : -1;
    return this.indices.get(code) ?? -1;
  }

  /** Whether the abbreviation has the attribute. */
  has(index: number, attribute: number): boolean {
    const { specs } = this;
    const end = this.starts[index + 1] as number;
    for (let i = this.starts[index] as number; i < end; i += SPEC) if (specs[i] === attribute) return true;
    return false;
  }

  /** Index of DW_AT_sibling among the specs of an abbreviation, or -1. */
  siblingSpec(index: number): number {
    const end = this.starts[index + 1] as number;
    for (let i = this.starts[index] as number; i < end; i += SPEC) if (this.specs[i] === AT.SIBLING) return i;
    return -1;
  }

  private readSpecs(reader: DwarfReader, sizes: FormSizes): number {
    let total = 0;
    for (;;) {
      const [attribute, form] = [reader.uleb(), reader.uleb()];
      if (attribute === 0 && form === 0) return total;
      if (form === FORM.IMPLICIT_CONST) this.constants.set(this.specs.length, reader.slebBig());
      const size = fixedFormSize(form, sizes);
      this.specs.push(attribute, form, size);
      total = size < 0 || total < 0 ? -1 : total + size;
    }
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
