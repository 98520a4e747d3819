/** Tells a few addresses apart by a multiplication: their products' upper bits are all different. */

interface PerfectHash {
  /** Of the low 32 bits of an address; the upper `bits` of the product's low 32 bits count. */
  readonly factor: number;
  readonly bits: number;
  /** Which of the addresses is at a place; -1: none. */
  readonly places: readonly number[];
}

const TRIES = 4000;
/** Of the multiplicative hash; odd multiples of it are tried. */
const GOLDEN = 0x9e37_79b1;

export function perfectHash(addresses: readonly number[]): PerfectHash {
  for (let bits = Math.max(1, Math.ceil(Math.log2(Math.max(1, addresses.length)))); ; bits++) {
    for (let i = 0; i < TRIES; i++) {
      const factor = Math.imul(GOLDEN, 2 * i + 1);
      const places = spread(addresses, factor, bits);
      if (places !== null) return { factor, bits, places };
    }
  }
}

/** Null if two of them fall on the same place. */
function spread(addresses: readonly number[], factor: number, bits: number): number[] | null {
  const places = new Array<number>(2 ** bits).fill(-1);
  for (const [i, address] of addresses.entries()) {
    const place = Math.imul(address % 0x1_0000_0000, factor) >>> (32 - bits);
    if (places[place] !== -1) return null;
    places[place] = i;
  }
  return places;
}
