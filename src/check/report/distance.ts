/**
 * How far an address is from another: forward or backward, whichever way is shorter around the 64 bits of addresses.
 */
const BITS = 64;

export function distance(from: number, to: bigint): bigint {
  return BigInt.asIntN(BITS, to - BigInt(from));
}
