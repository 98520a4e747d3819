/**
 * The memory behind the blocks of a checked heap. Who gets which is no matter of safety if views see to that, so freed
 * memory is used again at once, in classes of sizes; what is large has pages of its own. Where there are no views, it
 * has to wait until so many bytes have been freed after it.
 */
import { pageCeil } from '../../base/types.js';

export interface Pages {
  /** The address of fresh pages full of zeros; undefined if there is no more memory. */
  map(length: number): number | undefined;
  unmap(address: number, length: number): void;
}

interface Piece {
  readonly address: number;
  /** At least as many bytes as were asked for. */
  readonly capacity: number;
  /** No block has had it before: it is zero. */
  readonly isFresh: boolean;
}

const GRAIN = 16;
const LARGE = 128 * 1024;
const ARENA = 1 << 20;
/** A power of two. */
const SMALLEST_RING = 1024;
/** No address. */
export const NOWHERE = -1;
/** Classes of sizes above this are an eighth of a power of two apart. */
const FINE = 1024;

export class Storage {
  /** Free pieces by capacity, in grains. */
  private readonly free: (number[] | undefined)[] = new Array<number[] | undefined>(LARGE / GRAIN + 1).fill(undefined);
  /** Arenas and large pieces, by where they begin. */
  private readonly mapped = new Map<number, number>();
  private readonly waiting: WaitingPieces;
  private readonly waitingLarge: WaitingPieces;
  private next = 0;
  private end = 0;

  constructor(
    private readonly pages: Pages,
    /** What was freed last, as many bytes, does not serve again. */
    waitingBytes: number,
    origin?: Storage,
    /** Which way fresh pieces follow each other. */
    private readonly order: 'up' | 'down' = origin?.order ?? 'up',
  ) {
    this.waiting = new WaitingPieces(waitingBytes, origin?.waiting);
    this.waitingLarge = new WaitingPieces(waitingBytes, origin?.waitingLarge);
    if (origin === undefined) return;
    origin.free.forEach((list, grains) => (this.free[grains] = list?.slice()));
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
    const used = this.free[capacity / GRAIN]?.pop();
    if (used !== undefined) return { address: used, capacity, isFresh: false };
    if (this.next + capacity > this.end && !this.grow()) return undefined;
    return { address: this.takeFresh(capacity), capacity, isFresh: true };
  }

  /**
   * The address of a piece with so much room (see `capacityFor`); NOWHERE if memory would have to be mapped for it, or
   * to be cleared.
   */
  takeQuickly(capacity: number, zeroed: boolean): number {
    if (!(capacity <= LARGE)) return NOWHERE;
    const used = this.free[capacity / GRAIN];
    if (used !== undefined && used.length > 0) return zeroed ? NOWHERE : (used.pop() as number);
    return this.next + capacity > this.end ? NOWHERE : this.takeFresh(capacity);
  }

  /** From the arena, which has room for it. */
  private takeFresh(capacity: number): number {
    if (this.order === 'down') return (this.end -= capacity);
    this.next += capacity;
    return this.next - capacity;
  }

  /** Whether `give` need not take mapped memory away. */
  isSmall(capacity: number): boolean {
    return capacity <= LARGE;
  }

  give(address: number, capacity: number): void {
    const { waiting, waitingLarge } = this;
    if (capacity > LARGE) {
      waitingLarge.add(address, capacity);
      while (waitingLarge.areTooMany) {
        this.unmap(waitingLarge.oldest, waitingLarge.oldestCapacity);
        waitingLarge.dropOldest();
      }
    } else if (waiting.most === 0) this.release(address, capacity);
    else {
      waiting.add(address, capacity);
      while (waiting.areTooMany) {
        this.release(waiting.oldest, waiting.oldestCapacity);
        waiting.dropOldest();
      }
    }
  }

  private release(address: number, capacity: number): void {
    const list = this.free[capacity / GRAIN];
    if (list === undefined) this.free[capacity / GRAIN] = [address];
    else list.push(address);
  }

  private unmap(address: number, capacity: number): void {
    this.pages.unmap(address, capacity);
    this.mapped.delete(address);
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

/** Freed memory that has to wait for its turn: a ring, since all that is freed comes through here. */
class WaitingPieces {
  private addresses: Float64Array<ArrayBuffer>;
  private capacities: Float64Array<ArrayBuffer>;
  private first = 0;
  private count = 0;
  private bytes = 0;

  constructor(
    readonly most: number,
    origin?: WaitingPieces,
  ) {
    this.addresses = origin?.addresses.slice() ?? new Float64Array(SMALLEST_RING);
    this.capacities = origin?.capacities.slice() ?? new Float64Array(SMALLEST_RING);
    if (origin !== undefined) [this.first, this.count, this.bytes] = [origin.first, origin.count, origin.bytes];
  }

  add(address: number, capacity: number): void {
    if (this.count === this.addresses.length) this.grow();
    const at = (this.first + this.count++) & (this.addresses.length - 1);
    this.addresses[at] = address;
    this.capacities[at] = capacity;
    this.bytes += capacity;
  }

  get areTooMany(): boolean {
    return this.bytes > this.most;
  }

  get oldest(): number {
    return this.addresses[this.first] as number;
  }

  get oldestCapacity(): number {
    return this.capacities[this.first] as number;
  }

  dropOldest(): void {
    this.bytes -= this.oldestCapacity;
    this.first = (this.first + 1) & (this.addresses.length - 1);
    this.count--;
  }

  private grow(): void {
    this.addresses = unrolled(this.addresses, this.first);
    this.capacities = unrolled(this.capacities, this.first);
    this.first = 0;
  }
}

/** A ring of twice the size, from its first one on. */
function unrolled(ring: Float64Array<ArrayBuffer>, first: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(ring.length * 2);
  larger.set(ring.subarray(first));
  larger.set(ring.subarray(0, first), ring.length - first);
  return larger;
}

/** The room that a piece for so many bytes has. */
export function capacityFor(size: number): number {
  if (size > LARGE) return pageCeil(size);
  if (size <= FINE) return Math.max(GRAIN, Math.ceil(size / GRAIN) * GRAIN);
  const step = 1 << (28 - Math.clz32(size - 1));
  const capacity = Math.ceil(size / step) * step;
  return capacity > LARGE ? pageCeil(capacity) : capacity;
}
