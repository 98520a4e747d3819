/**
 * Which addresses an entry covers: one stretch, or a list in .debug_ranges (version 4) or .debug_rnglists (version 5).
 */
import { isAddressForm } from './attributeValues.js';
import type { Die } from './die.js';
import { AT, FORM } from './dwarfConstants.js';
import { DwarfError } from './dwarfError.js';
import type { DwarfReader } from './dwarfReader.js';
import type { Unit } from './unit.js';

/** Addresses as in the file, without load bias; `high` is the first one after. */
export interface AddressRange {
  readonly low: number;
  readonly high: number;
}

const RLE = { END: 0, BASE_ADDRESSX: 1, STARTX_ENDX: 2, STARTX_LENGTH: 3, OFFSET_PAIR: 4, BASE_ADDRESS: 5, START_END: 6, START_LENGTH: 7 } as const;
/** Rest of a list table's header after length and version: sizes of address and segment, count of offsets. */
const LIST_HEADER_REST = 6;

/** The code that the entry is about; empty if there is none, or the linker threw it away. */
export function rangesOf(die: Die): AddressRange[] {
  const { lowestAddress } = (die.unit.skeleton ?? die.unit).info;
  const all = die.has(AT.RANGES) ? listedRanges(die) : simpleRange(die);
  return all.filter(({ low, high }) => low < high && low >= lowestAddress);
}

export function contains(ranges: readonly AddressRange[], address: number): boolean {
  return ranges.some(({ low, high }) => address >= low && address < high);
}

/** The largest address of a size, which says "no address" or "a base follows". */
export function noAddress(size: number): number {
  return size === 8 ? 2 ** 64 : 0xffff_ffff;
}

/** Where in its section list number `index` begins, by the table of offsets at `base`. */
export function indexedList(unit: Unit, section: DwarfReader, base: number | undefined, index: number): number {
  const table = base ?? unit.defaultBase(LIST_HEADER_REST);
  section.position = table + index * unit.offsetSize;
  return table + section.offset(unit.offsetSize);
}

function simpleRange(die: Die): AddressRange[] {
  const low = die.address(AT.LOW_PC);
  if (low === undefined) return [];
  const high = isAddressForm(die.form(AT.HIGH_PC)) ? die.address(AT.HIGH_PC) : low + (die.number(AT.HIGH_PC) ?? 0);
  return [{ low, high: high ?? low }];
}

function listedRanges(die: Die): AddressRange[] {
  const { unit } = die;
  const value = die.number(AT.RANGES);
  if (value === undefined) throw new DwarfError('.debug_info', die.offset, 'ranges are no offset');
  if (unit.version < 5) return oldRanges(unit, value);
  const section = unit.info.need('.debug_rnglists');
  const offset = die.form(AT.RANGES) === FORM.RNGLISTX ? indexedList(unit, section, unit.root.number(AT.RNGLISTS_BASE), value) : value;
  return newRanges(unit, section.at(offset));
}

function oldRanges(unit: Unit, offset: number): AddressRange[] {
  const { skeleton, addressSize } = unit;
  const start = skeleton === undefined ? offset : offset + (skeleton.root.number(AT.GNU_RANGES_BASE) ?? 0);
  const reader = (skeleton ?? unit).info.need('.debug_ranges').at(start);
  const ranges: AddressRange[] = [];
  let base = unit.baseAddress;
  for (;;) {
    const [low, high] = [reader.unsigned(addressSize), reader.unsigned(addressSize)];
    if (low === 0 && high === 0) return ranges;
    if (low === noAddress(addressSize)) base = high;
    else ranges.push({ low: base + low, high: base + high });
  }
}

function newRanges(unit: Unit, reader: DwarfReader): AddressRange[] {
  const { addressSize } = unit;
  const ranges: AddressRange[] = [];
  const add = (low: number, high: number): void => void ranges.push({ low, high });
  let base = unit.baseAddress;
  for (;;) {
    const kind = reader.u8();
    switch (kind) {
      case RLE.END: return ranges;
      case RLE.BASE_ADDRESSX: base = unit.indexedAddress(reader.uleb()); break;
      case RLE.STARTX_ENDX: add(unit.indexedAddress(reader.uleb()), unit.indexedAddress(reader.uleb())); break;
      case RLE.STARTX_LENGTH: addLength(add, unit.indexedAddress(reader.uleb()), reader.uleb()); break;
      case RLE.OFFSET_PAIR: add(base + reader.uleb(), base + reader.uleb()); break;
      case RLE.BASE_ADDRESS: base = reader.unsigned(addressSize); break;
      case RLE.START_END: add(reader.unsigned(addressSize), reader.unsigned(addressSize)); break;
      case RLE.START_LENGTH: addLength(add, reader.unsigned(addressSize), reader.uleb()); break;
      default: reader.fail(`unknown kind of range ${kind}`);
    }
  }
}

function addLength(add: (low: number, high: number) => void, low: number, length: number): void {
  add(low, low + length);
}
