/** CRC-32 as zlib, PNG and gzip have it (polynomial 0xedb88320), eight bytes a round. */

const LANES = 8;
const TABLES = tables();

function tables(): readonly Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
  const all = [first];
  for (let lane = 1; lane < LANES; lane++) all.push(all[lane - 1]!.map((rest) => (rest >>> 8) ^ first[rest & 0xff]!));
  return all;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array,
];

/** `seed` is the checksum of what comes before, so that parts can be given one after the other. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  let crc = ~seed;
  let at = 0;
  for (const rounds = bytes.length - (LANES - 1); at < rounds; at += LANES) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc = T7[low & 0xff]! ^ T6[(low >>> 8) & 0xff]! ^ T5[(low >>> 16) & 0xff]! ^ T4[low >>> 24]!
      ^ T3[bytes[at + 4]!]! ^ T2[bytes[at + 5]!]! ^ T1[bytes[at + 6]!]! ^ T0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
