/** Bytes of what a location of the debug information describes, and which of them are not known any more. */
import type { Location, Piece } from '../../dwarf/location.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { MemoryError } from './expressionError.js';
import type { Surroundings } from './surroundings.js';

export interface Contents {
  readonly bytes: Uint8Array;
  /** Bits that are not known, as a mask of the same size. Absent if all are. */
  readonly unknown?: Uint8Array;
}

/** `size` bytes from byte `offset` of the location on. */
export function readLocation(location: Location, offset: number, size: number, frame: StackFrame, around: Surroundings): Contents {
  if (location.kind === 'memory') {
    const address = location.address + BigInt(offset);
    const bytes = around.memory(address, size);
    if (bytes === undefined) throw new MemoryError(address);
    return { bytes };
  }
  const all = new BitBuffer((offset + size) * 8);
  all.put({ location, bits: (offset + size) * 8, bitOffset: 0 }, frame, around);
  return all.from(offset);
}

class BitBuffer {
  private readonly bytes: Uint8Array;
  private readonly unknown: Uint8Array;
  private filled = 0;

  constructor(private readonly bits: number) {
    this.bytes = new Uint8Array(Math.ceil(bits / 8));
    this.unknown = new Uint8Array(this.bytes.length);
  }

  put(piece: Piece, frame: StackFrame, around: Surroundings): void {
    const count = Math.min(piece.bits, this.bits - this.filled);
    if (count <= 0) return;
    const { location } = piece;
    if (location.kind === 'pieces') {
      const end = this.filled + count;
      for (const inner of location.pieces) this.put(inner, frame, around);
      return this.putUnknown(end - this.filled);
    }
    const value = pieceBits(piece, count, frame, around);
    if (value === undefined) return this.putUnknown(count);
    this.putBits(value, count);
  }

  from(offset: number): Contents {
    const bytes = this.bytes.subarray(offset);
    const unknown = this.unknown.subarray(offset);
    return unknown.some((byte) => byte !== 0) ? { bytes, unknown } : { bytes };
  }

  private putBits(value: bigint, count: number): void {
    for (let i = 0, rest = value; i < count && rest !== 0n;) {
      const at = this.filled + i;
      const take = Math.min(8 - (at & 7), count - i);
      const part = Number(BigInt.asUintN(take, rest));
      this.bytes[at >> 3] = (this.bytes[at >> 3] as number) | (part << (at & 7));
      rest >>= BigInt(take);
      i += take;
    }
    this.filled += count;
  }

  private putUnknown(count: number): void {
    for (let i = 0; i < count; i++) {
      const at = this.filled + i;
      this.unknown[at >> 3] = (this.unknown[at >> 3] as number) | (1 << (at & 7));
    }
    this.filled += Math.max(count, 0);
  }
}

/** The bits of one piece; undefined if they are not known. */
function pieceBits({ location, bitOffset }: Piece, count: number, frame: StackFrame, around: Surroundings): bigint | undefined {
  switch (location.kind) {
    case 'memory': {
      const bytes = around.memory(location.address, Math.ceil((bitOffset + count) / 8));
      if (bytes === undefined) throw new MemoryError(location.address);
      return BigInt.asUintN(count, bitsOf(bytes) >> BigInt(bitOffset));
    }
    case 'register': {
      const value = frame.register(location.register);
      return value === undefined ? undefined : BigInt.asUintN(count, value >> BigInt(bitOffset));
    }
    case 'value': return BigInt.asUintN(count, location.value >> BigInt(bitOffset));
    case 'bytes': return BigInt.asUintN(count, bitsOf(location.bytes) >> BigInt(bitOffset));
    default: return undefined;
  }
}

function bitsOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}
