/**
 * From the file a user named to the ELF file that runs: follows `#!` lines as Linux does (256 bytes
 * of the file are looked at, one optional argument, five levels).
 */
import { E } from '../../base/errno.js';
import { ElfFile } from '../../elf/elfFile.js';
import { hasElfMagic } from '../../elf/elfHeader.js';
import { checkExecutable } from './findProgram.js';
import type { LoaderFiles, ProgramFile } from './loaderFiles.js';
import { badInterpreter, missingInterpreter, programError } from './programErrors.js';

export interface OpenedProgram {
  readonly file: ProgramFile;
  readonly elf: ElfFile;
  /** With the script's interpreter and its argument in front, if it is a script. */
  readonly argv: readonly Uint8Array[];
}

interface ScriptLine {
  readonly interpreter: string;
  readonly argument: string | undefined;
}

const LOOKED_AT = 256;
const MAX_LEVELS = 5;

export function openProgram(files: LoaderFiles, path: string, argv: readonly Uint8Array[]): OpenedProgram {
  let current = path;
  let args = argv;
  for (let level = 0; ; level++) {
    const file = readProgram(files, current, path);
    const line = parseScriptLine(file.contents.head);
    if (line === undefined) {
      if (!hasElfMagic(file.contents.head)) throw programError(current, E.NOEXEC);
      return { file, elf: new ElfFile(textOf(current), file.contents), argv: args };
    }
    if (level === MAX_LEVELS) throw badInterpreter(path, line.interpreter, E.LOOP);
    const front = [line.interpreter, ...(line.argument === undefined ? [] : [line.argument]), current];
    args = [...front.map(bytesOf), ...args.slice(1)];
    current = line.interpreter;
  }
}

function readProgram(files: LoaderFiles, path: string, asked: string): ProgramFile {
  if (path === asked) {
    checkExecutable(files, path);
  } else {
    const facts = files.stat(path);
    if (typeof facts === 'number') {
      throw -facts === E.NOENT ? missingInterpreter(asked, path) : badInterpreter(asked, path, -facts);
    }
    if (facts.kind !== 'file' || !facts.executable) throw badInterpreter(asked, path, E.ACCES);
  }
  const file = files.open(path);
  if (typeof file === 'number') throw programError(path, -file);
  return file;
}

/** The interpreter a `#!` line names; undefined if the file has no such line, or none that Linux would accept. */
export function parseScriptLine(bytes: Uint8Array): ScriptLine | undefined {
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
  const head = textOfBytes(bytes.subarray(2, LOOKED_AT));
  const newline = head.search(/[\n\0]/);
  const whole = newline >= 0 || bytes.length < LOOKED_AT;
  const line = trimBlanks(newline >= 0 ? head.slice(0, newline) : head);
  const blank = line.search(/[ \t]/);
  // A line that goes on beyond what is looked at may lose the end of its argument, but not of the path.
  if (line === '' || (!whole && blank < 0)) return undefined;
  if (blank < 0) return { interpreter: line, argument: undefined };
  const argument = trimBlanks(line.slice(blank));
  return { interpreter: line.slice(0, blank), argument: argument === '' ? undefined : argument };
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

function textOfBytes(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** The bytes of a path that has one character per byte. */
export function bytesOf(path: string): Uint8Array {
  return Uint8Array.from(path, (c) => c.charCodeAt(0));
}

/** For messages. */
function textOf(path: string): string {
  return new TextDecoder().decode(bytesOf(path));
}
