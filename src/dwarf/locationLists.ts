/**
 * Location lists: which expression says where a value is, for the place where the program stands (versions 4 and 5).
 */
import type { Die } from './die.js';
import { AT, FORM } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';
import { indexedList, noAddress } from './ranges.js';
import type { Unit } from './unit.js';

interface LocationEntry {
  readonly low: number;
  readonly high: number;
  readonly expression: Uint8Array;
}

const LLE = {
  END: 0, BASE_ADDRESSX: 1, STARTX_ENDX: 2, STARTX_LENGTH: 3, OFFSET_PAIR: 4, DEFAULT: 5, BASE_ADDRESS: 6, START_END: 7, START_LENGTH: 8,
  GNU_VIEW_PAIR: 9,
} as const;

/** The expression that holds at `pc` (without load bias); undefined if there is none there. */
export function expressionAt(die: Die, attribute: number, pc: number): Uint8Array | undefined {
  for (const { low, high, expression } of locationList(die, attribute)) {
    if (pc >= low && pc < high) return expression;
  }
  return undefined;
}

/** All entries of an attribute's location list, read one by one; none if the attribute is no list. */
function* locationList(die: Die, attribute: number): Generator<LocationEntry> {
  const value = die.number(attribute);
  if (value === undefined) return;
  const { unit } = die;
  if (unit.version < 5) {
    yield* unit.skeleton === undefined ? oldList(unit, unit.info.need('.debug_loc').at(value)) : splitList(unit, unit.info.need('.debug_loc').at(value));
    return;
  }
  const section = unit.info.need('.debug_loclists');
  const offset = die.form(attribute) === FORM.LOCLISTX ? indexedList(unit, section, unit.root.number(AT.LOCLISTS_BASE), value) : value;
  yield* newList(unit, section.at(offset));
}

function* oldList(unit: Unit, reader: DwarfReader): Generator<LocationEntry> {
  const { addressSize } = unit;
  let base = unit.baseAddress;
  for (;;) {
    const [low, high] = [reader.unsigned(addressSize), reader.unsigned(addressSize)];
    if (low === 0 && high === 0) return;
    if (low === noAddress(addressSize)) base = high;
    else yield { low: base + low, high: base + high, expression: reader.take(reader.u16()) };
  }
}

/** Those of .dwo files of version 4: kinds as in version 5, sizes not. */
function* splitList(unit: Unit, reader: DwarfReader): Generator<LocationEntry> {
  let base = unit.baseAddress;
  for (;;) {
    const kind = reader.u8();
    switch (kind) {
      case 0: return;
      case 1: base = unit.indexedAddress(reader.uleb()); break;
      case 2: yield entry(unit.indexedAddress(reader.uleb()), unit.indexedAddress(reader.uleb()), reader.take(reader.u16())); break;
      case 3: {
        const low = unit.indexedAddress(reader.uleb());
        yield entry(low, low + reader.u32(), reader.take(reader.u16()));
        break;
      }
      case 4: yield entry(base + reader.u32(), base + reader.u32(), reader.take(reader.u16())); break;
      default: reader.fail(`unknown kind of location ${kind}`);
    }
  }
}

function* newList(unit: Unit, reader: DwarfReader): Generator<LocationEntry> {
  const { addressSize } = unit;
  let base = unit.baseAddress;
  for (;;) {
    const kind = reader.u8();
    switch (kind) {
      case LLE.END: return;
      case LLE.BASE_ADDRESSX: base = unit.indexedAddress(reader.uleb()); break;
      case LLE.BASE_ADDRESS: base = reader.unsigned(addressSize); break;
      case LLE.STARTX_ENDX: yield entry(unit.indexedAddress(reader.uleb()), unit.indexedAddress(reader.uleb()), block(reader)); break;
      case LLE.STARTX_LENGTH: yield withLength(unit.indexedAddress(reader.uleb()), reader); break;
      case LLE.OFFSET_PAIR: yield entry(base + reader.uleb(), base + reader.uleb(), block(reader)); break;
      case LLE.DEFAULT: yield entry(0, Infinity, block(reader)); break;
      case LLE.START_END: yield entry(reader.unsigned(addressSize), reader.unsigned(addressSize), block(reader)); break;
      case LLE.START_LENGTH: yield withLength(reader.unsigned(addressSize), reader); break;
      case LLE.GNU_VIEW_PAIR: reader.skipLeb(); reader.skipLeb(); break;
      default: reader.fail(`unknown kind of location ${kind}`);
    }
  }
}

function entry(low: number, high: number, expression: Uint8Array): LocationEntry {
  return { low, high, expression };
}

function withLength(low: number, reader: DwarfReader): LocationEntry {
  return entry(low, low + reader.uleb(), block(reader));
}

function block(reader: DwarfReader): Uint8Array {
  return reader.take(reader.uleb());
}
