/** Operand values that are likely to show mistakes: the edges of every type, and random ones. */
import type { Random } from './random.js';

const INTEGER_EDGES: readonly bigint[] = [
  0n, 1n, 2n, 3n, 0x7fn, 0x80n, 0xffn, 0x100n, 0x7fffn, 0x8000n, 0xffffn, 0x1_0000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn,
  0x1_0000_0000n, 0x7fff_ffff_ffff_ffffn, 0x8000_0000_0000_0000n, 0xffff_ffff_ffff_ffffn, 0xffff_ffff_8000_0000n, 0x5555_5555_5555_5555n,
];

const FLOAT32_EDGES: readonly number[] = [
  0x0000_0000, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0xbfc0_0000, 0x4000_0000, 0x4020_0000, 0x7f80_0000, 0xff80_0000,
  0x7fc0_0000, 0xffc0_0000, 0x7fc1_2345, 0x7f80_0001, 0xffa0_0000, 0x7fbf_ffff, 0x0000_0001, 0x8000_0001, 0x007f_ffff, 0x0080_0000,
  0x8080_0000, 0x0040_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x4f00_0000, 0xcf00_0000, 0xcf00_0001, 0x4eff_ffff, 0x5f00_0000, 0xdf00_0000,
  0x3f80_0001, 0x4b00_0001, 0x4a80_0001, 0xcb7f_ffff,
];

const FLOAT64_EDGES: readonly bigint[] = [
  0x0000_0000_0000_0000n, 0x8000_0000_0000_0000n, 0x3ff0_0000_0000_0000n, 0xbff0_0000_0000_0000n, 0x3fe0_0000_0000_0000n,
  0xbff8_0000_0000_0000n, 0x4000_0000_0000_0000n, 0x4004_0000_0000_0000n, 0x7ff0_0000_0000_0000n, 0xfff0_0000_0000_0000n,
  0x7ff8_0000_0000_0000n, 0xfff8_0000_0000_0000n, 0x7ff8_1234_5678_9abcn, 0x7ff0_0000_0000_0001n, 0xfff4_0000_0000_0000n,
  0x7ff7_ffff_ffff_ffffn, 0x0000_0000_0000_0001n, 0x8000_0000_0000_0001n, 0x000f_ffff_ffff_ffffn, 0x0010_0000_0000_0000n,
  0x7fef_ffff_ffff_ffffn, 0xffef_ffff_ffff_ffffn, 0x41e0_0000_0000_0000n, 0xc1e0_0000_0000_0000n, 0xc1e0_0000_0010_0000n,
  0xc1e0_0000_0020_0000n, 0x41df_ffff_ffc0_0000n, 0x43e0_0000_0000_0000n, 0xc3e0_0000_0000_0000n, 0x3ff0_0000_0000_0001n,
  0x36a0_0000_0000_0000n, 0x3690_0000_0000_0000n, 0x47ef_ffff_f000_0000n, 0x380f_ffff_ffff_ffffn, 0x4330_0000_0000_0001n,
];

/** Sign and exponent, mantissa. */
const FLOAT80_EDGES: readonly (readonly [number, bigint])[] = [
  [0x0000, 0n], [0x8000, 0n], [0x3fff, 1n << 63n], [0xbfff, 1n << 63n], [0x3ffe, 1n << 63n], [0x4000, 3n << 62n], [0x7fff, 1n << 63n],
  [0xffff, 1n << 63n], [0xffff, 3n << 62n], [0x7fff, (3n << 62n) | 0x1234n], [0x7fff, (1n << 63n) | 1n], [0xffff, (1n << 63n) | 0x77n],
  [0x0000, 1n], [0x8000, 0x7fff_ffff_ffff_ffffn], [0x0001, 1n << 63n], [0x7ffe, 0xffff_ffff_ffff_ffffn], [0x403e, 1n << 63n],
  [0xc03e, 1n << 63n], [0xc03e, (1n << 63n) | 1n], [0x401e, 1n << 63n], [0x3fff, (1n << 63n) | 1n], [0x3f81, (1n << 63n)],
  [0x3c01, 1n << 63n], [0x43fe, 0xffff_ffff_ffff_fc00n], [0x407e, 0xffff_ff80_0000_0000n], [0x403d, 0xffff_ffff_ffff_fffen],
  [0x4000, 0xc90f_daa2_2168_c235n], [0x0000, 1n << 63n],
];

