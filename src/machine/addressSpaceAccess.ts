/**
 * Reading and writing guest memory from the kernel's side: as the guest itself could, or not at
 * all. An access that the guest would fault on throws BadAddress, which the system call dispatcher
 * turns into EFAULT. A range that is accessible is also contiguous in linear memory (no mapping
 * covers the last linear page), so every access is one plain typed-array operation.
 */
import { PAGE_SIZE, hex, pageFloor } from '../base/types.js';
import { GUEST_BASE } from '../layout/memoryMap.js';
import type { LinearMemory } from './linearMemory.js';
import type { Access } from './stop.js';

/** A pointer the guest handed to the kernel that it could not have used itself. */
export class BadAddress extends Error {
  override name = 'BadAddress';
  constructor(readonly address: number) {
    super(`bad address ${hex(address)}`);
  }
}

const TWO_32 = 0x1_0000_0000;
/**
 * What is made ready at first for a caller that may store less than there is room for; then so many times more.
 * Messages and what pipes hold fit into it.
 */
const FIRST_ROOM = 256 * 1024;
const MORE_ROOM = 4;

export abstract class GuestMemoryAccess {
  protected constructor(readonly linear: LinearMemory) {}

  /** Makes [address, address + length) accessible and returns its linear offset, or throws BadAddress. */
  protected abstract reach(address: number, length: number, access: Access): number;

  /**
   * The live bytes, for a caller that does not know yet which of them matter. Fewer than asked for where a view ends.
   */
  protected abstract glance(address: number, length: number): Uint8Array;

  /** Makes [address, address + length) accessible, or throws BadAddress. Tells the witness nothing. */
  protected abstract require(address: number, length: number, access: Access): void;

  /** Whether it begins in a view, or near one, and ends beyond. */
  protected abstract goesOverView(address: number, length: number): boolean;

  /** The bytes have just been stored, by the kernel or an analysis. */
  protected abstract stored(address: number, length: number): void;

  /** A copy of the bytes. */
  read(address: number, length: number): Uint8Array {
    const offset = this.reach(address, length, 'read');
    return this.linear.u8.slice(offset, offset + length);
  }

  /** The live bytes, without a copy. With access 'write' the caller may store into them at once, not later. */
  view(address: number, length: number, access: Access): Uint8Array {
    const offset = this.reach(address, length, access);
    return this.linear.u8.subarray(offset, offset + length);
  }

  readInto(target: Uint8Array, address: number): void {
    target.set(this.view(address, target.length, 'read'));
  }

  write(address: number, bytes: Uint8Array): void {
    const offset = this.reach(address, bytes.length, 'write');
    this.linear.u8.set(bytes, offset);
  }

  fillBytes(address: number, length: number, value: number): void {
    const offset = this.reach(address, length, 'write');
    this.linear.u8.fill(value, offset, offset + length);
  }

  /**
   * Lets `store` fill a buffer from its begin on; it returns how many bytes it has stored, or a negative number, and is
   * asked again for the rest when it has filled all that it was given. That costs by what is stored, not by the room
   * there is. Throws BadAddress if the guest could not store a byte there; a buffer that the guest can use in part ends
   * there.
   */
  fill(address: number, length: number, store: (target: Uint8Array, done: number) => number, first = FIRST_ROOM): number {
    // What goes over the end of a view is refused, however little of it will be used.
    const usable = this.goesOverView(address, length) ? this.writableAt(address, length) : length;
    let done = 0;
    for (let most = first; ; most *= MORE_ROOM) {
      const wanted = Math.min(most, usable - done);
      const room = this.roomAt(address + done, wanted, done > 0);
      const count = done > 0 && room.length === 0 ? 0 : store(room, done);
      if (count > 0) this.stored(address + done, count);
      if (count < 0) return done > 0 ? done : count;
      done += count;
      if (count === 0 || count < wanted || done >= usable) return done;
    }
  }

  private roomAt(address: number, length: number, mayBeNone: boolean): Uint8Array {
    const offset = linearOffset(address);
    try {
      return this.linear.u8.subarray(offset, offset + this.writableAt(address, length));
    } catch (error) {
      if (!mayBeNone || !(error instanceof BadAddress)) throw error;
      return this.linear.u8.subarray(0, 0);
    }
  }

  /** How many of these bytes the guest could write, from the first on; throws BadAddress if it is none. */
  private writableAt(address: number, length: number): number {
    if (length === 0) return 0;
    try {
      this.require(address, length, 'write');
      return length;
    } catch (error) {
      if (!(error instanceof BadAddress) || error.address <= address) throw error;
      this.require(address, error.address - address, 'write');
      return error.address - address;
    }
  }

  readU8(address: number): number {
    return this.linear.u8[this.reach(address, 1, 'read')] as number;
  }

  readU16(address: number): number {
    return this.linear.view.getUint16(this.reach(address, 2, 'read'), true);
  }

  readU32(address: number): number {
    return this.linear.view.getUint32(this.reach(address, 4, 'read'), true);
  }

  readI32(address: number): number {
    return this.linear.view.getInt32(this.reach(address, 4, 'read'), true);
  }

  readU64(address: number): bigint {
    return this.linear.view.getBigUint64(this.reach(address, 8, 'read'), true);
  }

  /** An unsigned 64-bit value as a double: exact up to 2^53. */
  readNum64(address: number): number {
    const offset = this.reach(address, 8, 'read');
    return this.linear.view.getUint32(offset + 4, true) * TWO_32 + this.linear.view.getUint32(offset, true);
  }

  /** A signed 64-bit value as a double: exact up to 2^53 either way. */
  readSigned64(address: number): number {
    const offset = this.reach(address, 8, 'read');
    return this.linear.view.getInt32(offset + 4, true) * TWO_32 + this.linear.view.getUint32(offset, true);
  }

  writeU8(address: number, value: number): void {
    this.linear.u8[this.reach(address, 1, 'write')] = value;
  }

  writeU16(address: number, value: number): void {
    this.linear.view.setUint16(this.reach(address, 2, 'write'), value, true);
  }

  /** Negative values are stored in two's complement. */
  writeU32(address: number, value: number): void {
    this.linear.view.setUint32(this.reach(address, 4, 'write'), value, true);
  }

  writeU64(address: number, value: bigint): void {
    this.linear.view.setBigUint64(this.reach(address, 8, 'write'), BigInt.asUintN(64, value), true);
  }

  /** Any integer a double holds exactly, negative ones included. */
  writeNum64(address: number, value: number): void {
    const offset = this.reach(address, 8, 'write');
    const high = Math.floor(value / TWO_32);
    this.linear.view.setUint32(offset, value - high * TWO_32, true);
    this.linear.view.setInt32(offset + 4, high | 0, true);
  }

  /** The bytes before the NUL. Without a NUL in the first `max` bytes: those `max` bytes. */
  readCString(address: number, max = 4096): Uint8Array {
    let length = 0;
    while (length < max) {
      const at = address + length;
      const step = Math.min(max - length, pageFloor(at) + PAGE_SIZE - at);
      const bytes = this.glance(at, step);
      const end = bytes.indexOf(0);
      if (end >= 0) return this.read(address, length + end + 1).subarray(0, -1);
      length += bytes.length;
    }
    return this.read(address, max);
  }
}

export function linearOffset(address: number): number {
  return (address | GUEST_BASE) >>> 0;
}
