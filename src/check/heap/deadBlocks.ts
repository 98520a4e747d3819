/**
 * Blocks that have been freed, as numbers, in the order in which they died. There is room for so many; then the oldest
 * is forgotten.
 */
import type { BlockRows } from './blockRows.js';

const [BEGIN, REAL, ALLOCATED_AT, FREED_AT] = [0, 1, 2, 3];
const DOUBLES = 4;
const [ID, SIZE, ALLOCATED_BY, FREED_BY, FAMILY] = [0, 1, 2, 3, 4];
const INTEGERS = 5;
const SMALLEST = 4096;

/** A block that is about to die, in a table of live ones. */
type LiveRows = Pick<BlockRows, 'begin' | 'real' | 'allocatedAt' | 'id' | 'size' | 'allocatedBy' | 'family'>;

interface DeadBlock {
  readonly id: number;
  readonly begin: number;
  readonly real: number;
  readonly size: number;
  readonly family: number;
  readonly allocatedAt: number;
  readonly allocatedBy: number;
  readonly freedAt: number;
  readonly freedBy: number;
}

export class DeadBlocks {
  private doubles = new Float64Array(0);
  private integers = new Uint32Array(0);
  /** Room that there is now. */
  private capacity = 0;
  /** All that have ever died. */
  private added = 0;

  constructor(
    private readonly most: number,
    origin?: DeadBlocks,
  ) {
    if (origin === undefined) return;
    [this.doubles, this.integers, this.capacity, this.added] = [origin.doubles.slice(), origin.integers.slice(), origin.capacity, origin.added];
  }

  /** Returns its index. When it died is said by `setFreedAt`. */
  add(live: LiveRows, row: number, freedBy: number): number {
    if (this.added === this.capacity && this.capacity < this.most) this.grow();
    const { doubles, integers } = this;
    const index = this.added++ % this.most;
    doubles[index * DOUBLES + BEGIN] = live.begin(row);
    doubles[index * DOUBLES + REAL] = live.real(row);
    doubles[index * DOUBLES + ALLOCATED_AT] = live.allocatedAt(row);
    integers[index * INTEGERS + ID] = live.id(row);
    integers[index * INTEGERS + SIZE] = live.size(row);
    integers[index * INTEGERS + ALLOCATED_BY] = live.allocatedBy(row);
    integers[index * INTEGERS + FREED_BY] = freedBy;
    integers[index * INTEGERS + FAMILY] = live.family(row);
    return index;
  }

  setFreedAt(index: number, time: number): void {
    this.doubles[index * DOUBLES + FREED_AT] = time;
  }

  private grow(): void {
    const { doubles, integers } = this;
    this.capacity = Math.min(Math.max(this.capacity * 4, SMALLEST), this.most);
    this.doubles = new Float64Array(this.capacity * DOUBLES);
    this.doubles.set(doubles);
    this.integers = new Uint32Array(this.capacity * INTEGERS);
    this.integers.set(integers);
  }

  /** How many are remembered; they have indices from 0 on, in no order. */
  get count(): number {
    return Math.min(this.added, this.most);
  }

  begin(index: number): number {
    return this.doubles[index * DOUBLES + BEGIN] as number;
  }

  size(index: number): number {
    return this.integers[index * INTEGERS + SIZE] as number;
  }

  id(index: number): number {
    return this.integers[index * INTEGERS + ID] as number;
  }

  freedAt(index: number): number {
    return this.doubles[index * DOUBLES + FREED_AT] as number;
  }

  at(index: number): DeadBlock {
    const { doubles, integers } = this;
    return {
      id: this.id(index), begin: this.begin(index), size: this.size(index), freedAt: this.freedAt(index),
      real: doubles[index * DOUBLES + REAL] as number,
      allocatedAt: doubles[index * DOUBLES + ALLOCATED_AT] as number,
      allocatedBy: integers[index * INTEGERS + ALLOCATED_BY] as number,
      freedBy: integers[index * INTEGERS + FREED_BY] as number,
      family: integers[index * INTEGERS + FAMILY] as number,
    };
  }
}
