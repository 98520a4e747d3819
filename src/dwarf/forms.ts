/** How values of attributes are stored: their sizes, and how to step over one. */
import { FORM } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';

/** What the sizes of forms depend on. */
export interface FormSizes {
  readonly version: number;
  readonly addressSize: number;
  /** Of offsets into sections: 4, or 8 in 64-bit DWARF. */
  readonly offsetSize: number;
}

/** Bytes that a value takes, or -1 if that depends on the value. */
export function fixedFormSize(form: number, sizes: FormSizes): number {
  switch (form) {
    case FORM.FLAG_PRESENT: case FORM.IMPLICIT_CONST:
      return 0;
    case FORM.DATA1: case FORM.FLAG: case FORM.REF1: case FORM.STRX1: case FORM.ADDRX1:
      return 1;
    case FORM.DATA2: case FORM.REF2: case FORM.STRX2: case FORM.ADDRX2:
      return 2;
    case FORM.STRX3: case FORM.ADDRX3:
      return 3;
    case FORM.DATA4: case FORM.REF4: case FORM.STRX4: case FORM.ADDRX4: case FORM.REF_SUP4:
      return 4;
    case FORM.DATA8: case FORM.REF8: case FORM.REF_SIG8: case FORM.REF_SUP8:
      return 8;
    case FORM.DATA16:
      return 16;
    case FORM.ADDR:
      return sizes.addressSize;
    case FORM.STRP: case FORM.LINE_STRP: case FORM.SEC_OFFSET: case FORM.STRP_SUP: case FORM.GNU_REF_ALT: case FORM.GNU_STRP_ALT:
      return sizes.offsetSize;
    case FORM.REF_ADDR:
      return sizes.version <= 2 ? sizes.addressSize : sizes.offsetSize;
    default:
      return -1;
  }
}

export function skipForm(reader: DwarfReader, form: number, sizes: FormSizes): void {
  const size = fixedFormSize(form, sizes);
  if (size >= 0) reader.skip(size);
  else skipVariable(reader, form, sizes);
}

/** The form of a value that says it itself (DW_FORM_indirect). */
export function indirectForm(reader: DwarfReader): number {
  const form = reader.uleb();
  if (form === FORM.INDIRECT || form === FORM.IMPLICIT_CONST) reader.fail('indirect form that is none');
  return form;
}

function skipVariable(reader: DwarfReader, form: number, sizes: FormSizes): void {
  switch (form) {
    case FORM.SDATA: case FORM.UDATA: case FORM.REF_UDATA: case FORM.STRX: case FORM.ADDRX: case FORM.LOCLISTX: case FORM.RNGLISTX:
    case FORM.GNU_ADDR_INDEX: case FORM.GNU_STR_INDEX:
      return reader.skipLeb();
    case FORM.STRING:
      return reader.skipString();
    case FORM.EXPRLOC: case FORM.BLOCK:
      return reader.skip(reader.uleb());
    case FORM.BLOCK1:
      return reader.skip(reader.u8());
    case FORM.BLOCK2:
      return reader.skip(reader.u16());
    case FORM.BLOCK4:
      return reader.skip(reader.u32());
    case FORM.INDIRECT:
      return skipForm(reader, indirectForm(reader), sizes);
    default:
      return reader.fail(`unknown form 0x${form.toString(16)}`);
  }
}
