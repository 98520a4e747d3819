/**
 * The rows of a line table that breakpoints look at, by GDB's rules, so that ours are at the same addresses: rows that
 * only divide a line (discriminators) are left out, as are rows without code before a change to another file, and rows
 * without a line.
 */
import { ROW } from './lineProgram.js';
import type { LineTable } from './lineTable.js';

/** Numbers of the rows of the given files that are beginnings of statements, in the order of the table. */
export function statementRows(table: LineTable, files: ReadonlySet<number>): number[] {
  return table.sequences.flatMap(({ first, last }) => sequenceRows(table, first, last)).filter((row) => {
    return files.has(table.rows.files[row] as number) && ((table.rows.flags[row] as number) & ROW.STATEMENT) !== 0;
  });
}

/** Rows of one sequence, whether they begin statements or not. */
export function sequenceRows(table: LineTable, first: number, last: number): number[] {
  const { addresses, files, lines, flags } = table.rows;
  const kept: number[] = [];
  let [lastFile, lastLine, lastAddress, statementAtAddress] = [-1, 0, -1, false];
  for (let row = first; row < last; row++) {
    const [address, file, line, flag] = [addresses[row] as number, files[row] as number, lines[row] as number, flags[row] as number];
    const isStatement = (flag & ROW.STATEMENT) !== 0;
    const changed = file !== lastFile;
    const ignored = (changed && address === lastAddress && !isStatement && statementAtAddress) || line === 0;
    if (changed && !ignored) dropEmpty(table, kept, address, lastFile);
    if (!ignored && (changed || line !== lastLine || (flag & ROW.DISCRIMINATED) === 0)) {
      kept.push(row);
      lastLine = line;
    }
    statementAtAddress = address === lastAddress ? statementAtAddress || isStatement : isStatement;
    lastAddress = address;
    if (!ignored) lastFile = file;
  }
  return kept;
}

/** Rows of the file that is left that have no code. */
function dropEmpty(table: LineTable, kept: number[], address: number, file: number): void {
  const { addresses, files } = table.rows;
  for (let last = kept.at(-1); last !== undefined && addresses[last] === address && files[last] === file; last = kept.at(-1)) kept.pop();
}