/** Encodings that no operation produces: unnormals, pseudo-infinities, pseudo-NaNs. */
const FLOAT80_INVALID: readonly (readonly [number, bigint])[] = [[0x3fff, 1n << 62n], [0x7fff, 0n], [0x7fff, 1n << 62n], [0x4005, 0n]];

export function integer(r: Random): bigint {
  const choice = r.below(8);
  if (choice < 3) return r.pick(INTEGER_EDGES);
  if (choice === 3) return 1n << BigInt(r.below(64));
  if (choice === 4) return BigInt.asUintN(64, r.pick(INTEGER_EDGES) - BigInt(r.below(3)));
  if (choice === 5) return BigInt(r.below(128));
  // An edge of a narrow type with something above it.
  if (choice === 6) return (r.pick(INTEGER_EDGES) & 0xffffn) | (r.u64() & ~0xffffn);
  return r.u64();
}

export function float32(r: Random): number {
  const choice = r.below(8);
  if (choice < 3) return r.pick(FLOAT32_EDGES);
  if (choice === 3) return r.u32();
  // Magnitudes near each other, so that sums and comparisons are interesting.
  return ((r.below(2) << 31) | ((0x7f - 4 + r.below(choice === 4 ? 40 : 9)) << 23) | (r.oneIn(2) ? r.below(1 << 23) : r.below(16) << 19)) >>> 0;
}

export function float64(r: Random): bigint {
  const choice = r.below(8);
  if (choice < 3) return r.pick(FLOAT64_EDGES);
  if (choice === 3) return r.u64();
  const exponent = BigInt(0x3ff - 4 + r.below(choice === 4 ? 80 : 9));
  const fraction = r.oneIn(2) ? r.u64() & 0xf_ffff_ffff_ffffn : BigInt(r.below(16)) << 48n;
  return (BigInt(r.below(2)) << 63n) | (exponent << 52n) | fraction;
}

export function float80(r: Random): Uint8Array {
  const bytes = new Uint8Array(10);
  const view = new DataView(bytes.buffer);
  const [exponent, mantissa] = float80Parts(r);
  view.setBigUint64(0, mantissa, true);
  view.setUint16(8, exponent, true);
  return bytes;
}

function float80Parts(r: Random): readonly [number, bigint] {
  const choice = r.below(16);
  if (choice < 5) return r.pick(FLOAT80_EDGES);
  if (choice === 5) return r.pick(FLOAT80_INVALID);
  if (choice === 6) return [r.below(0x10000), r.u64() | (1n << 63n)];
  const spread = choice < 9 ? 70 : 8;
  const mantissa = r.oneIn(2) ? r.u64() : BigInt(r.below(256)) << 55n;
  return [(r.below(2) << 15) | (0x3fff - 4 + r.below(spread)), mantissa | (1n << 63n)];
}

/** How the bits of a vector are to be filled. */
export type VectorFlavour = 'float32' | 'float64' | 'integer';

/** Fills bytes with elements of a kind; elements of integers have a random width. */
export function fillVector(r: Random, target: Uint8Array, flavour: VectorFlavour): void {
  const view = new DataView(target.buffer, target.byteOffset, target.length);
  if (flavour === 'float32') for (let i = 0; i + 4 <= target.length; i += 4) view.setUint32(i, float32(r), true);
  else if (flavour === 'float64') for (let i = 0; i + 8 <= target.length; i += 8) view.setBigUint64(i, float64(r), true);
  else fillIntegers(r, target, view);
}

function fillIntegers(r: Random, target: Uint8Array, view: DataView): void {
  const width = r.pick([1, 2, 4, 8, 16]);
  if (width === 16) return void r.bytes(target);
  for (let i = 0; i + width <= target.length; i += width) {
    const value = integer(r);
    if (width === 1) view.setUint8(i, Number(value & 0xffn));
    else if (width === 2) view.setUint16(i, Number(value & 0xffffn), true);
    else if (width === 4) view.setUint32(i, Number(value & 0xffff_ffffn), true);
    else view.setBigUint64(i, value, true);
  }
}
