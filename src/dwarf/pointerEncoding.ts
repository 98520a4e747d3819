/** Encoded pointers of .eh_frame: a format, and what the number is relative to. */
import type { DwarfReader } from './dwarfReader.js';

const PE = {
  ABSOLUTE: 0x00, ULEB: 0x01, U16: 0x02, U32: 0x03, U64: 0x04, SLEB: 0x09, S16: 0x0a, S32: 0x0b, S64: 0x0c,
  PC_RELATIVE: 0x10, TEXT_RELATIVE: 0x20, DATA_RELATIVE: 0x30, FUNCTION_RELATIVE: 0x40,
} as const;
const PE_OMIT = 0xff;

/** What pointers may be relative to. */
interface PointerBases {
  /** Address of the section that is read. */
  readonly section: number;
  readonly text?: number;
  readonly data?: number;
  readonly function?: number;
}

/**
 * A pointer; undefined if left out. Indirect ones (which are for the program's linker) give the address of the pointer.
 */
export function readPointer(reader: DwarfReader, encoding: number, bases: PointerBases): number | undefined {
  if (encoding === PE_OMIT) return undefined;
  const here = bases.section + reader.position;
  const value = readFormat(reader, encoding & 0x0f);
  if (value === 0) return 0;
  switch (encoding & 0x70) {
    case 0: return value;
    case PE.PC_RELATIVE: return wrapped(here + value);
    case PE.TEXT_RELATIVE: return wrapped((bases.text ?? 0) + value);
    case PE.DATA_RELATIVE: return wrapped((bases.data ?? 0) + value);
    case PE.FUNCTION_RELATIVE: return wrapped((bases.function ?? 0) + value);
    default: return reader.fail(`pointer of kind 0x${encoding.toString(16)}`);
  }
}

/** The length of a stretch has the pointer's format, but is relative to nothing. */
export function readLength(reader: DwarfReader, encoding: number): number {
  return readFormat(reader, encoding & 0x07);
}

function readFormat(reader: DwarfReader, format: number): number {
  switch (format) {
    case PE.ABSOLUTE: case PE.U64: return reader.u64();
    case PE.ULEB: return reader.uleb();
    case PE.U16: return reader.u16();
    case PE.U32: return reader.u32();
    case PE.SLEB: return reader.sleb();
    case PE.S16: return reader.i16();
    case PE.S32: return reader.i32();
    case PE.S64: return reader.i64();
    default: return reader.fail(`pointer in format ${format}`);
  }
}

function wrapped(address: number): number {
  return address < 0 ? address + 2 ** 64 : address;
}
