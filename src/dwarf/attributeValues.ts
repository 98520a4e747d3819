/**
 * Values of attributes by their forms. Each function reads at the cursor of the unit, where `Die` has put it, and
 * answers undefined for a form of another class.
 */
import type { Die } from './die.js';
import { FORM } from './dwarfConstants.js';
import type { Unit } from './unit.js';

export function readString(unit: Unit, form: number): string | undefined {
  const { reader, info, offsetSize } = unit;
  switch (form) {
    case FORM.STRING: return reader.cString();
    case FORM.STRP: return info.stringAt('.debug_str', reader.offset(offsetSize));
    case FORM.LINE_STRP: return info.stringAt('.debug_line_str', reader.offset(offsetSize));
    case FORM.STRP_SUP: case FORM.GNU_STRP_ALT: return info.needSupplementary(reader).stringAt('.debug_str', reader.offset(offsetSize));
    case FORM.STRX: case FORM.GNU_STR_INDEX: return unit.indexedString(reader.uleb());
    case FORM.STRX1: return unit.indexedString(reader.u8());
    case FORM.STRX2: return unit.indexedString(reader.u16());
    case FORM.STRX3: return unit.indexedString(reader.u24());
    case FORM.STRX4: return unit.indexedString(reader.u32());
    default: return undefined;
  }
}

export function readNumber(unit: Unit, form: number): number | undefined {
  const { reader } = unit;
  switch (form) {
    case FORM.DATA1: case FORM.FLAG: return reader.u8();
    case FORM.DATA2: return reader.u16();
    case FORM.DATA4: return reader.u32();
    case FORM.DATA8: return reader.u64();
    case FORM.UDATA: case FORM.LOCLISTX: case FORM.RNGLISTX: return reader.uleb();
    case FORM.SDATA: return reader.sleb();
    case FORM.SEC_OFFSET: return reader.offset(unit.offsetSize);
    case FORM.FLAG_PRESENT: return 1;
    default: return undefined;
  }
}

export function readConstant(unit: Unit, form: number): bigint | undefined {
  const { reader } = unit;
  switch (form) {
    case FORM.DATA8: return reader.u64Big();
    case FORM.UDATA: return reader.ulebBig();
    case FORM.SDATA: return reader.slebBig();
    case FORM.DATA16: return reader.u64Big() | (reader.u64Big() << 64n);
    default: {
      const small = readNumber(unit, form);
      return small === undefined ? undefined : BigInt(small);
    }
  }
}

export function readAddress(unit: Unit, form: number): number | undefined {
  const { reader } = unit;
  switch (form) {
    case FORM.ADDR: return reader.unsigned(unit.addressSize);
    case FORM.ADDRX: case FORM.GNU_ADDR_INDEX: return unit.indexedAddress(reader.uleb());
    case FORM.ADDRX1: return unit.indexedAddress(reader.u8());
    case FORM.ADDRX2: return unit.indexedAddress(reader.u16());
    case FORM.ADDRX3: return unit.indexedAddress(reader.u24());
    case FORM.ADDRX4: return unit.indexedAddress(reader.u32());
    default: return undefined;
  }
}

export function isAddressForm(form: number | undefined): boolean {
  return form === FORM.ADDR || form === FORM.ADDRX || form === FORM.GNU_ADDR_INDEX || (form !== undefined && form >= FORM.ADDRX1 && form <= FORM.ADDRX4);
}

export function readReference(unit: Unit, form: number): Die | undefined {
  const { reader, info } = unit;
  switch (form) {
    case FORM.REF1: return unit.dieAt(unit.offset + reader.u8());
    case FORM.REF2: return unit.dieAt(unit.offset + reader.u16());
    case FORM.REF4: return unit.dieAt(unit.offset + reader.u32());
    case FORM.REF8: return unit.dieAt(unit.offset + reader.u64());
    case FORM.REF_UDATA: return unit.dieAt(unit.offset + reader.uleb());
    case FORM.REF_ADDR: return info.dieAt(reader.offset(unit.version <= 2 ? unit.addressSize : unit.offsetSize));
    case FORM.REF_SIG8: return info.typeBySignature(reader.u64Big(), reader);
    case FORM.REF_SUP4: return info.needSupplementary(reader).dieAt(reader.u32());
    case FORM.REF_SUP8: return info.needSupplementary(reader).dieAt(reader.u64());
    case FORM.GNU_REF_ALT: return info.needSupplementary(reader).dieAt(reader.offset(unit.offsetSize));
    default: return undefined;
  }
}

export function readBlock(unit: Unit, form: number): Uint8Array | undefined {
  const { reader } = unit;
  switch (form) {
    case FORM.EXPRLOC: case FORM.BLOCK: return reader.take(reader.uleb());
    case FORM.BLOCK1: return reader.take(reader.u8());
    case FORM.BLOCK2: return reader.take(reader.u16());
    case FORM.BLOCK4: return reader.take(reader.u32());
    case FORM.DATA16: return reader.take(16);
    default: return undefined;
  }
}
