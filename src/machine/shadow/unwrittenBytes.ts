/**
 * Which bytes of guest memory have shadow: have not been written since they were allocated, say: the bits that
 * generated code looks at and keeps (jit/helpers/init.ts), as JavaScript sees them. A byte of which only some bits are
 * undefined counts as unwritten; which bits, is noted here, and where the undefined value came from that was stored
 * there.
 */
import { GUEST_SPACE_SIZE, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { MemoryRange } from '../../ir/meaning/strings.js';
import type { LinearMemory } from '../linearMemory.js';
import { ByteNotes, type Note } from './byteNotes.js';
import { CopyLog } from './copyLog.js';

/** Notes about single bytes; when there are more, their bytes count as written. */
const MOST_NOTES = 200_000;

/** Bytes of bits that are captured together, or not at all. */
const CHUNK = 4096;

/** Takes the linear part of an address, as a remainder would, but with integers. */
const OFFSET_MASK = GUEST_SPACE_SIZE - 1;

/** By length. */
const ALL_BITS: readonly bigint[] = Array.from({ length: 17 }, (_, bytes) => (1n << BigInt(8 * bytes)) - 1n);

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** The shadow of memory at a time: bits by where they are, those that are all 0 left out. */
export interface ShadowBytesSnapshot {
  readonly chunks: ReadonlyMap<number, Uint8Array>;
  readonly notes: ByteNotes;
  readonly copies: CopyLog;
}

/** A register of the running thread that the kernel has copied to memory, or has taken from there. */
export interface KeptRegister {
  /** Of its slot. */
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/** What is undefined of registers goes where the kernel copies them. */
export interface UndefinedRegisters {
  saved(registers: readonly KeptRegister[]): void;
  /** The thread goes on with them. */
  restored(registers: readonly KeptRegister[]): void;
}

export class UnwrittenBytes {
  /** Of the thread that runs. */
  registers: UndefinedRegisters | undefined;
  /** Told of what is stored otherwise than by instructions: by the kernel. */
  onRemoved: ((address: number, length: number) => void) | undefined;
  private readonly notes = new ByteNotes();
  private readonly copies = new CopyLog();

  constructor(private readonly linear: LinearMemory) {}

  /** These bytes have shadow: they are unwritten, say. */
  add(address: number, length: number): void {
    this.fill(address, length, 0xff);
    const at = address % GUEST_SPACE_SIZE;
    this.notes.forget(at, length);
    this.copies.forget(at, length);
  }

  remove(address: number, length: number): void {
    this.onRemoved?.(address, length);
    this.fill(address, length, 0);
  }

  has(address: number): boolean {
    const at = address & OFFSET_MASK;
    return (((this.linear.u8[UNWRITTEN_BYTES + (at >>> 3)] as number) >> (at & 7)) & 1) === 1;
  }

  /** The first of these bytes that is unwritten. */
  firstIn(address: number, length: number): number | undefined {
    const { u8, u32 } = this.linear;
    const start = address & OFFSET_MASK;
    const end = start + length;
    for (let at = start; at < end; ) {
      if ((at & 31) === 0 && u32[(UNWRITTEN_BYTES + (at >>> 3)) >>> 2] === 0) {
        at += 32;
        continue;
      }
      const bits = (u8[UNWRITTEN_BYTES + (at >>> 3)] as number) >>> (at & 7);
      if (bits !== 0) {
        const first = at + lowestBit(bits);
        return first < end ? address + (first - start) : undefined;
      }
      at = (at | 7) + 1;
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
    const at = first % GUEST_SPACE_SIZE;
    return this.notes.get(at)?.origin ?? this.copies.originOf(at) ?? first;
  }

  /** A value with undefined bits has been stored. */
  store(address: number, length: number, bits: bigint, origin: number): void {
    if (this.notes.size > MOST_NOTES) this.forgetAll();
    for (let i = 0; i < length; i++) {
      const own = Number((bits >> BigInt(8 * i)) & 0xffn);
      const at = (address + i) % GUEST_SPACE_SIZE;
      this.fill(at, 1, own === 0 ? 0 : 0xff);
      if (own === 0) this.notes.forget(at, 1);
      else this.notes.set(at, { bits: own, origin } satisfies Note);
    }
  }

  /** The same where it does not matter which bits of a byte are undefined, nor where they came from. */
  storeAll(address: number, length: number, bits: bigint): void {
    if (bits === 0n) {
      if (this.firstIn(address, length) !== undefined) this.fill(address, length, 0);
      return;
    }
    if (bits === ALL_BITS[length]) {
      this.fill(address, length, 0xff);
      if (this.notes.size > 0) this.notes.forget(address % GUEST_SPACE_SIZE, length);
      return;
    }
    for (let i = 0; i < length; i++) {
      const own = Number((bits >> BigInt(8 * i)) & 0xffn);
      this.fill(address + i, 1, own === 0 ? 0 : 0xff);
    }
  }

  /** Bytes have been copied from where they still are. */
  copy(to: number, from: number, length: number): void {
    this.copyOf(from, length)(to);
  }

  /** What is known of bytes that are about to be copied: to be said of the copy. */
  copyOf(from: number, length: number): (to: number) => void {
    const runs = this.runsIn(from, length);
    const start = from % GUEST_SPACE_SIZE;
    const notes = runs.flatMap(({ at, count }) => this.notes.in(start + at, count)).map(({ at, note }) => ({ at: at - start, note }));
    const origins = runs.map(({ at }) => this.copies.originOf(start + at) ?? from + at);
    return (to) => {
      this.remove(to, length);
      const target = to % GUEST_SPACE_SIZE;
      runs.forEach(({ at, count }, i) => {
        this.add(to + at, count);
        this.copies.note(target + at, count, origins[i] as number);
      });
      for (const { at, note } of notes) this.notes.set(target + at, note);
    };
  }

  /** Stretches of unwritten bytes, as distances. */
  private runsIn(address: number, length: number): { readonly at: number; readonly count: number }[] {
    const runs: { readonly at: number; readonly count: number }[] = [];
    for (let at = 0; at < length; ) {
      const first = this.firstIn(address + at, length - at);
      if (first === undefined) break;
      at = first - address;
      let end = at + 1;
      while (end < length && this.has(address + end)) end++;
      runs.push({ at, count: end - at });
      at = end;
    }
    return runs;
  }

  /** Everything that another memory says of its bytes. */
  copyFrom(other: UnwrittenBytes, start: number, end: number): void {
    const [first, last] = [UNWRITTEN_BYTES + Math.floor((start % GUEST_SPACE_SIZE) / 8), UNWRITTEN_BYTES + Math.ceil((((end - 1) % GUEST_SPACE_SIZE) + 1) / 8)];
    this.linear.u8.set(other.linear.u8.subarray(first, last), first);
    this.notes.copyFrom(other.notes);
    this.copies.copyFrom(other.copies);
  }

  capture(ranges: readonly MemoryRange[]): ShadowBytesSnapshot {
    const [notes, copies, chunks] = [new ByteNotes(), new CopyLog(), new Map<number, Uint8Array>()];
    notes.copyFrom(this.notes);
    copies.copyFrom(this.copies);
    this.eachChunk(ranges, (at, bits) => {
      if (bits.some((byte) => byte !== 0)) chunks.set(at, bits.slice());
    });
    return { chunks, notes, copies };
  }

  /** `ranges`: all that may have shadow now, or had it then. */
  restore({ chunks, notes, copies }: ShadowBytesSnapshot, ranges: readonly MemoryRange[]): void {
    this.eachChunk(ranges, (_, bits) => bits.fill(0));
    for (const [at, bits] of chunks) this.linear.u8.set(bits, at);
    this.notes.copyFrom(notes);
    this.copies.copyFrom(copies);
  }

  /** Stretches of the bits of some ranges, by where they are in linear memory. */
  private eachChunk(ranges: readonly MemoryRange[], visit: (at: number, bits: Uint8Array) => void): void {
    for (const { address, bytes } of ranges) {
      const start = address % GUEST_SPACE_SIZE;
      const end = UNWRITTEN_BYTES + Math.ceil((start + bytes) / 8);
      for (let at = UNWRITTEN_BYTES + (start >>> 3); at < end; at += CHUNK) visit(at, this.linear.u8.subarray(at, Math.min(at + CHUNK, end)));
    }
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

  private forgetAll(): void {
    for (const at of this.notes.addresses()) this.fill(at, 1, 0);
    this.notes.clear();
  }
}
