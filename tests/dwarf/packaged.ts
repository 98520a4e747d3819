/**
 * Packs .dwo files of version 5 into a .dwp file: GNU dwp knows only the older kind (and gdb 13 ends when it meets this
 * one). Sections are put one after the other, each unit's own in a row of the index; type units are found by walking
 * over the headers.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { UT } from '../../src/dwarf/dwarfConstants.js';
import { readUnitHeaders } from '../../src/dwarf/unitHeader.js';
import { DwarfReader } from '../../src/dwarf/dwarfReader.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { sectionsOf } from './compiled.js';

/** Columns of the index: number of the section, and its name. */
const COLUMNS = [[1, 'info'], [3, 'abbrev'], [4, 'line'], [5, 'loclists'], [6, 'str_offsets'], [8, 'rnglists']] as const;

interface Row {
  readonly id: bigint;
  /** Offset and size by column. */
  readonly parts: readonly (readonly [number, number])[];
}

export function packageSplit(files: readonly string[], to: string): void {
  const contents = new Map<string, Uint8Array[]>();
  const [units, types]: [Row[], Row[]] = [[], []];
  for (const file of files) {
    const sections = sectionsOf(new ElfFile(file, readFileSync(file)));
    const add = (name: string): [number, number] => {
      const known = contents.get(name) ?? [];
      const bytes = sections.find(`.debug_${name}.dwo`)?.bytes ?? new Uint8Array(0);
      const offset = known.reduce((sum, { length }) => sum + length, 0);
      contents.set(name, [...known, bytes]);
      return [offset, bytes.length];
    };
    // Offsets of strings are those of one file: with several, strings of the others go after them.
    const [strings] = add('str');
    const info = sections.find('.debug_info.dwo')?.bytes ?? new Uint8Array(0);
    const parts = COLUMNS.map(([, name]) => add(name));
    moveStrings(contents.get('str_offsets')?.at(-1) as Uint8Array, strings);
    for (const header of readUnitHeaders(new DwarfReader('.debug_info', info), false, [])) {
      const row: Row = { id: header.splitId ?? header.signature ?? 0n, parts: parts.map(([offset, size], i) => (i === 0 ? [offset + header.offset, header.end - header.offset] : [offset, size])) };
      (header.kind === UT.SPLIT_TYPE ? types : units).push(row);
    }
  }
  // A package has no empty sections.
  for (const [name, parts] of contents) if (parts.every(({ length }) => length === 0)) contents.delete(name);
  const columns = COLUMNS.map(([, name]) => contents.has(name));
  contents.set('cu_index', [indexOf(units, columns)]);
  if (types.length > 0) contents.set('tu_index', [indexOf(types, columns)]);
  write(contents, to);
}

function moveStrings(table: Uint8Array, by: number): void {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  for (let at = 8; at < table.length; at += 4) view.setUint32(at, view.getUint32(at, true) + by, true);
}

function indexOf(rows: readonly Row[], present: readonly boolean[]): Uint8Array {
  const isPresent = (_: unknown, column: number): boolean => present[column] === true;
  const columns = COLUMNS.filter(isPresent);
  let slots = 2;
  while (slots < rows.length * 2) slots *= 2;
  const [hashes, numbers] = [new BigUint64Array(slots), new Uint32Array(slots)];
  rows.forEach(({ id }, i) => {
    const mask = BigInt(slots - 1);
    let slot = id & mask;
    for (const step = ((id >> 32n) & mask) | 1n; numbers[Number(slot)] !== 0; ) slot = (slot + step) & mask;
    hashes[Number(slot)] = id;
    numbers[Number(slot)] = i + 1;
  });
  const header = Uint32Array.of(5, columns.length, rows.length, slots);
  const cells = (part: 0 | 1): number[] => rows.flatMap(({ parts }) => parts.filter(isPresent).map((pair) => pair[part]));
  const table = Uint32Array.from([...columns.map(([number]) => number), ...cells(0), ...cells(1)]);
  return Buffer.concat([header, hashes, numbers, table].map(({ buffer }) => new Uint8Array(buffer)));
}

/** An ELF file without code that has these sections. */
function write(contents: ReadonlyMap<string, readonly Uint8Array[]>, to: string): void {
  execFileSync('as', ['-o', to, '/dev/null']);
  const options = [...contents].flatMap(([name, parts]) => {
    const section = `.debug_${name}${name.endsWith('_index') ? '' : '.dwo'}`;
    writeFileSync(`${to}.${name}`, Buffer.concat(parts));
    return ['--add-section', `${section}=${to}.${name}`];
  });
  execFileSync('objcopy', [...options, to]);
}
