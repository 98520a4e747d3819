/**
 * Source files by name, over all units. Built at the first question from the headers of line tables; no table is run
 * for it.
 */
import type { DebugInfo } from './debugInfo.js';
import { unlessCorrupt } from './dwarfError.js';
import type { SourceFile } from './lineHeader.js';
import type { LineTable } from './lineTable.js';
import type { Unit } from './unit.js';

/** A file in one unit's table: its rows have one of `numbers`. */
export interface FileInUnit {
  readonly unit: Unit;
  readonly table: LineTable;
  readonly file: SourceFile;
  readonly numbers: readonly number[];
}

export class SourceIndex {
  private readonly tables: { readonly unit: Unit; readonly table: LineTable }[] = [];
  /** By the last part of the path: pairs of a table's number here and the file's number in it. */
  private readonly byBaseName = new Map<string, number[]>();

  constructor(info: DebugInfo) {
    const seen = new Set<LineTable>();
    for (const unit of info.units) {
      if (unit.isTypeUnit) continue;
      const table = unlessCorrupt(() => unit.lines, (error) => void info.problems.push(error));
      if (table === undefined || seen.has(table)) continue;
      seen.add(table);
      this.add(unit, table);
    }
  }

  /** Files that a user means by `name`: the end of their path, from a `/` on. */
  find(name: string): FileInUnit[] {
    const wanted = name.replace(/^(\.\/)+/, '');
    return this.filesNamed(baseName(wanted)).filter(({ file }) => {
      return isEndOf(wanted, file.path) || isEndOf(wanted, file.name) || isEndOf(wanted, normalised(file.path));
    });
  }

  /** All paths, each once, in no order. */
  paths(): string[] {
    const files = [...this.byBaseName.keys()].flatMap((name) => this.filesNamed(name));
    return [...new Set(files.map(({ file }) => normalised(file.path)))];
  }

  /** One per table and path: a table may have a file twice. */
  private filesNamed(name: string): FileInUnit[] {
    const pairs = this.byBaseName.get(name) ?? [];
    const found = new Map<string, FileInUnit & { numbers: number[] }>();
    for (let i = 0; i < pairs.length; i += 2) {
      const [place, number] = [pairs[i] as number, pairs[i + 1] as number];
      const { unit, table } = this.tables[place] as (typeof this.tables)[number];
      const file = table.file(number) as SourceFile;
      const key = `${place} ${file.path}`;
      const known = found.get(key) ?? { unit: unit.full, table, file, numbers: [] };
      known.numbers.push(number);
      found.set(key, known);
    }
    return [...found.values()];
  }

  private add(unit: Unit, table: LineTable): void {
    const place = this.tables.push({ unit, table }) - 1;
    table.header.files.forEach((file, number) => {
      if (file === undefined) return;
      const name = baseName(file.name);
      const list = this.byBaseName.get(name);
      if (list === undefined) this.byBaseName.set(name, [place, number]);
      else list.push(place, number);
    });
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isEndOf(end: string, path: string): boolean {
  return path === end || (path.endsWith(end) && (end.startsWith('/') ? false : path[path.length - end.length - 1] === '/'));
}

/** Without `.` and `..`. */
export function normalised(path: string): string {
  if (!/(^|\/)\.\.?(\/|$)|\/\//.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}
