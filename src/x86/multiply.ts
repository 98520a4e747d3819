/**
 * Multiplication and division, all sizes. Division checks for #DE before it changes anything; the
 * usual `xor edx, edx; div` and `cdq; idiv` are recognised and become plain divisions.
 */
import { Mnemonic } from 'iced-x86';
import { type GPR, RAX, RDX } from '../layout/cpuState.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';
import type { GprInfo } from './registers.js';

const VECTOR_DE = 0;

function register(slot: (typeof GPR)[number], bytes: Size, high = false): GprInfo {
  return { slot, bytes, high };
}
const A = { 1: register(RAX, 1), 2: register(RAX, 2), 4: register(RAX, 4), 8: register(RAX, 8) } as const;
const D = { 1: register(RAX, 1, true), 2: register(RDX, 2), 4: register(RDX, 4), 8: register(RDX, 8) } as const;

/** mul and the one-operand imul: the double-width product goes to ax, dx:ax, edx:eax or rdx:rax. */
function widening(signed: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const size = l.size(0);
    const x = l.readGpr(A[size]);
    const y = l.read(0);
    if (size === 8) {
      const low = b.op('i64.mul', x, y);
      const high = b.op(signed ? 'mul.hi_s' : 'mul.hi_u', x, y);
      b.set(RAX, low);
      b.set(RDX, high);
      l.setFlags('MUL', 8, low, signed ? b.op('i64.xor', high, b.op('i64.shr_s', low, b.i64(63))) : high);
      return;
    }
    const product = b.op('i64.mul', widen(l, x, size, signed), widen(l, y, size, signed));
    writePair(l, size, product);
    const low = l.cut(b.wrap(product), size);
    l.setFlags('MUL', size, low, overflow(l, product, low, size, signed));
  };
}

function widen(l: Lift, value: Value, size: Size, signed: boolean): Value {
  return signed ? l.signed64(value, size) : l.to64(value, size);
}

/** The low 16, 32 or 64 bits of `wide` to ax, dx:ax or edx:eax. */
function writePair(l: Lift, size: Size, wide: Value): void {
  const { b } = l;
  if (size === 1) {
    l.writeGpr(A[2], b.wrap(wide));
    return;
  }
  l.writeGpr(A[size], b.wrap(wide));
  l.writeGpr(D[size], b.wrap(b.op('i64.shr_u', wide, b.i64(size * 8))));
}

/** Not 0 if the product (as i64) differs from what its low part stands for. */
function overflow(l: Lift, product: Value, low: Value, size: Size, signed: boolean): Value {
  return l.b.op('i64.xor', product, widen(l, low, size, signed));
}

function imul(l: Lift): void {
  const { b, insn } = l;
  if (insn.opCount === 1) {
    widening(true)(l);
    return;
  }
  const size = l.size(0);
  const x = l.read(insn.opCount - 2);
  const y = l.read(insn.opCount - 1, size);
  if (size === 8) {
    const low = b.op('i64.mul', x, y);
    l.write(0, low);
    l.setFlags('MUL', 8, low, b.op('i64.xor', b.op('mul.hi_s', x, y), b.op('i64.shr_s', low, b.i64(63))));
    return;
  }
  // The product for the flags is a node of its own: when no instruction asks for flags it disappears.
  const low = l.arith('mul', size, x, y);
  l.write(0, low);
  const product = b.op('i64.mul', l.signed64(x, size), l.signed64(y, size));
  l.setFlags('MUL', size, low, overflow(l, product, low, size, true));
}

function trapDivide(l: Lift, condition: Value): void {
  l.b.opImm('trapIf', VECTOR_DE, condition);
}

function divide(signed: boolean): LiftFn {
  return (l) => {
    const size = l.size(0);
    const divisor = l.read(0);
    if (size >= 4 && highHalfIsExtension(l, size, signed)) divideSingle(l, size as 4 | 8, signed, divisor);
    else if (size === 8) divide128(l, signed, divisor);
    else divideNarrow(l, size, signed, divisor);
  };
}

