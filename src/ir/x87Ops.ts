/**
 * x87 operations, on the register stack in linear memory. Immediates choose registers and variants,
 * so that the table stays short; X87 below names the encodings for lifter and helpers.
 *
 * A store to memory is three steps, so that a page fault leaves the FPU untouched: `convert` puts
 * st(0) in the memory format into SCRATCH and yields the exceptions, the plain store writes it, and
 * `commit` raises the exceptions and pops. An unmasked exception forbids the store: `convert` then
 * answers with what is in memory already, which is why it takes the address.
 */
import type { OpRow } from './opDef.js';

export const X87 = {
  /** Arithmetic: operation as in the opcode's /r field | destination st(i) << 4 | source << 8 | pop << 12. */
  ADD: 0, MUL: 1, SUB: 4, SUBR: 5, DIV: 6, DIVR: 7,
  DST_SHIFT: 4, SRC_SHIFT: 8, POP_SHIFT: 12,
  /** Comparisons: source st(i) << 8 | pops << 12 | QUIET for fucom*. */
  QUIET: 1,
  /** Formats of `convert`. */
  TO_F32: 0, TO_F64: 1, TO_F80: 2, TO_BCD: 3, TO_I16: 4, TO_I32: 5, TO_I64: 6, TRUNCATE: 8,
  /** Register operations: st(i) | one of these. */
  FLD: 0x00, FXCH: 0x10, FST: 0x20, FSTP: 0x30, FFREE: 0x40, FFREEP: 0x50,
} as const;

/** Instructions without operands: the immediate of `x87.run` is the place in this list. */
export const X87_RUN = [
  'fchs', 'fabs', 'ftst', 'fxam', 'fld1', 'fldl2t', 'fldl2e', 'fldpi', 'fldlg2', 'fldln2', 'fldz',
  'f2xm1', 'fyl2x', 'fptan', 'fpatan', 'fxtract', 'fprem1', 'fdecstp', 'fincstp', 'fprem', 'fyl2xp1', 'fsqrt',
  'fsincos', 'frndint', 'fscale', 'fsin', 'fcos', 'fnclex', 'fninit', 'maskAll',
] as const;
export type X87Run = (typeof X87_RUN)[number];

function op(name: string, params: OpRow['params'], result: OpRow['result'], imm: OpRow['imm'] = 'none'): OpRow {
  return { name: `x87.${name}`, params, result, effect: 'state', imm: imm as NonNullable<OpRow['imm']> };
}

export const X87_OPS: readonly OpRow[] = [
  /** Raises #MF if an unmasked exception is pending. */
  op('check', [], null),
  /** Remembers the instruction's address (and operand's address); imm = its 11-bit opcode. */
  op('last', ['i64'], null, 'i32'),
  op('lastMemory', ['i64', 'i64'], null, 'i32'),
  // Pushes.
  op('loadF32', ['i32'], null),
  op('loadF64', ['i64'], null),
  op('loadF80', ['i64', 'i32'], null),
  op('loadInt', ['i64'], null),
  op('loadBcd', ['i64', 'i32'], null),
  // st(dst) = st(dst) op st(src), or st(0) op operand.
  op('arith', [], null, 'i32'),
  op('arithF32', ['i32'], null, 'i32'),
  op('arithF64', ['i64'], null, 'i32'),
  op('arithInt', ['i64'], null, 'i32'),
  // Comparisons of st(0) with st(src) or operand, to C3 C2 C0.
  op('compare', [], null, 'i32'),
  op('compareF32', ['i32'], null, 'i32'),
  op('compareF64', ['i64'], null, 'i32'),
  op('compareInt', ['i64'], null, 'i32'),
  /** As compare, but the result is ZF, PF and CF as in EFLAGS. */
  op('comi', [], 'i32', 'i32'),
  // Stores.
  op('convert', ['i64'], 'i32', 'i32'),
  op('scratch', [], 'i64'),
  op('scratchHigh', [], 'i32'),
  op('commit', ['i32'], null, 'i32'),
  // Registers.
  op('register', [], null, 'i32'),
  op('cmov', ['i32'], null, 'i32'),
  op('run', [], null, 'i32'),
  // Control and environment; imm = st(i) or a word of the 28-byte environment.
  op('setControl', ['i32'], null),
  op('envWord', [], 'i32', 'i32'),
  op('setEnv', ['i32', 'i32', 'i32'], null),
  op('setPointers', ['i64', 'i64', 'i32'], null),
  op('mantissa', [], 'i64', 'i32'),
  op('signExponent', [], 'i32', 'i32'),
  op('setRegister', ['i64', 'i32'], null, 'i32'),
];
