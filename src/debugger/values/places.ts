/** Where a value lives: what has to be watched to notice that it changes. */
import type { Location } from '../../dwarf/location.js';
import { registerName } from './registers.js';
import type { Value } from './value.js';

interface ValuePlaces {
  readonly memory: readonly { readonly address: bigint; readonly size: number }[];
  /** By gdb's names; of the frame that the value is of. */
  readonly registers: readonly string[];
}

/** All places of a value; none if it is a computed one. */
export function placesOf(value: Value): ValuePlaces {
  const { place, size } = value;
  switch (place.kind) {
    case 'memory': return { memory: [fieldRange(value, place.address)], registers: [] };
    case 'register': return { memory: [], registers: [place.name] };
    case 'located': return located(place.location, place.offset, size);
    default: return { memory: [], registers: [] };
  }
}

/** Of a bit field only the bytes that it has bits in. */
function fieldRange({ bits, size }: Value, address: bigint): { address: bigint; size: number } {
  if (bits === undefined) return { address, size };
  const [first, end] = [Math.floor(bits.offset / 8), Math.ceil((bits.offset + bits.size) / 8)];
  return { address: address + BigInt(first), size: end - first };
}

function located(location: Location, offset: number, size: number): ValuePlaces {
  switch (location.kind) {
    case 'memory': return { memory: [{ address: location.address + BigInt(offset), size }], registers: [] };
    case 'register': {
      const name = registerName(location.register);
      return { memory: [], registers: name === undefined ? [] : [name] };
    }
    case 'pieces': {
      const parts: ValuePlaces[] = [];
      let at = 0;
      for (const piece of location.pieces) {
        const bytes = Math.ceil(piece.bits / 8);
        if (at + bytes > offset && at < offset + size) parts.push(located(piece.location, 0, bytes));
        at += bytes;
      }
      return { memory: parts.flatMap((part) => part.memory), registers: parts.flatMap((part) => part.registers) };
    }
    default: return { memory: [], registers: [] };
  }
}
