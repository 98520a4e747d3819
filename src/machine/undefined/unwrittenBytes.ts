/**
 * Which bytes of guest memory nobody has written since they were allocated: the bits that generated code looks at and keeps (jit/helpers/init.ts), as JavaScript
 * sees them. A byte of which only some bits are undefined counts as unwritten; which bits, is noted here, and where the undefined value came from that was stored there.
 */
import { GUEST_SPACE_SIZE, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { LinearMemory } from '../linearMemory.js';

/** Notes about single bytes; when there are more, their bytes count as written. */
const MOST_NOTES = 200_000;

interface Note {
  /** Ones for undefined bits. */
  readonly bits: number;
  readonly origin: number;
}

export class UnwrittenBytes {
  private notes = new Map<number, Note>();

  constructor(private readonly linear: LinearMemory) {}

  /** Nobody has written these bytes. */
  add(address: number, length: number): void {
    this.fill(address, length, 0xff);
    if (this.notes.size > 0) this.forget(address, length);
  }

  remove(address: number, length: number): void {
    this.fill(address, length, 0);
  }

  has(address: number): boolean {
    const at = address % GUEST_SPACE_SIZE;
    return (((this.linear.u8[UNWRITTEN_BYTES + (at >>> 3)] as number) >> (at & 7)) & 1) === 1;
  }

  /** The first of these bytes that is unwritten. */
  firstIn(address: number, length: number): number | undefined {
    const { u8 } = this.linear;
    for (let i = 0; i < length; i++) {
      const at = (address + i) % GUEST_SPACE_SIZE;
      if ((at & 7) === 0 && i + 8 <= length && u8[UNWRITTEN_BYTES + (at >>> 3)] === 0) i += 7;
      else if (this.has(address + i)) return address + i;
    }
    return undefined;
  }

  /** Ones for the undefined bits of up to 16 bytes. */
  bitsOf(address: number, length: number): bigint {
    if (this.firstIn(address, length) === undefined) return 0n;
    let bits = 0n;
    for (let i = length - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(this.has(address + i) ? (this.notes.get((address + i) % GUEST_SPACE_SIZE)?.bits ?? 0xff) : 0);
    return bits;
  }

  /** Where the value of the first undefined byte among these came from. */
  originOf(address: number, length: number): number {
    const first = this.firstIn(address, length) ?? address;
    return this.notes.get(first % GUEST_SPACE_SIZE)?.origin ?? first;
  }

  /** A value with undefined bits has been stored. */
  store(address: number, length: number, bits: bigint, origin: number): void {
    if (this.notes.size > MOST_NOTES) this.forgetAll();
    for (let i = 0; i < length; i++) {
      const own = Number((bits >> BigInt(8 * i)) & 0xffn);
      const at = (address + i) % GUEST_SPACE_SIZE;
      this.fill(at, 1, own === 0 ? 0 : 0xff);
      if (own === 0) this.notes.delete(at);
      else this.notes.set(at, { bits: own, origin });
    }
  }

  /** Bytes have been copied from where they still are. */
  copy(to: number, from: number, length: number): void {
    this.copyOf(from, length)(to);
  }

  /** What is known of bytes that are about to be copied: to be said of the copy. */
  copyOf(from: number, length: number): (to: number) => void {
    const unwritten: { readonly at: number; readonly bits: bigint; readonly origin: number }[] = [];
    for (let i = 0; i < length; i++) {
      const next = this.firstIn(from + i, length - i);
      if (next === undefined) break;
      i = next - from;
      unwritten.push({ at: i, bits: this.bitsOf(next, 1), origin: this.originOf(next, 1) });
    }
    return (to) => {
      this.remove(to, length);
      for (const { at, bits, origin } of unwritten) this.store(to + at, 1, bits, origin);
    };
  }

  /** Bytes are about to be written, perhaps fewer than there is room for: those after the first so many are then as they were. */
  keepRest(address: number, length: number): (written: number) => void {
    const { u8 } = this.linear;
    const start = address % GUEST_SPACE_SIZE;
    const first = start >>> 3;
    const saved = u8.slice(UNWRITTEN_BYTES + first, UNWRITTEN_BYTES + ((start + length + 7) >>> 3));
    return (written) => {
      let at = start + Math.max(written, 0);
      for (; at < start + length && (at & 7) !== 0; at++) this.fill(at, 1, (((saved[(at >>> 3) - first] as number) >> (at & 7)) & 1) === 0 ? 0 : 0xff);
      if (at < start + length) u8.set(saved.subarray((at >>> 3) - first), UNWRITTEN_BYTES + (at >>> 3));
    };
  }

  /** Everything that another memory says of its bytes. */
  copyFrom(other: UnwrittenBytes, start: number, end: number): void {
    const [first, last] = [UNWRITTEN_BYTES + Math.floor((start % GUEST_SPACE_SIZE) / 8), UNWRITTEN_BYTES + Math.ceil((((end - 1) % GUEST_SPACE_SIZE) + 1) / 8)];
    this.linear.u8.set(other.linear.u8.subarray(first, last), first);
    this.notes = new Map(other.notes);
  }

  private fill(address: number, length: number, value: 0 | 0xff): void {
    const { u8 } = this.linear;
    let at = address % GUEST_SPACE_SIZE;
    const end = Math.min(at + length, GUEST_SPACE_SIZE);
    const one = (): void => {
      const place = UNWRITTEN_BYTES + (at >>> 3);
      const bit = 1 << (at & 7);
      u8[place] = value === 0 ? (u8[place] as number) & ~bit : (u8[place] as number) | bit;
    };
    for (; at < end && (at & 7) !== 0; at++) one();
    const whole = end - ((end - at) & 7);
    if (whole > at) u8.fill(value, UNWRITTEN_BYTES + at / 8, UNWRITTEN_BYTES + whole / 8);
    for (at = Math.max(at, whole); at < end; at++) one();
  }

  private forget(address: number, length: number): void {
    const start = address % GUEST_SPACE_SIZE;
    if (length <= this.notes.size) for (let at = start; at < start + length; at++) this.notes.delete(at);
    else for (const at of [...this.notes.keys()]) if (at >= start && at < start + length) this.notes.delete(at);
  }

  private forgetAll(): void {
    for (const at of this.notes.keys()) this.fill(at, 1, 0);
    this.notes.clear();
  }
}
