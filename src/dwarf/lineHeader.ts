/** Headers of line number programs (versions 2 to 5): how to read the program, and the names of files. */
import { FORM } from './dwarfConstants.js';
import type { DebugInfo } from './debugInfo.js';
import type { DwarfReader } from './dwarfReader.js';
import { skipForm, type FormSizes } from './forms.js';
import { readInitialLength } from './unitHeader.js';

export class SourceFile {
  constructor(
    /** As the compiler wrote it: may be relative to `directory`. */
    readonly name: string,
    /** Absolute, if the unit says where it was compiled. */
    readonly directory: string,
    /** As gdb calls it: with the directory as that is written. */
    readonly shownName = name,
  ) {}

  /** Absolute, if it can be. */
  get path(): string {
    return joinPath(this.directory, this.name);
  }
}

export interface LineHeader extends FormSizes {
  readonly minimumInstructionLength: number;
  readonly maximumOperations: number;
  readonly defaultIsStatement: boolean;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Operands of the standard opcodes, by opcode; [0] unused. */
  readonly operandCounts: readonly number[];
  /** By the numbers that the program uses. Undefined where there is none. */
  readonly files: readonly (SourceFile | undefined)[];
  /** Where the program begins and ends. */
  readonly start: number;
  readonly end: number;
}

const LNCT = { PATH: 1, DIRECTORY_INDEX: 2 } as const;

interface Entry {
  readonly path: string;
  readonly directory: number;
}

/** Of the unit that a line table is of. */
export interface UnitNames {
  readonly name: string | undefined;
  readonly directory: string | undefined;
}

export function readLineHeader(info: DebugInfo, offset: number, unit: UnitNames): LineHeader {
  const section = info.need('.debug_line').at(offset);
  const { length, offsetSize } = readInitialLength(section);
  section.need(length);
  const reader = section.at(section.position, section.position + length);
  const version = reader.u16();
  if (version < 2 || version > 5) reader.fail(`line table of version ${version}`, offset);
  const addressSize = version >= 5 ? reader.u8() : 8;
  if (version >= 5) reader.skip(1);
  const headerLength = reader.offset(offsetSize);
  reader.need(headerLength);
  const start = reader.position + headerLength;
  const sizes = { version, addressSize, offsetSize };
  const parameters = readParameters(reader, version);
  const files = version >= 5 ? newFiles(info, reader, sizes, unit) : oldFiles(reader, unit);
  return { ...sizes, ...parameters, files, start, end: reader.end };
}

function readParameters(reader: DwarfReader, version: number) {
  const minimumInstructionLength = reader.u8();
  const maximumOperations = version >= 4 ? reader.u8() : 1;
  const defaultIsStatement = reader.u8() !== 0;
  const lineBase = reader.i8();
  const lineRange = reader.u8();
  const opcodeBase = reader.u8();
  const operandCounts = [0, ...reader.take(Math.max(opcodeBase - 1, 0))];
  return { minimumInstructionLength, maximumOperations, defaultIsStatement, lineBase, lineRange, opcodeBase, operandCounts };
}

function oldFiles(reader: DwarfReader, unit: UnitNames): (SourceFile | undefined)[] {
  const directories = [''];
  for (let name = reader.cString(); name !== ''; name = reader.cString()) directories.push(name);
  const files: (SourceFile | undefined)[] = [undefined];
  for (let name = reader.cString(); name !== ''; name = reader.cString()) {
    const directory = directories[reader.uleb()] ?? '';
    reader.skipLeb();
    reader.skipLeb();
    files.push(sourceFile(name, directory, unit));
  }
  return files;
}

function newFiles(info: DebugInfo, reader: DwarfReader, sizes: FormSizes, unit: UnitNames): SourceFile[] {
  const directories = readEntries(info, reader, sizes).map(({ path }) => path);
  const own = { name: unit.name, directory: joinPath(unit.directory, directories[0] ?? '') };
  return readEntries(info, reader, sizes).map(({ path, directory }) => sourceFile(path, directories[directory] ?? '', own));
}

/** The unit's own file is called what the unit is called. */
function sourceFile(name: string, directory: string, unit: UnitNames): SourceFile {
  const file = new SourceFile(name, joinPath(unit.directory, directory), joinPath(directory, name));
  const isUnit = unit.name !== undefined && file.path === joinPath(unit.directory, unit.name);
  return isUnit ? new SourceFile(name, file.directory, unit.name) : file;
}

function readEntries(info: DebugInfo, reader: DwarfReader, sizes: FormSizes): Entry[] {
  const formats = Array.from({ length: reader.u8() }, () => [reader.uleb(), reader.uleb()] as const);
  const count = reader.uleb();
  // Entries without fields take no bytes, so that only the count would limit them.
  if (formats.length === 0 || count > reader.end - reader.position) {
    if (count > 0) reader.fail('more files than fit');
    return [];
  }
  return Array.from({ length: count }, () => readEntry(info, reader, sizes, formats));
}

function readEntry(info: DebugInfo, reader: DwarfReader, sizes: FormSizes, formats: readonly (readonly [number, number])[]): Entry {
  let path = '';
  let directory = 0;
  for (const [content, form] of formats) {
    if (content === LNCT.PATH) path = readPath(info, reader, form, sizes);
    else if (content === LNCT.DIRECTORY_INDEX) directory = readIndex(reader, form);
    else skipForm(reader, form, sizes);
  }
  return { path, directory };
}

function readPath(info: DebugInfo, reader: DwarfReader, form: number, sizes: FormSizes): string {
  switch (form) {
    case FORM.STRING: return reader.cString();
    case FORM.LINE_STRP: return info.lineString(reader.offset(sizes.offsetSize));
    case FORM.STRP: return info.stringAt('.debug_str', reader.offset(sizes.offsetSize));
    case FORM.STRP_SUP: return info.needSupplementary(reader).stringAt('.debug_str', reader.offset(sizes.offsetSize));
    default: return reader.fail(`file name in form 0x${form.toString(16)}`);
  }
}

function readIndex(reader: DwarfReader, form: number): number {
  switch (form) {
    case FORM.UDATA: return reader.uleb();
    case FORM.DATA1: return reader.u8();
    case FORM.DATA2: return reader.u16();
    default: return reader.fail(`directory number in form 0x${form.toString(16)}`);
  }
}

/** `name` in `directory`, unless it is absolute. */
export function joinPath(directory: string | undefined, name: string): string {
  if (name.startsWith('/') || directory === undefined || directory === '') return name;
  if (name === '') return directory;
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}
