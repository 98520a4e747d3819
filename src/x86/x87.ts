/** x87: data movement, arithmetic, comparisons, transcendental functions. */
import { Mnemonic } from 'iced-x86';
import type { Value } from '../ir/ir.js';
import { COND } from '../ir/flags.js';
import { X87, X87_RUN, type X87Run } from '../ir/x87Ops.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { loadInteger, loadOperand, record, recordMemory, stackIndex, waiting } from './x87Lift.js';

// ---- loads and stores

function loadFloat(l: Lift): void {
  if (!l.insn.isMemory(0)) {
    record(l);
    l.b.opImm('x87.register', X87.FLD | stackIndex(l, 0));
    return;
  }
  const address = l.address();
  const bytes = l.memoryBytes();
  const low = l.load(bytes === 4 ? 4 : 8, address);
  const high = bytes === 10 ? l.load(2, { base: address.base, disp: address.disp + 8 }) : undefined;
  recordMemory(l, address);
  if (high !== undefined) l.b.op('x87.loadF80', low, high);
  else l.b.op(bytes === 4 ? 'x87.loadF32' : 'x87.loadF64', low);
}

function loadDecimal(l: Lift): void {
  const address = l.address();
  const low = l.load(8, address);
  const high = l.load(2, { base: address.base, disp: address.disp + 8 });
  recordMemory(l, address);
  l.b.op('x87.loadBcd', low, high);
}

function loadInt(l: Lift): void {
  const address = l.address();
  const value = loadInteger(l, address);
  recordMemory(l, address);
  l.b.op('x87.loadInt', value);
}

/** Converts, stores, commits: see ir/x87Ops.ts. */
function storeAs(l: Lift, format: number, bytes: number, pops: number): void {
  const { b } = l;
  const address = l.address();
  if (bytes === 10) b.opImm('probeWrite', 10, l.sum(address));
  const flags = b.opImm('x87.convert', format, l.sum(address));
  const low = b.op('x87.scratch');
  if (bytes === 10) {
    const high = b.op('x87.scratchHigh');
    l.store(8, address, low);
    l.store(2, { base: address.base, disp: address.disp + 8 }, high);
  } else if (bytes === 8) {
    l.store(8, address, low);
  } else {
    l.store(bytes as 2 | 4, address, b.op('i32.wrap_i64', low));
  }
  recordMemory(l, address);
  b.opImm('x87.commit', pops, flags);
}

function storeFloat(pops: number): LiftFn {
  return waiting((l) => {
    if (!l.insn.isMemory(0)) {
      record(l);
      l.b.opImm('x87.register', (pops === 0 ? X87.FST : X87.FSTP) | stackIndex(l, 0));
      return;
    }
    const bytes = l.memoryBytes();
    storeAs(l, bytes === 4 ? X87.TO_F32 : bytes === 8 ? X87.TO_F64 : X87.TO_F80, bytes, pops);
  });
}

function storeInt(pops: number, truncate: number): LiftFn {
  return waiting((l) => {
    const bytes = l.memoryBytes();
    const format = bytes === 2 ? X87.TO_I16 : bytes === 4 ? X87.TO_I32 : X87.TO_I64;
    storeAs(l, format | truncate, bytes, pops);
  });
}

// ---- registers

function register(op: number, operand: number): LiftFn {
  return waiting((l) => {
    record(l);
    l.b.opImm('x87.register', op | stackIndex(l, operand));
  });
}

function cmov(condition: number): LiftFn {
  return waiting((l) => {
    record(l);
    l.b.opImm('x87.cmov', stackIndex(l, 1), l.b.condition(condition));
  });
}

/** An instruction without operands. */
function run(name: X87Run): LiftFn {
  return waiting((l) => {
    record(l);
    l.b.opImm('x87.run', X87_RUN.indexOf(name));
  });
}

// ---- arithmetic and comparisons

function arith(op: number, pops = 0): LiftFn {
  return waiting((l) => {
    if (!l.insn.isMemory(0)) {
      record(l);
      const dst = stackIndex(l, 0) << X87.DST_SHIFT;
      l.b.opImm('x87.arith', op | dst | (stackIndex(l, 1) << X87.SRC_SHIFT) | (pops << X87.POP_SHIFT));
      return;
    }
    withOperand(l, (value) => l.b.opImm(l.memoryBytes() === 4 ? 'x87.arithF32' : 'x87.arithF64', op, value));
  });
}

function arithInt(op: number): LiftFn {
  return waiting((l) => withInteger(l, (value) => l.b.opImm('x87.arithInt', op, value)));
}

function compare(pops: number, quiet: number): LiftFn {
  return waiting((l) => {
    const imm = quiet | (pops << X87.POP_SHIFT);
    if (l.insn.opCount > 0 && l.insn.isMemory(0)) {
      withOperand(l, (value) => l.b.opImm(l.memoryBytes() === 4 ? 'x87.compareF32' : 'x87.compareF64', imm, value));
      return;
    }
    record(l);
    const source = l.insn.opCount > 1 ? stackIndex(l, 1) : 1;
    l.b.opImm('x87.compare', imm | (source << X87.SRC_SHIFT));
  });
}

function compareInt(pops: number): LiftFn {
  return waiting((l) => withInteger(l, (value) => l.b.opImm('x87.compareInt', pops << X87.POP_SHIFT, value)));
}

function comi(pops: number, quiet: number): LiftFn {
  return waiting((l) => {
    record(l);
    const imm = quiet | (pops << X87.POP_SHIFT) | (stackIndex(l, 1) << X87.SRC_SHIFT);
    l.setFlags('FLAGS', 4, l.b.opImm('x87.comi', imm));
  });
}

