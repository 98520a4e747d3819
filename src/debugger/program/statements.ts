/**
 * Statements: what a line consists of, and which of them an instruction belongs to (docs/statements.md). `FILE:LINE.K`
 * is the K-th statement of a line, in the order of columns. Where the source is at hand its text says what the
 * statements are (statementScanner.ts); elsewhere every column that begins a statement in the line table is one.
 *
 * One object stands for a statement, in whatever modules it has code.
 */
import type { GuestAddr } from '../../base/types.js';
import type { ModuleFile } from './moduleFile.js';
import type { LoadedModule } from './modules.js';
import { ModuleStatements } from './moduleStatements.js';
import type { SourceText } from './sourceText.js';
import { type LinePart, scanStatements } from './statementScanner.js';

interface StatementPlace {
  readonly path: string;
  readonly line: number;
  /** Undefined: all of the line. */
  readonly part: number | undefined;
}

export interface Statement extends StatementPlace {
  /** Where it begins, in bytes from 1 on; 0 for a whole line. */
  readonly column: number;
  /** Undefined if the source is not at hand. */
  readonly text: string | undefined;
  /** A number of its own: the upper bits are its group's, the lowest PART_BITS its place in that. */
  readonly unit: number;
}

/** A stretch of code of a statement in one file: [start, end), without load bias. */
export interface StatementRange {
  readonly start: number;
  readonly end: number;
  /** Whether control that comes here from elsewhere has arrived at the statement. */
  readonly begins: boolean;
}

/** What a statement is where it has code. */
export interface StatementCode {
  readonly statement: Statement;
  readonly file: ModuleFile;
  readonly ranges: readonly StatementRange[];
}

export const PART_BITS = 5;
const MOST_PARTS = 1 << PART_BITS;

/** `tally.c:19.2`, with the whole path if asked. */
export function statementName({ path, line, part }: StatementPlace, isLong = false): string {
  return `${isLong ? path : path.slice(path.lastIndexOf('/') + 1)}:${line}${part === undefined ? '' : `.${part}`}`;
}

export class Statements {
  private readonly files = new WeakMap<ModuleFile, ModuleStatements>();
  private readonly scanned = new Map<readonly string[], readonly (readonly LinePart[])[]>();
  private readonly known = new Map<string, Statement>();
  private readonly byUnit = new Map<number, Statement>();
  private readonly groups = new Map<string, number>();

  constructor(private readonly sources: Pick<SourceText, 'lines'>) {}

  /** The statement that an instruction belongs to; undefined without debug information. */
  at(module: LoadedModule, address: GuestAddr | bigint | number): Statement | undefined {
    return this.of(module.file).at(Number(address) - Number(module.bias))?.statement;
  }

  /** The statements of a line that have code in a file, in order. */
  ofLine(file: ModuleFile, path: string, line: number): readonly StatementCode[] {
    return this.of(file).ofLine(path, line);
  }

  of(file: ModuleFile): ModuleStatements {
    let known = this.files.get(file);
    if (known === undefined) this.files.set(file, (known = new ModuleStatements(file, this)));
    return known;
  }

  /** A line as one statement. */
  wholeLine(path: string, line: number): Statement {
    return this.intern({ path, line, part: undefined }, 0, undefined, this.groupOf(path, line, 'line'));
  }

  /** The K-th statement of a line: the `place`-th of the line's `group`-th group. */
  part(place: StatementPlace & { readonly part: number }, column: number, group: number, index: number): Statement {
    const { path, line } = place;
    return this.intern(place, column, this.textOf(path, line, column), this.groupOf(path, line, String(group)) + Math.min(index, MOST_PARTS - 1));
  }

  /** By its number. */
  withUnit(unit: number): Statement | undefined {
    return this.byUnit.get(unit);
  }

  /** What the text of a line consists of; undefined if the source is not at hand. */
  partsOf(path: string, line: number): readonly LinePart[] | undefined {
    const lines = this.sources.lines(path);
    if (lines === undefined) return undefined;
    let scanned = this.scanned.get(lines);
    if (scanned === undefined) this.scanned.set(lines, (scanned = scanStatements(lines)));
    return scanned[line - 1];
  }

  private textOf(path: string, line: number, column: number): string | undefined {
    const part = this.partsOf(path, line)?.find(({ start }) => start === column);
    const text = this.sources.lines(path)?.[line - 1];
    if (part === undefined || text === undefined) return undefined;
    return new TextDecoder().decode(new TextEncoder().encode(text).subarray(part.start - 1, part.end - 1)).trim();
  }

  private groupOf(path: string, line: number, group: string): number {
    const key = `${path}:${line} ${group}`;
    let number = this.groups.get(key);
    if (number === undefined) this.groups.set(key, (number = (this.groups.size + 1) * MOST_PARTS));
    return number;
  }

  private intern(place: StatementPlace, column: number, text: string | undefined, unit: number): Statement {
    const key = `${place.path}:${place.line}.${place.part ?? ''}`;
    let known = this.known.get(key);
    if (known === undefined) {
      this.known.set(key, (known = { ...place, column, text, unit }));
      this.byUnit.set(unit, known);
    }
    return known;
  }
}
