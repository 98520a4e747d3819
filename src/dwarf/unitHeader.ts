/** Headers of units, in .debug_info and .debug_types. Walking over them is all that opening a file costs. */
import { UT } from './dwarfConstants.js';
import type { DwarfError } from './dwarfError.js';
import { unlessCorrupt } from './dwarfError.js';
import type { DwarfReader } from './dwarfReader.js';
import type { FormSizes } from './forms.js';

export interface UnitHeader extends FormSizes {
  /** Where the unit begins, where its first entry is, and where it ends, in its section. */
  readonly offset: number;
  readonly entries: number;
  readonly end: number;
  /** One of UT; units of old versions are COMPILE or TYPE. */
  readonly kind: number;
  readonly abbreviationOffset: number;
  /** Of a type unit: its signature, and the type's entry relative to the unit. */
  readonly signature: bigint | undefined;
  readonly typeOffset: number;
  /** Of a skeleton or split unit (version 5). */
  readonly splitId: bigint | undefined;
}

const LENGTH_64 = 0xffff_ffff;
const RESERVED_LENGTHS = 0xffff_fff0;

/** The initial length of a unit, a table or a frame entry: how long, and how large offsets are in it. */
export function readInitialLength(reader: DwarfReader): { readonly length: number; readonly offsetSize: number } {
  const length = reader.u32();
  if (length === LENGTH_64) return { length: reader.u64(), offsetSize: 8 };
  if (length >= RESERVED_LENGTHS) reader.fail('reserved length');
  return { length, offsetSize: 4 };
}

/** All units whose headers make sense; a bad one is noted and, if its length allows, stepped over. */
export function readUnitHeaders(section: DwarfReader, typeSection: boolean, problems: DwarfError[]): UnitHeader[] {
  const headers: UnitHeader[] = [];
  const reader = section.at(0);
  while (!reader.atEnd) {
    const start = reader.position;
    const next = unlessCorrupt(() => endOfUnit(reader), (error) => void problems.push(error));
    if (next === undefined) break;
    unlessCorrupt(() => headers.push(readUnitHeader(section.at(start, next), typeSection)), (error) => problems.push(error));
    reader.position = next;
  }
  return headers;
}

function endOfUnit(reader: DwarfReader): number {
  const { length } = readInitialLength(reader);
  reader.need(length);
  return reader.position + length;
}

function readUnitHeader(reader: DwarfReader, typeSection: boolean): UnitHeader {
  const offset = reader.position;
  const { offsetSize } = readInitialLength(reader);
  const version = reader.u16();
  if (version < 2 || version > 5) reader.fail(`version ${version} of debug information is not known`, offset);
  const kind = version >= 5 ? reader.u8() : typeSection ? UT.TYPE : UT.COMPILE;
  const addressSize = version >= 5 ? reader.u8() : 0;
  const abbreviationOffset = reader.offset(offsetSize);
  const header = { offset, version, kind, offsetSize, abbreviationOffset, addressSize: version >= 5 ? addressSize : reader.u8() };
  if (header.addressSize !== 8 && header.addressSize !== 4) reader.fail(`addresses of ${header.addressSize} bytes`, offset);
  const isType = kind === UT.TYPE || kind === UT.SPLIT_TYPE;
  const signature = isType ? reader.u64Big() : undefined;
  const typeOffset = isType ? reader.offset(offsetSize) : 0;
  const splitId = kind === UT.SKELETON || kind === UT.SPLIT_COMPILE ? reader.u64Big() : undefined;
  return { ...header, signature, typeOffset, splitId, entries: reader.position, end: reader.end };
}
