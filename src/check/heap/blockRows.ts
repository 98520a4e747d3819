/**
 * A table of live blocks as numbers. There are millions of blocks in a run; as objects they would keep the garbage
 * collector busy for longer than the program itself takes. A row is used again as soon as its block is gone.
 */

/** Doubles of a row. */
const [BEGIN, REAL, ALLOCATED_AT] = [0, 1, 2];
const DOUBLES = 4;
/** Integers of a row. `INSET`: how far the block is from where its piece of memory begins. */
const [ID, SIZE, CAPACITY, INSET, ALLOCATED_BY, FAMILY] = [0, 1, 2, 3, 4, 5];
const INTEGERS = 8;
const SMALLEST = 1024;

export class BlockRows {
  private doubles: Float64Array<ArrayBuffer>;
  private integers: Uint32Array<ArrayBuffer>;
  /** Rows that have been in use so far are before it. */
  end = 0;
  private readonly unused: number[] = [];

  constructor(origin?: BlockRows) {
    this.doubles = origin?.doubles.slice() ?? new Float64Array(SMALLEST * DOUBLES);
    this.integers = origin?.integers.slice() ?? new Uint32Array(SMALLEST * INTEGERS);
    if (origin !== undefined) [this.end, this.unused] = [origin.end, origin.unused.slice()];
  }

  /** Returns its row. Where it is and when it was made is said by `place`. */
  add(id: number, size: number, inset: number, capacity: number, family: number, by: number): number {
    const row = this.unused.pop() ?? this.take();
    const { integers } = this;
    const at = row * INTEGERS;
    integers[at + ID] = id;
    integers[at + SIZE] = size;
    integers[at + CAPACITY] = capacity;
    integers[at + INSET] = inset;
    integers[at + ALLOCATED_BY] = by;
    integers[at + FAMILY] = family;
    return row;
  }

  place(row: number, begin: number, real: number, time: number): void {
    const { doubles } = this;
    doubles[row * DOUBLES + BEGIN] = begin;
    doubles[row * DOUBLES + REAL] = real;
    doubles[row * DOUBLES + ALLOCATED_AT] = time;
  }

  /** The block is gone. */
  release(row: number): void {
    this.doubles[row * DOUBLES + BEGIN] = NaN;
    this.unused.push(row);
  }

  isUsed(row: number): boolean {
    return !Number.isNaN(this.begin(row));
  }

  begin(row: number): number {
    return this.doubles[row * DOUBLES + BEGIN] as number;
  }

  real(row: number): number {
    return this.doubles[row * DOUBLES + REAL] as number;
  }

  allocatedAt(row: number): number {
    return this.doubles[row * DOUBLES + ALLOCATED_AT] as number;
  }

  id(row: number): number {
    return this.integers[row * INTEGERS + ID] as number;
  }

  size(row: number): number {
    return this.integers[row * INTEGERS + SIZE] as number;
  }

  capacity(row: number): number {
    return this.integers[row * INTEGERS + CAPACITY] as number;
  }

  /** Where its piece of memory begins. */
  pieceAddress(row: number): number {
    return this.real(row) - (this.integers[row * INTEGERS + INSET] as number);
  }

  allocatedBy(row: number): number {
    return this.integers[row * INTEGERS + ALLOCATED_BY] as number;
  }

  family(row: number): number {
    return this.integers[row * INTEGERS + FAMILY] as number;
  }

  private take(): number {
    if (this.end * DOUBLES === this.doubles.length) this.grow();
    return this.end++;
  }

  private grow(): void {
    const { doubles, integers } = this;
    this.doubles = new Float64Array(doubles.length * 2);
    this.doubles.set(doubles);
    this.integers = new Uint32Array(integers.length * 2);
    this.integers.set(integers);
  }
}