function withOperand(l: Lift, use: (value: Value) => void): void {
  const address = l.address();
  const value = loadOperand(l, address);
  recordMemory(l, address);
  use(value);
}

function withInteger(l: Lift, use: (value: Value) => void): void {
  const address = l.address();
  const value = loadInteger(l, address);
  recordMemory(l, address);
  use(value);
}

const OPERAND_FREE: readonly [Mnemonic, X87Run][] = [
  [Mnemonic.Fchs, 'fchs'], [Mnemonic.Fabs, 'fabs'], [Mnemonic.Ftst, 'ftst'], [Mnemonic.Fxam, 'fxam'],
  [Mnemonic.Fld1, 'fld1'], [Mnemonic.Fldl2t, 'fldl2t'], [Mnemonic.Fldl2e, 'fldl2e'], [Mnemonic.Fldpi, 'fldpi'],
  [Mnemonic.Fldlg2, 'fldlg2'], [Mnemonic.Fldln2, 'fldln2'], [Mnemonic.Fldz, 'fldz'], [Mnemonic.F2xm1, 'f2xm1'],
  [Mnemonic.Fyl2x, 'fyl2x'], [Mnemonic.Fptan, 'fptan'], [Mnemonic.Fpatan, 'fpatan'], [Mnemonic.Fxtract, 'fxtract'],
  [Mnemonic.Fprem1, 'fprem1'], [Mnemonic.Fdecstp, 'fdecstp'], [Mnemonic.Fincstp, 'fincstp'], [Mnemonic.Fprem, 'fprem'],
  [Mnemonic.Fyl2xp1, 'fyl2xp1'], [Mnemonic.Fsqrt, 'fsqrt'], [Mnemonic.Fsincos, 'fsincos'], [Mnemonic.Frndint, 'frndint'],
  [Mnemonic.Fscale, 'fscale'], [Mnemonic.Fsin, 'fsin'], [Mnemonic.Fcos, 'fcos'],
];

export const X87_FAMILY: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Fld, waiting(loadFloat)],
  [Mnemonic.Fild, waiting(loadInt)],
  [Mnemonic.Fbld, waiting(loadDecimal)],
  [Mnemonic.Fst, storeFloat(0)],
  [Mnemonic.Fstp, storeFloat(1)],
  [Mnemonic.Fstpnce, storeFloat(1)],
  [Mnemonic.Fist, storeInt(0, 0)],
  [Mnemonic.Fistp, storeInt(1, 0)],
  [Mnemonic.Fisttp, storeInt(1, X87.TRUNCATE)],
  [Mnemonic.Fbstp, waiting((l) => storeAs(l, X87.TO_BCD, 10, 1))],
  [Mnemonic.Fxch, register(X87.FXCH, 1)],
  [Mnemonic.Ffree, register(X87.FFREE, 0)],
  [Mnemonic.Ffreep, register(X87.FFREEP, 0)],
  [Mnemonic.Fcmovb, cmov(COND.B)], [Mnemonic.Fcmovnb, cmov(COND.AE)],
  [Mnemonic.Fcmove, cmov(COND.E)], [Mnemonic.Fcmovne, cmov(COND.NE)],
  [Mnemonic.Fcmovbe, cmov(COND.BE)], [Mnemonic.Fcmovnbe, cmov(COND.A)],
  [Mnemonic.Fcmovu, cmov(COND.P)], [Mnemonic.Fcmovnu, cmov(COND.NP)],
  [Mnemonic.Fadd, arith(X87.ADD)], [Mnemonic.Faddp, arith(X87.ADD, 1)], [Mnemonic.Fiadd, arithInt(X87.ADD)],
  [Mnemonic.Fmul, arith(X87.MUL)], [Mnemonic.Fmulp, arith(X87.MUL, 1)], [Mnemonic.Fimul, arithInt(X87.MUL)],
  [Mnemonic.Fsub, arith(X87.SUB)], [Mnemonic.Fsubp, arith(X87.SUB, 1)], [Mnemonic.Fisub, arithInt(X87.SUB)],
  [Mnemonic.Fsubr, arith(X87.SUBR)], [Mnemonic.Fsubrp, arith(X87.SUBR, 1)], [Mnemonic.Fisubr, arithInt(X87.SUBR)],
  [Mnemonic.Fdiv, arith(X87.DIV)], [Mnemonic.Fdivp, arith(X87.DIV, 1)], [Mnemonic.Fidiv, arithInt(X87.DIV)],
  [Mnemonic.Fdivr, arith(X87.DIVR)], [Mnemonic.Fdivrp, arith(X87.DIVR, 1)], [Mnemonic.Fidivr, arithInt(X87.DIVR)],
  [Mnemonic.Fcom, compare(0, 0)], [Mnemonic.Fcomp, compare(1, 0)], [Mnemonic.Fcompp, compare(2, 0)],
  [Mnemonic.Fucom, compare(0, X87.QUIET)], [Mnemonic.Fucomp, compare(1, X87.QUIET)], [Mnemonic.Fucompp, compare(2, X87.QUIET)],
  [Mnemonic.Ficom, compareInt(0)], [Mnemonic.Ficomp, compareInt(1)],
  [Mnemonic.Fcomi, comi(0, 0)], [Mnemonic.Fcomip, comi(1, 0)],
  [Mnemonic.Fucomi, comi(0, X87.QUIET)], [Mnemonic.Fucomip, comi(1, X87.QUIET)],
  ...OPERAND_FREE.map(([mnemonic, name]): [Mnemonic, LiftFn] => [mnemonic, run(name)]),
]);
