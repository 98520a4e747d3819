/** For tests: x87 instructions and random states to run them in. */
import { randomBits } from '../../src/jit/softfloat/helperTesting.js';
import type { X87Case } from './x87Oracle.js';

export interface X87Form {
  readonly name: string;
  readonly code: readonly number[];
  /** What [rdx] holds. */
  readonly operand: 'none' | 'f32' | 'f64' | 'f80' | 'bcd' | 'integer';
  /** Operands where the function is interesting: largest exponent of st(0), st(1). */
  readonly exponents?: readonly [number, number];
}

const random = randomBits(0x243f6a8885a308d3n);
const below = (n: number): number => Number(random() % BigInt(n));
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const memory = (name: string, opcode: number, group: number, operand: X87Form['operand']): X87Form =>
  ({ name, code: [opcode, (group << 3) | 2], operand });
const plain = (name: string, ...code: number[]): X87Form => ({ name, code, operand: 'none' });
/** One form with a register in the low bits of the second byte. */
const register = (name: string, opcode: number, base: number): X87Form[] => [0, 1, 3, 7].map((i) => plain(`${name}(${i})`, opcode, base + i));

export const moveForms: readonly X87Form[] = [
  memory('fld m32', 0xd9, 0, 'f32'), memory('fld m64', 0xdd, 0, 'f64'), memory('fld m80', 0xdb, 5, 'f80'),
  memory('fst m32', 0xd9, 2, 'f32'), memory('fst m64', 0xdd, 2, 'f64'), memory('fstp m32', 0xd9, 3, 'f32'),
  memory('fstp m64', 0xdd, 3, 'f64'), memory('fstp m80', 0xdb, 7, 'f80'),
  memory('fild m16', 0xdf, 0, 'integer'), memory('fild m32', 0xdb, 0, 'integer'), memory('fild m64', 0xdf, 5, 'integer'),
  memory('fist m16', 0xdf, 2, 'integer'), memory('fist m32', 0xdb, 2, 'integer'), memory('fistp m16', 0xdf, 3, 'integer'),
  memory('fistp m32', 0xdb, 3, 'integer'), memory('fistp m64', 0xdf, 7, 'integer'), memory('fisttp m16', 0xdf, 1, 'integer'),
  memory('fisttp m32', 0xdb, 1, 'integer'), memory('fisttp m64', 0xdd, 1, 'integer'),
  memory('fbld', 0xdf, 4, 'bcd'), memory('fbstp', 0xdf, 6, 'bcd'),
  ...register('fld st', 0xd9, 0xc0), ...register('fst st', 0xdd, 0xd0), ...register('fstp st', 0xdd, 0xd8), ...register('fxch', 0xd9, 0xc8),
  ...['fcmovb', 'fcmove', 'fcmovbe', 'fcmovu'].flatMap((name, i) => register(name, 0xda, 0xc0 + 8 * i)),
  ...['fcmovnb', 'fcmovne', 'fcmovnbe', 'fcmovnu'].flatMap((name, i) => register(name, 0xdb, 0xc0 + 8 * i)),
  plain('fld1', 0xd9, 0xe8), plain('fldl2t', 0xd9, 0xe9), plain('fldl2e', 0xd9, 0xea), plain('fldpi', 0xd9, 0xeb),
  plain('fldlg2', 0xd9, 0xec), plain('fldln2', 0xd9, 0xed), plain('fldz', 0xd9, 0xee),
];

const OPERATIONS = [['fadd', 0], ['fmul', 1], ['fcom', 2], ['fcomp', 3], ['fsub', 4], ['fsubr', 5], ['fdiv', 6], ['fdivr', 7]] as const;

export const arithmeticForms: readonly X87Form[] = [
  ...OPERATIONS.flatMap(([name, group]) => [
    memory(`${name} m32`, 0xd8, group, 'f32'), memory(`${name} m64`, 0xdc, group, 'f64'),
    memory(`${name} i16`, 0xde, group, 'integer'), memory(`${name} i32`, 0xda, group, 'integer'),
    ...register(name, 0xd8, 0xc0 + 8 * group),
  ]),
  ...OPERATIONS.filter(([, group]) => group < 2 || group > 3).flatMap(([name, group]) => [
    ...register(`${name} to`, 0xdc, 0xc0 + 8 * group), ...register(`${name}p`, 0xde, 0xc0 + 8 * group),
  ]),
  ...register('fucom', 0xdd, 0xe0), ...register('fucomp', 0xdd, 0xe8), plain('fcompp', 0xde, 0xd9), plain('fucompp', 0xda, 0xe9),
  ...register('fcomi', 0xdb, 0xf0), ...register('fucomi', 0xdb, 0xe8), ...register('fcomip', 0xdf, 0xf0), ...register('fucomip', 0xdf, 0xe8),
  plain('ftst', 0xd9, 0xe4), plain('fxam', 0xd9, 0xe5), plain('fchs', 0xd9, 0xe0), plain('fabs', 0xd9, 0xe1),
  plain('fsqrt', 0xd9, 0xfa), plain('frndint', 0xd9, 0xfc), plain('fxtract', 0xd9, 0xf4),
  plain('fscale', 0xd9, 0xfd), { ...plain('fscale near', 0xd9, 0xfd), exponents: [100, 14] },
  plain('fprem', 0xd9, 0xf8), plain('fprem1', 0xd9, 0xf5),
  { ...plain('fprem near', 0xd9, 0xf8), exponents: [60, 40] }, { ...plain('fprem1 near', 0xd9, 0xf5), exponents: [60, 40] },
];

