/**
 * The memory behind the blocks of a checked heap. Who gets which is no matter of safety (views see to that), so freed memory is used again at once, in classes of
 * sizes; what is large has pages of its own.
 */
import { pageCeil } from '../../base/types.js';

export interface Pages {
  /** The address of fresh pages full of zeros; undefined if there is no more memory. */
  map(length: number): number | undefined;
  unmap(address: number, length: number): void;
}

export interface Piece {
  readonly address: number;
  /** At least as many bytes as were asked for. */
  readonly capacity: number;
  /** Nobody has had it before: it is zero. */
  readonly isFresh: boolean;
}

const GRAIN = 16;
const LARGE = 128 * 1024;
const ARENA = 1 << 20;
/** Classes of sizes above this are an eighth of a power of two apart. */
const FINE = 1024;

export class Storage {
  /** Free pieces by capacity. */
  private readonly free = new Map<number, number[]>();
  /** Arenas and large pieces, by where they begin. */
  private readonly mapped = new Map<number, number>();
  private next = 0;
  private end = 0;

  constructor(
    private readonly pages: Pages,
    origin?: Storage,
  ) {
    if (origin === undefined) return;
    for (const [capacity, list] of origin.free) this.free.set(capacity, list.slice());
    [this.next, this.end] = [origin.next, origin.end];
    for (const [address, length] of origin.mapped) this.mapped.set(address, length);
  }

  /** Whether memory at an address is ours. */
  owns(address: number): boolean {
    for (const [start, length] of this.mapped) if (address >= start && address < start + length) return true;
    return false;
  }

  take(size: number): Piece | undefined {
    const capacity = capacityFor(size);
    if (capacity > LARGE) {
      const address = this.pages.map(capacity);
      if (address === undefined) return undefined;
      this.mapped.set(address, capacity);
      return { address, capacity, isFresh: true };
    }
    const used = this.free.get(capacity)?.pop();
    if (used !== undefined) return { address: used, capacity, isFresh: false };
    if (this.next + capacity > this.end && !this.grow()) return undefined;
    const address = this.next;
    this.next += capacity;
    return { address, capacity, isFresh: true };
  }

  /** Whether `take` would have to map memory, or `give` to take it away. */
  isSmall(size: number): boolean {
    return size <= LARGE;
  }

  /** Whether a small piece is there without mapping more; `zeroed`: one that nobody has had before. */
  hasAtHand(size: number, zeroed: boolean): boolean {
    if (size > LARGE) return false;
    const capacity = capacityFor(size);
    const used = this.free.get(capacity);
    if (used !== undefined && used.length > 0) return !zeroed;
    return capacity <= LARGE && this.next + capacity <= this.end;
  }

  give(address: number, capacity: number): void {
    if (capacity > LARGE) {
      this.pages.unmap(address, capacity);
      this.mapped.delete(address);
      return;
    }
    const list = this.free.get(capacity);
    if (list === undefined) this.free.set(capacity, [address]);
    else list.push(address);
  }

  /** What is left of the last arena is lost; it is less than a large piece. */
  private grow(): boolean {
    const address = this.pages.map(ARENA);
    if (address === undefined) return false;
    [this.next, this.end] = [address, address + ARENA];
    this.mapped.set(address, ARENA);
    return true;
  }
}

function capacityFor(size: number): number {
  if (size > LARGE) return pageCeil(size);
  if (size <= FINE) return Math.max(GRAIN, Math.ceil(size / GRAIN) * GRAIN);
  const step = 2 ** (Math.ceil(Math.log2(size)) - 4);
  const capacity = Math.ceil(size / step) * step;
  return capacity > LARGE ? pageCeil(capacity) : capacity;
}
