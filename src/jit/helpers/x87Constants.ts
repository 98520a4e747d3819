/** The mathematical constants that the x87 helpers need, computed exactly with integers of any size. */

/** Extra bits that absorb the rounding errors of the series. */
const GUARD = 32;

function arctanInverse(n: bigint, one: bigint): bigint {
  let term = one / n;
  let sum = term;
  for (let k = 3n, sign = -1n; term !== 0n; k += 2n, sign = -sign) {
    term /= n * n;
    sum += (sign * term) / k;
  }
  return sum;
}

/** atan(numerator / denominator) * 2^bits, for ratios of at most 1. */
export function fixedAtan(numerator: number, denominator: number, bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD);
  if (numerator === denominator) return fixedPi(bits) >> 2n;
  const x = (one * BigInt(numerator)) / BigInt(denominator);
  const square = (x * x) / one;
  let term = x;
  let sum = x;
  for (let k = 3n, sign = -1n; term !== 0n; k += 2n, sign = -sign) {
    term = (term * square) / one;
    sum += (sign * term) / k;
  }
  return sum >> BigInt(GUARD);
}

/** floor(pi * 2^bits), by Machin's formula. */
export function fixedPi(bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD);
  return (4n * (4n * arctanInverse(5n, one) - arctanInverse(239n, one))) >> BigInt(GUARD);
}

/** floor(ln(n) * 2^bits) for small integers, as 2 atanh((n - 1) / (n + 1)). */
export function fixedLn(n: number, bits: number): bigint {
  const one = 1n << BigInt(bits + GUARD);
  const x = (one * BigInt(n - 1)) / BigInt(n + 1);
  let term = x;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k += 2n) {
    sum += term / k;
    term = (((term * x) / one) * x) / one;
  }
  return (2n * sum) >> BigInt(GUARD);
}

/** floor(log_base(n) * 2^bits). */
function fixedLog(n: number, base: number, bits: number): bigint {
  return (fixedLn(n, bits + GUARD) << BigInt(bits)) / fixedLn(base, bits + GUARD);
}

/** floor(2^bits / n!). */
export function inverseFactorial(n: number, bits: number): bigint {
  let product = 1n;
  for (let i = 2n; i <= BigInt(n); i++) product *= i;
  return (1n << BigInt(bits)) / product;
}

interface RoundedConstant {
  /** The first 64 bits, rounded down. */
  readonly mantissa: bigint;
  /** The next bit: rounding to nearest goes up. */
  readonly half: boolean;
  readonly exponent: number;
}

/** From a value times 2^128. */
function rounded(value: bigint): RoundedConstant {
  const length = value.toString(2).length;
  const wide = value >> BigInt(length - 65);
  return { mantissa: wide >> 1n, half: (wide & 1n) === 1n, exponent: length - 129 };
}

export const CONSTANTS = {
  fldpi: rounded(fixedPi(128)),
  /** log2(e) */
  fldl2e: rounded((1n << 288n) / fixedLn(2, 160)),
  /** log2(10) */
  fldl2t: rounded(fixedLog(10, 2, 128)),
  /** log10(2) */
  fldlg2: rounded(fixedLog(2, 10, 128)),
  /** ln(2) */
  fldln2: rounded(fixedLn(2, 128)),
} as const;