export const controlForms: readonly X87Form[] = [
  ...register('ffree', 0xdd, 0xc0), ...register('ffreep', 0xdf, 0xc0),
  plain('fincstp', 0xd9, 0xf7), plain('fdecstp', 0xd9, 0xf6), plain('fnop', 0xd9, 0xd0),
  plain('fnclex', 0xdb, 0xe2), plain('fninit', 0xdb, 0xe3), plain('fnstsw ax', 0xdf, 0xe0),
  memory('fnstsw', 0xdd, 7, 'integer'), memory('fnstcw', 0xd9, 7, 'integer'), memory('fldcw', 0xd9, 5, 'integer'),
  { name: 'fnstenv short', code: [0x66, 0xd9, 0x32], operand: 'integer' },
];

export const transcendentalForms: readonly X87Form[] = [
  { ...plain('fsin', 0xd9, 0xfe), exponents: [62, 0] }, { ...plain('fcos', 0xd9, 0xff), exponents: [62, 0] },
  { ...plain('fsincos', 0xd9, 0xfb), exponents: [20, 0] }, { ...plain('fptan', 0xd9, 0xf2), exponents: [20, 0] },
  { ...plain('f2xm1', 0xd9, 0xf0), exponents: [-1, 0] }, { ...plain('fyl2x', 0xd9, 0xf1), exponents: [20, 20] },
  { ...plain('fyl2xp1', 0xd9, 0xf9), exponents: [-3, 20] }, { ...plain('fpatan', 0xd9, 0xf3), exponents: [10, 10] },
  ...[0xfe, 0xff, 0xfb, 0xf2, 0xf0, 0xf1, 0xf9, 0xf3].map((code) => plain(`any ${code.toString(16)}`, 0xd9, code)),
];

const EDGE_EXPONENTS = [0, 0, 1, 2, 0x3fbe, 0x3fff, 0x3ffe, 0x4000, 0x400e, 0x401e, 0x403d, 0x403e, 0x403f, 0x7ffe, 0x7fff, 0x7fff];
const EDGE_MANTISSAS = [0n, 1n, 1n << 63n, (1n << 63n) + 1n, (1n << 64n) - 1n, 3n << 62n, (3n << 62n) + 1n, 1n << 62n, 5n << 61n];

type Register = readonly [signExponent: number, mantissa: bigint];

/** Any bit pattern that might matter, or for a number of limited exponent a random one with it. */
function randomRegister(limit?: number): Register {
  const sign = below(2) << 15;
  if (limit !== undefined && below(12) !== 0) {
    const exponent = 16383 + limit - (below(3) === 0 ? below(90) : below(8));
    return [sign | exponent, random() | (1n << 63n)];
  }
  const style = below(8);
  if (style < 2) return [sign | pick(EDGE_EXPONENTS), pick(EDGE_MANTISSAS)];
  if (style === 2) return [sign | (16383 + 63 - below(70)), (BigInt(below(1000)) << BigInt(below(50))) | (1n << 63n)];
  if (style === 3) return [sign | below(0x8000), random() | (1n << 63n)];
  return [sign | (16383 + below(140) - 70), random() | (1n << 63n)];
}

function randomImage(form: X87Form): Uint8Array {
  const image = new Uint8Array(108);
  const view = new DataView(image.buffer);
  const masks = below(3) === 0 ? below(64) : 0x3f;
  view.setUint16(0, 0x40 | masks | (pick([0, 2, 3, 3, 3]) << 8) | (below(4) << 10), true);
  const top = below(8);
  // No exception may be pending: the next instruction would trap.
  view.setUint16(4, (top << 11) | (random() & 0x4700n ? Number(random() & 0x4700n) : 0) | (masks === 0x3f ? below(64) : 0), true);
  view.setUint16(8, below(4) === 0 ? below(0x10000) : below(2) === 0 ? 0 : 3 << (2 * ((top + 7) & 7)), true);
  for (let i = 0; i < 8; i++) {
    const [signExponent, mantissa] = randomRegister(i < 2 ? form.exponents?.[i as 0 | 1] : undefined);
    view.setBigUint64(28 + 10 * i, mantissa, true);
    view.setUint16(36 + 10 * i, signExponent, true);
  }
  return image;
}

function randomOperand(kind: X87Form['operand']): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  const sparse = below(3) === 0 ? 0n : random();
  view.setBigUint64(8, random(), true);
  const edge = below(3) === 0;
  if (kind === 'f32') view.setUint32(0, edge ? pick([0, 1, 0x7f800000, 0x7f800001, 0x7fc00000, 0x80000000, 0xff800001, 0x007fffff, 0x3f800000]) : Number(sparse & 0xffffffffn), true);
  else if (kind === 'f64') view.setBigUint64(0, edge ? pick([0n, 1n, 0x7ffn << 52n, (0x7ffn << 52n) | 1n, 0xfff8n << 48n, 1n << 63n, 0x3ffn << 52n]) : sparse, true);
  else if (kind === 'f80') {
    const [signExponent, mantissa] = randomRegister();
    view.setBigUint64(0, mantissa, true);
    view.setUint16(8, signExponent, true);
  } else if (kind === 'bcd') {
    for (let i = 0; i < 9; i++) bytes[i] = (below(10) << 4) | below(10);
  } else view.setBigUint64(0, edge ? BigInt.asUintN(64, BigInt(pick([0, 1, -1, 0x7fff, -0x8000]))) : sparse, true);
  return bytes;
}

export function randomCase(form: X87Form): X87Case {
  const operand = randomOperand(form.operand);
  return { image: randomImage(form), code: form.code, operand, flags: pick([0, 1, 4, 0x40, 0x41, 0x8d5, 0x45]) };
}
