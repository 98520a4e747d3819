/**
 * Which line an address belongs to, and how far the code of that line goes, as gdb counts it: stepping leaves a line
 * when it leaves its range. Ranges are cut at every row of the table that gdb keeps (see statementRows), whatever file
 * it is of.
 */
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import type { SourceFile } from '../../dwarf/lineHeader.js';
import { ROW } from '../../dwarf/lineProgram.js';
import type { LineTable } from '../../dwarf/lineTable.js';
import { sequenceRows } from '../../dwarf/statementRows.js';

/** [start, end) without load bias. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
  readonly file: SourceFile | undefined;
  readonly line: number;
  readonly isStatement: boolean;
}

/** Rows in the order of addresses: of a sequence, with its end. */
interface Rows {
  readonly low: number;
  readonly high: number;
  readonly rows: readonly number[];
}

/** Of one file's debug information; what was computed is kept. */
export class LineRanges {
  private readonly kept = new Map<LineTable, readonly Rows[]>();

  constructor(private readonly info: DebugInfo) {}

  /** The range of the line that the address belongs to. */
  at(address: number): LineRange | undefined {
    for (const unit of this.info.byAddress.unitsAt(address)) {
      const table = unit.lines;
      const range = table === undefined ? undefined : rangeIn(table, this.rowsOf(table), address);
      if (range !== undefined) return range;
    }
    return undefined;
  }

  private rowsOf(table: LineTable): readonly Rows[] {
    const known = this.kept.get(table) ?? table.sequences.map(({ low, high, first, last }) => ({ low, high, rows: sequenceRows(table, first, last) }));
    this.kept.set(table, known);
    return known;
  }
}

function rangeIn(table: LineTable, sequences: readonly Rows[], address: number): LineRange | undefined {
  const sequence = sequences.find(({ low, high }) => address >= low && address < high);
  if (sequence === undefined) return undefined;
  const { addresses, lines, files, flags } = table.rows;
  const { rows } = sequence;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((addresses[rows[middle] as number] as number) <= address) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return undefined;
  let best = low - 1;
  const start = addresses[rows[best] as number] as number;
  const isStatement = (place: number): boolean => ((flags[rows[place] as number] as number) & ROW.STATEMENT) !== 0;
  for (let i = best; i >= 0 && addresses[rows[i] as number] === start; i--) {
    if (!isStatement(i)) continue;
    best = i;
    break;
  }
  const next = rows[low];
  const row = rows[best] as number;
  return { start, end: next === undefined ? sequence.high : (addresses[next] as number), file: table.file(files[row] as number), line: lines[row] as number, isStatement: isStatement(best) };
}
