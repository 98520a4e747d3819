/** The statements of one program or library, by address. Line tables are looked through as they are asked for. */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { ROW } from '../../dwarf/lineProgram.js';
import type { LineTable } from '../../dwarf/lineTable.js';
import { type CodeRow, PartFinder } from './lineParts.js';
import type { ModuleFile } from './moduleFile.js';
import type { LinePart } from './statementScanner.js';
import type { Statement, StatementCode, StatementRange, Statements } from './statements.js';

/** The code of one line of a table, row by row. */
interface StatementRow extends StatementRange {
  readonly statement: Statement;
}

/** Rows with code in the order of addresses. What lies between them belongs to none. */
type TableRows = readonly StatementRow[];

interface PlainRow extends CodeRow {
  readonly path: string;
  readonly line: number;
  readonly isStatement: boolean;
}

/** A line's parts, and the number that each has: undefined for braces without code. */
interface NumberedLine {
  readonly parts: readonly LinePart[];
  readonly numbers: readonly (number | undefined)[];
}

export class ModuleStatements {
  private readonly tables = new Map<LineTable, TableRows>();
  private readonly columns = new Map<string, ReadonlyMap<number, ReadonlySet<number>>>();
  private readonly lines = new Map<string, NumberedLine>();
  private last: StatementRow | undefined;

  constructor(
    private readonly file: ModuleFile,
    private readonly statements: Statements,
  ) {}

  /** The row that an address (without bias) belongs to. */
  at(address: number): StatementRow | undefined {
    const { last } = this;
    if (last !== undefined && address >= last.start && address < last.end) return last;
    const { info } = this.file;
    const found = info === undefined ? undefined : unlessCorrupt(() => {
      for (const unit of info.byAddress.unitsAt(address)) {
        const row = unit.lines === undefined ? undefined : rowAt(this.rowsOf(unit.lines), address);
        if (row !== undefined) return row;
      }
      return undefined;
    }, () => undefined);
    if (found !== undefined) this.last = found;
    return found;
  }

  ofLine(path: string, line: number): StatementCode[] {
    const found = new Map<Statement, StatementRange[]>();
    for (const table of this.tablesWith(path)) {
      for (const row of this.rowsOf(table)) {
        if (row.statement.line !== line || row.statement.path !== path) continue;
        const ranges = found.get(row.statement);
        if (ranges === undefined) found.set(row.statement, [row]);
        else ranges.push(row);
      }
    }
    const codes = [...found].map(([statement, ranges]) => ({ statement, file: this.file, ranges }));
    return codes.sort((a, b) => (a.statement.part ?? 0) - (b.statement.part ?? 0));
  }

  /** Lines of a source file that have code here, in order. */
  linesOf(path: string): readonly number[] {
    return [...this.columnsOf(path).keys()].sort((a, b) => a - b);
  }

  private tablesWith(path: string): LineTable[] {
    const { info } = this.file;
    if (info === undefined) return [];
    return unlessCorrupt(() => [...new Set(info.sources.find(path).filter(({ file }) => file.path === path).map(({ table }) => table))], () => []);
  }

  private rowsOf(table: LineTable): TableRows {
    let rows = this.tables.get(table);
    if (rows === undefined) this.tables.set(table, (rows = this.makeRows(table)));
    return rows;
  }

  private makeRows(table: LineTable): TableRows {
    const rows: StatementRow[] = [];
    let [lastKey, finder]: [string, PartFinder | undefined] = ['', undefined];
    for (const row of plainRows(table)) {
      const key = `${row.path}:${row.line}`;
      const line = this.numbered(row.path, row.line);
      if (key !== lastKey || finder === undefined) finder = new PartFinder(line.parts, this.file.readCode);
      lastKey = key;
      const begins = row.isStatement || finder.continues(row.column);
      const statement = this.statementOf(row, line, finder.find(row));
      rows.push({ start: row.address, end: row.end, begins, statement });
    }
    return rows;
  }

  private statementOf({ path, line }: PlainRow, { parts, numbers }: NumberedLine, index: number): Statement {
    const { start, group } = parts[index] as LinePart;
    const first = parts.findIndex((part) => part.group === group);
    return this.statements.part({ path, line, part: numbers[index] ?? 1 }, start, group, index - first);
  }

  private numbered(path: string, line: number): NumberedLine {
    const key = `${path}:${line}`;
    let known = this.lines.get(key);
    if (known === undefined) this.lines.set(key, (known = this.number(path, line)));
    return known;
  }

  private number(path: string, line: number): NumberedLine {
    const columns = this.columnsOf(path).get(line) ?? new Set([0]);
    const scanned = this.statements.partsOf(path, line);
    const parts = scanned !== undefined && scanned.length > 0 ? scanned : partsOfColumns(columns);
    let number = 0;
    const numbers = parts.map(({ isBrace, start, end }) => {
      const counts = !isBrace || [...columns].some((column) => column >= start && column < end);
      return counts ? ++number : undefined;
    });
    return { parts, numbers };
  }

  /** Columns that begin statements, by line. */
  private columnsOf(path: string): ReadonlyMap<number, ReadonlySet<number>> {
    let known = this.columns.get(path);
    if (known === undefined) {
      const made = new Map<number, Set<number>>();
      for (const table of this.tablesWith(path)) {
        for (const row of plainRows(table)) {
          if (row.path !== path || !row.isStatement) continue;
          made.set(row.line, (made.get(row.line) ?? new Set()).add(row.column));
        }
      }
      this.columns.set(path, (known = made));
    }
    return known;
  }
}

/** Without the source: every column is a statement of its own. */
function partsOfColumns(columns: ReadonlySet<number>): LinePart[] {
  const sorted = [...columns].sort((a, b) => a - b);
  return sorted.map((start, i) => ({ start, end: sorted[i + 1] ?? Infinity, group: i, begins: 'statement', depth: 0, isBrace: false }));
}

/**
 * Those that have code: of several at an address the last that begins a statement. Code without a line goes with what
 * is before it.
 */
function* plainRows(table: LineTable): Generator<PlainRow> {
  const { addresses, files, lines, columns, flags } = table.rows;
  const paths = table.header.files.map((file) => file?.path);
  for (const { first, last, high } of table.sequences) {
    let waiting: Omit<PlainRow, 'end'> | undefined;
    for (let row = first; row < last; ) {
      const address = addresses[row] as number;
      let chosen = -1;
      for (; row < last && addresses[row] === address; row++) {
        const isStatement = ((flags[row] as number) & ROW.STATEMENT) !== 0;
        if (lines[row] !== 0 && (isStatement || chosen < 0 || ((flags[chosen] as number) & ROW.STATEMENT) === 0)) chosen = row;
      }
      const path = chosen < 0 ? undefined : paths[files[chosen] as number];
      if (chosen < 0 || path === undefined) continue;
      if (waiting !== undefined) yield { ...waiting, end: address };
      const isStatement = ((flags[chosen] as number) & ROW.STATEMENT) !== 0;
      waiting = { address, path, line: lines[chosen] as number, column: columns[chosen] as number, isStatement };
    }
    if (waiting !== undefined) yield { ...waiting, end: high };
  }
}

function rowAt(rows: TableRows, address: number): StatementRow | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as StatementRow).start <= address) low = middle + 1;
    else high = middle;
  }
  const found = rows[low - 1];
  return found !== undefined && address < found.end ? found : undefined;
}
