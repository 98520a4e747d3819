/** What a user means by SYMBOL or ADDRESS: a stretch of code in an ELF file. */
import { UserError } from '../../base/errors.js';
import { hex, pageFloor } from '../../base/types.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { ET, PF } from '../../elf/elfHeader.js';
import { memoryLayout } from '../../linux/loader/memoryLayout.js';

export interface CodeRange {
  /** Where to start; addresses are those of the file. */
  readonly start: number;
  /** The function around it: its first address, and where it ends if the file says. */
  readonly low: number;
  readonly end: number | undefined;
  /** The function's name, with an offset if `start` is inside it. */
  readonly name: string | undefined;
}

/** Throws a UserError if there is no code. */
export function findCode(elf: ElfFile, place: string): CodeRange {
  const range = namedCode(elf, place) ?? codeAt(elf, place);
  if (!isCode(elf, range.start)) throw new UserError(`${elf.path}: no code at ${range.name ?? hex(range.start)}`, 1);
  return range;
}

function namedCode(elf: ElfFile, name: string): CodeRange | undefined {
  const symbol = elf.symbols.find(name);
  if (symbol === undefined) return undefined;
  return { start: symbol.address, low: symbol.address, end: symbol.size > 0 ? symbol.address + symbol.size : undefined, name };
}

function codeAt(elf: ElfFile, text: string): CodeRange {
  if (!/^(0x)?[0-9a-f]{1,12}$/i.test(text)) {
    const hint = elf.symbols.all().next().done === true ? ' (the file has no symbols: give an address)' : '';
    throw new UserError(`${elf.path}: no symbol ${text}${hint}`, 1);
  }
  const start = inFile(elf, Number.parseInt(text.replace(/^0x/i, ''), 16));
  const found = elf.symbols.lookup(start);
  if (found === undefined) return { start, low: start, end: undefined, name: undefined };
  const { symbol, offset } = found;
  return {
    start,
    low: symbol.address,
    end: symbol.size > 0 ? symbol.address + symbol.size : undefined,
    name: offset === 0 ? symbol.name : `${symbol.name}+${hex(offset)}`,
  };
}

/** Position-independent programs run at a fixed place; what gdb shows there is accepted as well. */
function inFile(elf: ElfFile, address: number): number {
  const base = pageFloor(memoryLayout(0).programBase);
  return elf.header.type === ET.DYN && address >= base ? address - base : address;
}

function isCode(elf: ElfFile, address: number): boolean {
  return elf.loads.some((s) => (s.flags & PF.X) !== 0 && address >= s.address && address < s.address + s.fileSize);
}
