/**
 * Which part of a line (statementScanner.ts) the rows of a line table belong to. A column says it, but for operators:
 * gcc gives the tests of both operands of `a > 1 && b > 2` the column of the `&&`, and a conditional that of its `:`.
 * Then the order of the rows and what their code does say which is meant: a part is over when it has jumped.
 */
import { flowOf } from '../../x86/flow.js';
import type { LinePart } from './statementScanner.js';

/** A row with code: [address, end). */
export interface CodeRow {
  readonly address: number;
  readonly end: number;
  readonly column: number;
}

type ReadRowCode = (address: number, size: number) => Uint8Array | undefined;

/** Of one line, rows that follow each other. Tell it of a row of another line by `leave`. */
export class PartFinder {
  /** The part of the row before, if that was of the same group. */
  private last: number | undefined;
  private hasTested = false;
  private hasLeft = false;

  constructor(
    private readonly parts: readonly LinePart[],
    private readonly readCode: ReadRowCode,
  ) {}

  leave(): void {
    this.last = undefined;
    this.hasTested = this.hasLeft = false;
  }

  /** Whether the row before was of the group of this column: rows that begin no statement count only then. */
  continues(column: number): boolean {
    return this.last !== undefined && this.parts[this.last]?.group === this.parts[this.byColumn(column)]?.group;
  }

  /** The index of the part that the row belongs to. */
  find(row: CodeRow): number {
    const own = this.byColumn(row.column);
    if (!this.continues(row.column)) this.leave();
    const found = this.isOperator(own, row.column) ? this.byOperator(own) : own;
    if (found !== this.last) this.hasTested = this.hasLeft = false;
    this.last = found;
    this.noteCode(row);
    return found;
  }

  private byColumn(column: number): number {
    const found = this.parts.findLastIndex(({ start }) => start <= column);
    return Math.max(found, 0);
  }

  private isOperator(index: number, column: number): boolean {
    const part = this.parts[index];
    return part !== undefined && part.begins !== 'statement' && part.begins !== '?' && part.start === column;
  }

  private byOperator(right: number): number {
    const first = this.leftmost(right);
    const { last } = this;
    if (last === undefined || last < first) return first;
    if (this.parts[right]?.begins === ':') return this.inConditional(first, right, last);
    return last >= right || !this.hasTested ? last : right;
  }

  /** `first ? then : right`. */
  private inConditional(first: number, right: number, last: number): number {
    const then = this.thenPart(right);
    if (last >= right) return last;
    if (last < then) return this.hasTested && last >= first ? then : last;
    return this.hasLeft ? right : last;
  }

  /** The first part of what an operator has at its left. */
  private leftmost(right: number): number {
    const { parts } = this;
    const operator = parts[right] as LinePart;
    const from = operator.begins === ':' ? this.thenPart(right) : right;
    let index = from - 1;
    while (index > 0 && isJoined(parts[index] as LinePart, operator)) index--;
    return Math.max(index, 0);
  }

  /** The part that begins with the `?` of a `:`. */
  private thenPart(right: number): number {
    let waiting = 1;
    for (let i = right - 1; i > 0; i--) {
      const { begins, group } = this.parts[i] as LinePart;
      if (group !== this.parts[right]?.group) break;
      if (begins === ':') waiting++;
      if (begins === '?' && --waiting === 0) return i;
    }
    return right;
  }

  private noteCode({ address, end }: CodeRow): void {
    if (this.parts.length < 2) return;
    const code = this.readCode(address, end - address);
    const steps = code === undefined ? [] : flowOf(code, address);
    if (steps.some(({ kind }) => kind === 'conditional')) this.hasTested = true;
    if (steps.at(-1)?.kind === 'jump') this.hasLeft = true;
  }
}

/** Whether a part is an operand of the chain that the operator ends: a conditional or a parenthesis ends it. */
function isJoined(part: LinePart, operator: LinePart): boolean {
  return part.group === operator.group && (part.begins === '&&' || part.begins === '||') && part.depth >= operator.depth;
}