/** Whether edx/rdx is known to be the zero (div) or sign (idiv) extension of eax/rax. */
function highHalfIsExtension(l: Lift, size: Size, signed: boolean): boolean {
  const { b } = l;
  const high = l.readGpr(D[size]);
  if (!signed) return size === 8 ? b.asI64(high) === 0n : b.asI32(high) === 0;
  const name = size === 8 ? 'i64.shr_s' : 'i32.shr_s';
  if (b.def(high).name !== name) return false;
  const node = b.node(high);
  const count = size === 8 ? b.asI64(node.b) === 63n : b.asI32(node.b) === 31;
  return count && node.a === l.readGpr(A[size]);
}

function divideSingle(l: Lift, size: 4 | 8, signed: boolean, divisor: Value): void {
  const { b } = l;
  const type = size === 8 ? 'i64' : 'i32';
  const x = l.readGpr(A[size]);
  trapDivide(l, l.isZero(divisor, size));
  if (signed) {
    const smallest = l.constant(-1n << BigInt(size * 8 - 1), size);
    trapDivide(l, b.op('i32.and', l.arith('eq', size, x, smallest), l.arith('eq', size, divisor, l.small(-1, size))));
  }
  const quotient = b.op(type === 'i64' ? (signed ? 'i64.div_s' : 'i64.div_u') : signed ? 'i32.div_s' : 'i32.div_u', x, divisor);
  const remainder = l.arith('sub', size, x, l.arith('mul', size, quotient, divisor));
  l.writeGpr(A[size], quotient);
  l.writeGpr(D[size], remainder);
}

function divide128(l: Lift, signed: boolean, divisor: Value): void {
  const { b } = l;
  const high = b.get(RDX);
  const low = b.get(RAX);
  const sign = signed ? 's' : 'u';
  trapDivide(l, b.op(`div.overflows_${sign}`, high, low, divisor));
  const quotient = b.op(`div.quot_${sign}`, high, low, divisor);
  const remainder = b.op('i64.sub', low, b.op('i64.mul', quotient, divisor));
  b.set(RAX, quotient);
  b.set(RDX, remainder);
}

/** Dividends of 16, 32 and 64 bits, in i64 arithmetic. */
function divideNarrow(l: Lift, size: Size, signed: boolean, narrowDivisor: Value): void {
  const { b } = l;
  const dividend = readPair(l, size, signed);
  const divisor = widen(l, narrowDivisor, size, signed);
  trapDivide(l, b.op('i64.eqz', divisor));
  if (signed && size === 4) {
    const smallest = b.op('i64.eq', dividend, b.i64(-1n << 63n));
    trapDivide(l, b.op('i32.and', smallest, b.op('i64.eq', divisor, b.i64(-1))));
  }
  const quotient = b.op(signed ? 'i64.div_s' : 'i64.div_u', dividend, divisor);
  const result = l.cut(b.wrap(quotient), size);
  trapDivide(l, b.op('i64.ne', quotient, widen(l, result, size, signed)));
  const remainder = b.op('i64.sub', dividend, b.op('i64.mul', quotient, divisor));
  l.writeGpr(A[size], result);
  l.writeGpr(D[size], b.wrap(remainder));
}

function readPair(l: Lift, size: Size, signed: boolean): Value {
  const { b } = l;
  if (size === 1) return widen(l, l.readGpr(A[2]), 2, signed);
  const low = l.to64(l.readGpr(A[size]), size);
  const high = widen(l, l.readGpr(D[size]), size, signed);
  return b.op('i64.or', b.op('i64.shl', high, b.i64(size * 8)), low);
}

export const MULTIPLY: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Mul, widening(false)],
  [Mnemonic.Imul, imul],
  [Mnemonic.Div, divide(false)],
  [Mnemonic.Idiv, divide(true)],
]);
