/** Source files by name, over all units. Built at the first question from the headers of line tables; no table is run for it. */
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
  private readonly byBaseName = new Map<string, FileInUnit[]>();

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

  /** Files that somebody means by `name`: the end of their path, from a `/` on. */
  find(name: string): FileInUnit[] {
    const wanted = name.replace(/^(\.\/)+/, '');
    const candidates = this.byBaseName.get(baseName(wanted)) ?? [];
    return candidates.filter(({ file }) => isEndOf(wanted, file.path) || isEndOf(wanted, file.name) || isEndOf(wanted, normalised(file.path)));
  }

  /** All paths, each once, in no order. */
  paths(): string[] {
    const files = [...this.byBaseName.values()].flat();
    return [...new Set(files.map(({ file }) => normalised(file.path)))];
  }

  private add(unit: Unit, table: LineTable): void {
    const byPath = new Map<string, { file: SourceFile; numbers: number[] }>();
    table.header.files.forEach((file, number) => {
      if (file === undefined) return;
      const known = byPath.get(file.path) ?? { file, numbers: [] };
      known.numbers.push(number);
      byPath.set(file.path, known);
    });
    for (const { file, numbers } of byPath.values()) {
      const name = baseName(file.path);
      const list = this.byBaseName.get(name) ?? [];
      list.push({ unit: unit.full, table, file, numbers });
      this.byBaseName.set(name, list);
    }
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
