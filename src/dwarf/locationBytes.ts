/** The bytes of a value from where it is: memory, a register, pieces of several. */
import type { Location, Piece, ProgramState } from './location.js';

type ValueBytes =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'optimisedOut'; readonly reason: string }
  /** It has an address, but what is there cannot be read. */
  | { readonly kind: 'unreadable'; readonly address: bigint };

/** Values larger than this are read by who knows what part of them is wanted. */
const LARGEST_VALUE = 1 << 24;

/** The first `size` bytes of what is at a location. */
export function locationBytes(location: Location, size: number, state: Pick<ProgramState, 'register' | 'memory'>): ValueBytes {
  if (size > LARGEST_VALUE) return { kind: 'optimisedOut', reason: 'it is too large to be read at once' };
  switch (location.kind) {
    case 'memory': {
      const bytes = state.memory(location.address, size);
      return bytes === undefined ? { kind: 'unreadable', address: location.address } : { kind: 'bytes', bytes };
    }
    case 'register': {
      const value = state.register(location.register);
      return value === undefined ? { kind: 'optimisedOut', reason: `register ${location.register} was not saved` } : fromBits(value, size);
    }
    case 'value': return fromBits(location.value, size);
    case 'bytes': return { kind: 'bytes', bytes: padded(location.bytes, size) };
    case 'implicitPointer': return { kind: 'optimisedOut', reason: 'it points to what is not in memory' };
    case 'pieces': return fromPieces(location.pieces, size, state);
    case 'optimisedOut': return location;
  }
}

function fromBits(bits: bigint, size: number): ValueBytes {
  const bytes = new Uint8Array(size);
  let rest = bits;
  for (let i = 0; i < size && rest !== 0n; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return { kind: 'bytes', bytes };
}

function padded(bytes: Uint8Array, size: number): Uint8Array {
  const result = new Uint8Array(size);
  result.set(bytes.subarray(0, size));
  return result;
}

function fromPieces(pieces: readonly Piece[], size: number, state: Pick<ProgramState, 'register' | 'memory'>): ValueBytes {
  let bits = 0n;
  let filled = 0;
  for (const piece of pieces) {
    if (filled >= size * 8) break;
    const wanted = Math.min(piece.bits, size * 8 - filled);
    const part = locationBytes(piece.location, Math.ceil((piece.bitOffset + wanted) / 8), state);
    if (part.kind !== 'bytes') return part;
    const value = part.bytes.reduceRight((sum: bigint, byte) => (sum << 8n) | BigInt(byte), 0n) >> BigInt(piece.bitOffset);
    bits |= BigInt.asUintN(wanted, value) << BigInt(filled);
    filled += wanted;
  }
  return fromBits(bits, size);
}
