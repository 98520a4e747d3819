/**
 * The memory behind the blocks of a checked heap. Who gets which is no matter of safety if views see to that, so freed memory is used again at once, in classes of
 * sizes; what is large has pages of its own. Where there are no views, it has to wait until so many bytes have been freed after it.
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
/** Numbers that are not needed any more, before a list is cut. */
const MANY_GONE = 4096;
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
    const address = this.next;
    this.next += capacity;
    return { address, capacity, isFresh: true };
  }

  /** Undefined if memory would have to be mapped for it, or to be cleared. */
  takeQuickly(size: number, zeroed: boolean): Piece | undefined {
    if (!(size >= 0 && size <= LARGE)) return undefined;
    const capacity = capacityFor(size);
    if (capacity > LARGE) return undefined;
    const used = this.free[capacity / GRAIN];
    const isAtHand = used !== undefined && used.length > 0 ? !zeroed : this.next + capacity <= this.end;
    return isAtHand ? this.take(size) : undefined;
  }

  /** Whether `give` need not take mapped memory away. */
  isSmall(capacity: number): boolean {
    return capacity <= LARGE;
  }

  give(address: number, capacity: number): void {
    if (capacity > LARGE) this.waitingLarge.add(address, capacity, (one, length) => this.unmap(one, length));
    else if (this.waiting.most === 0) this.release(address, capacity);
    else this.waiting.add(address, capacity, (one, length) => this.release(one, length));
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

/** Freed memory that has to wait for its turn. */
class WaitingPieces {
  /** Address and capacity in turn, from `first` on. */
  private pieces: number[] = [];
  private first = 0;
  private bytes = 0;

  constructor(
    readonly most: number,
    origin?: WaitingPieces,
  ) {
    if (origin === undefined) return;
    [this.pieces, this.first, this.bytes] = [origin.pieces.slice(), origin.first, origin.bytes];
  }

  add(address: number, capacity: number, release: (address: number, capacity: number) => void): void {
    this.pieces.push(address, capacity);
    this.bytes += capacity;
    while (this.bytes > this.most) {
      const [oldest, length] = [this.pieces[this.first] as number, this.pieces[this.first + 1] as number];
      this.first += 2;
      this.bytes -= length;
      release(oldest, length);
    }
    if (this.first < MANY_GONE || this.first * 2 < this.pieces.length) return;
    this.pieces = this.pieces.slice(this.first);
    this.first = 0;
  }
}

function capacityFor(size: number): number {
  if (size > LARGE) return pageCeil(size);
  if (size <= FINE) return Math.max(GRAIN, Math.ceil(size / GRAIN) * GRAIN);
  const step = 1 << (28 - Math.clz32(size - 1));
  const capacity = Math.ceil(size / step) * step;
  return capacity > LARGE ? pageCeil(capacity) : capacity;
}
