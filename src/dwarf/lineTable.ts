/**
 * The line table of one unit: rows in sequences of ascending addresses. An address belongs to the last row at or below
 * it in its sequence. Sequences of code that the linker threw away are left out.
 */
import type { DebugInfo } from './debugInfo.js';
import { readLineHeader, type LineHeader, type SourceFile, type UnitNames } from './lineHeader.js';
import { ROW, runLineProgram, type LineRows } from './lineProgram.js';

/** One row, with the address where the next one with another address begins. */
export interface LineRow {
  readonly address: number;
  readonly end: number;
  readonly file: SourceFile | undefined;
  /** 0: code without a line of its own. */
  readonly line: number;
  readonly column: number;
  readonly isStatement: boolean;
  readonly prologueEnd: boolean;
}

interface Sequence {
  readonly low: number;
  readonly high: number;
  /** Its rows are [first, last); row `last` is the end. */
  readonly first: number;
  readonly last: number;
}

export class LineTable {
  readonly header: LineHeader;
  private lineRows: LineRows | undefined;
  private sequenceList: readonly Sequence[] | undefined;

  /** Throws a DwarfError if there is no header at `offset` of .debug_line. */
  constructor(
    private readonly info: DebugInfo,
    offset: number,
    unit: UnitNames,
  ) {
    this.header = readLineHeader(info, offset, unit);
  }

  /** The file with a number as DW_AT_decl_file and the rows have it. */
  file(number: number): SourceFile | undefined {
    return this.header.files[number];
  }

  /** All rows, as the program made them. */
  get rows(): LineRows {
    this.lineRows ??= runLineProgram(this.info.need('.debug_line').at(this.header.start, this.header.end), this.header);
    return this.lineRows;
  }

  get sequences(): readonly Sequence[] {
    this.sequenceList ??= this.findSequences();
    return this.sequenceList;
  }

  /** Number of the row that an address belongs to, or -1. */
  indexAt(address: number): number {
    const sequence = this.sequenceAt(address);
    if (sequence === undefined) return -1;
    const { addresses } = this.rows;
    let [low, high] = [sequence.first, sequence.last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((addresses[middle] as number) <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The row that an address belongs to. */
  at(address: number): LineRow | undefined {
    const index = this.indexAt(address);
    return index < 0 ? undefined : this.row(index);
  }

  /**
   * The row that a debugger shows for an address: of several at one address the last that begins a statement; code
   * without a line belongs to the line before it.
   */
  statementAt(address: number): LineRow | undefined {
    const sequence = this.sequenceAt(address);
    if (sequence === undefined) return undefined;
    const { addresses, lines, flags } = this.rows;
    let last = this.indexAt(address);
    while (last >= sequence.first && lines[last] === 0) last--;
    if (last < sequence.first) return undefined;
    for (let i = last; i >= sequence.first && addresses[i] === addresses[last] && lines[i] !== 0; i--) {
      if (((flags[i] as number) & ROW.STATEMENT) !== 0) return this.row(i);
    }
    return this.row(last);
  }

  row(index: number): LineRow {
    const { addresses, files, lines, columns, flags, count } = this.rows;
    const address = addresses[index] as number;
    let next = index + 1;
    while (next < count && addresses[next] === address) next++;
    return {
      address,
      end: next < count ? (addresses[next] as number) : address,
      file: this.file(files[index] as number),
      line: lines[index] as number,
      column: columns[index] as number,
      isStatement: ((flags[index] as number) & ROW.STATEMENT) !== 0,
      prologueEnd: ((flags[index] as number) & ROW.PROLOGUE_END) !== 0,
    };
  }

  private sequenceAt(address: number): Sequence | undefined {
    const { sequences } = this;
    let [low, high] = [0, sequences.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sequences[middle] as Sequence).low <= address) low = middle + 1;
      else high = middle;
    }
    // Sequences do not overlap unless something is wrong; then the one that begins last counts.
    const found = sequences[low - 1];
    return found !== undefined && address < found.high ? found : undefined;
  }

  private findSequences(): Sequence[] {
    const { count, addresses, flags } = this.rows;
    const sequences: Sequence[] = [];
    let first = 0;
    for (let i = 0; i < count; i++) {
      if (((flags[i] as number) & ROW.END_SEQUENCE) === 0) continue;
      const [low, high] = [addresses[first] as number, addresses[i] as number];
      if (low < high && low >= this.info.lowestAddress && this.isSorted(first, i)) sequences.push({ low, high, first, last: i });
      first = i + 1;
    }
    return sequences.sort((a, b) => a.low - b.low);
  }

  private isSorted(first: number, last: number): boolean {
    const { addresses } = this.rows;
    for (let i = first; i < last; i++) if ((addresses[i] as number) > (addresses[i + 1] as number)) return false;
    return true;
  }
}
