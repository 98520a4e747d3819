/**
 * What the kernel stores into guest memory. We are told where before it happens, so the bytes are
 * looked at a little later: before the next change of another kind, or before the guest goes on. Of
 * large buffers only the part up to the last byte that has changed is kept. Where the kernel knows how much it has
 * stored, as after a read into a buffer of a megabyte that found three bytes, it tells us afterwards, and that part is
 * kept as a whole: what was read can be found there (branch/laterReads.ts).
 */
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';

interface Pending {
  readonly space: MappedSpace;
  readonly address: number;
  readonly length: number;
  readonly before: Uint8Array | undefined;
}

/** Smaller ones are not worth the comparison. */
const LARGE = 512;
/**
 * Room for what was there before: programs read millions of times, and each buffer of our own would have to be
 * collected. Larger ones get memory of their own.
 */
const ROOM = 256 * 1024;

export class KernelWrites {
  private readonly pending: Pending[] = [];
  private readonly room = new Uint8Array(ROOM);
  private used = 0;

  announce(space: MappedSpace, address: number, length: number): void {
    if (length === 0) return;
    const last = this.pending.at(-1);
    if (last?.space === space && last.address === address && last.length === length) return;
    this.pending.push({ space, address, length, before: length > LARGE ? this.copyOf(bytesAt(space, address, length)) : undefined });
  }

  /** So many bytes are there already. */
  stored(space: MappedSpace, address: number, length: number): void {
    if (length > 0) this.pending.push({ space, address, length, before: undefined });
  }

  get any(): boolean {
    return this.pending.length > 0;
  }

  /** Everything announced has been stored: hands it over, in order. */
  settle(write: (space: MappedSpace, address: number, bytes: Uint8Array) => void): void {
    for (const { space, address, length, before } of this.pending) {
      const bytes = bytesAt(space, address, length);
      const end = before === undefined ? length : changedLength(before, bytes);
      if (end > 0) write(space, address, bytes.subarray(0, end));
    }
    this.pending.length = 0;
    this.used = 0;
  }

  /** Good until everything is settled. */
  private copyOf(bytes: Uint8Array): Uint8Array {
    const { room, used } = this;
    if (used + bytes.length > room.length) return bytes.slice();
    room.set(bytes, used);
    this.used += bytes.length;
    return room.subarray(used, this.used);
  }
}

function bytesAt(space: MappedSpace, address: number, length: number): Uint8Array {
  const offset = linearOffset(address);
  return space.linear.u8.subarray(offset, offset + length);
}

function changedLength(before: Uint8Array, after: Uint8Array): number {
  let end = after.length;
  while (end > 0 && before[end - 1] === after[end - 1]) end--;
  return end;
}
